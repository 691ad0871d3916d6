import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { FastifyReply } from "fastify";
import { expect, it, vi } from "vitest";
import { onAnswerEnd } from "./answer-end.js";

it("an answer that waits behind another one ends with its connection, once", async () => {
  const ended = vi.fn();
  const server = createServer((request, raw) => {
    // The first is never answered, so the second does not get to its turn.
    onAnswerEnd({ raw, request: { raw: request } } as unknown as FastifyReply, () => ended(request.url));
    if (request.url === "/second") request.socket.emit("both");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const arrived = new Promise<void>((resolve) =>
    server.once("connection", (socket) => socket.once("both", resolve)),
  );
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write(["/first", "/second"].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  await arrived;
  client.destroy();
  await expect.poll(() => ended.mock.calls.flat().sort()).toEqual(["/first", "/second"]);
  await new Promise((closed) => server.close(closed));
});
