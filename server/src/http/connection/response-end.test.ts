import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { FastifyReply } from "fastify";
import { expect, it, vi } from "vitest";
import { onResponseEnd } from "./response-end.js";

it("a response has one listener, which notifies all callbacks", async () => {
  const [raw, socket] = [new EventEmitter(), new EventEmitter()];
  const reply = { raw, request: { raw: { socket } } } as unknown as FastifyReply;
  const ended = vi.fn();
  for (let times = 0; times < 20; times++) onResponseEnd(reply, ended);
  expect([raw.listenerCount("close"), socket.listenerCount("close")]).toEqual([1, 1]);
  raw.emit("close");
  socket.emit("close");
  expect(ended).toHaveBeenCalledTimes(20);
});

it("a response that is queued after another response ends once, when its connection closes", async () => {
  const ended = vi.fn();
  const server = createServer((request, raw) => {
    // The first request gets no response, so the second is not processed.
    onResponseEnd({ raw, request: { raw: request } } as unknown as FastifyReply, () => ended(request.url));
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
