import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { Client } from "./client.js";

/** Answers the first request of each connection, and closes it when the next one arrives. */
const closing = createServer((request, response) => {
  if (used.has(request.socket)) request.socket.destroy();
  else response.end("ok");
  used.add(request.socket);
}).listen(0, "127.0.0.1");
const used = new WeakSet<object>();
await once(closing, "listening");

const client = new Client(`http://127.0.0.1:${(closing.address() as AddressInfo).port}`, "127.0.0.1");

afterAll(() => {
  client.close();
  closing.close();
});

describe("a connection that the service closed before the next request", () => {
  it("makes a GET use a second connection, which the result reports", async () => {
    expect(await client.send("/")).not.toHaveProperty("isResent");
    expect(await client.send("/")).toEqual({ status: 200, body: Buffer.from("ok"), isResent: true });
  });

  it("makes any other request fail with the reason, because it may have taken effect", async () => {
    const post = { method: "POST" };
    expect((await client.send("/", post)).status).toBe(200);
    const { status, body } = await client.send("/", post);
    expect([status, String(body)]).toEqual([0, "ECONNRESET on a used connection"]);
  });
});
