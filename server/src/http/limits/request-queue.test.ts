import type { FastifyInstance, FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { createHeavyQueue, createRequestQueue, inRequestTurn } from "./request-queue.js";

it("waiting heavy requests do not use the slots of other requests of their caller", async () => {
  const app = {
    requestQueue: createRequestQueue(),
    heavyQueue: createHeavyQueue(),
  } as unknown as FastifyInstance;
  const request = { onBehalfOf: { name: "ann", group: "127.0.0.1" }, ctx: {} } as unknown as FastifyRequest;
  let begun = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const heavy = Array.from({ length: 40 }, () =>
    inRequestTurn(
      app,
      request,
      () => {
        begun += 1;
        return released;
      },
      { isHeavy: true },
    ),
  );
  await inRequestTurn(app, request, async () => undefined);
  expect(begun).toBe(2);
  release();
  await Promise.all(heavy);
  expect(begun).toBe(40);
});
