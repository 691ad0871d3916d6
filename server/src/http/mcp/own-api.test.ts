import fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { OwnApi } from "./own-api.js";

/** Creates an API that ignores all parameters except `page`. */
async function apiOf(): Promise<OwnApi> {
  const app = fastify() as unknown as FastifyInstance;
  app.decorate("config", { baseUrl: "https://tracking.example" } as never);
  app.get("/things/", (request, reply) => {
    const ignored = Object.keys(request.query as object).filter((name) => name !== "page");
    if (ignored.length > 0) reply.header("X-Ignored", ignored.join(", "));
    reply.send({ results: [] });
  });
  await app.ready();
  const request = { headers: { authorization: "Bearer x" }, ip: "127.0.0.1", id: "1", ctx: {} };
  return new OwnApi(app, request as unknown as FastifyRequest);
}

it("a read returns the resource and its address", async () => {
  const { body, source } = await (await apiOf()).get("/things/", { page: 2, limit: undefined });
  expect([body, source.url]).toEqual([{ results: [] }, "https://tracking.example/things/?page=2"]);
});

it("a read with a parameter that the API ignores fails", async () => {
  await expect((await apiOf()).get("/things/", { page: 2, offset: 100 })).rejects.toThrow(
    "The API ignores these parameters of /things/: offset.",
  );
});
