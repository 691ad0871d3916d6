import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { checkedConnector } from "./post.js";
import { NoPublicAddressError } from "./receiver.js";

describe("the connection to a receiver", () => {
  it("is closed, before a byte is sent, when it proves to lead to a private address", async () => {
    let received = 0;
    const server = createServer((socket) => {
      socket.on("data", (chunk) => {
        received += chunk.length;
      });
      socket.on("error", () => undefined);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const connect = (allowPrivate: boolean) =>
      new Promise((resolve) => {
        checkedConnector(
          ["127.0.0.1"],
          1_000,
          allowPrivate,
        )(
          { hostname: "public.example", host: "public.example", protocol: "http:", port: String(port) },
          (error, socket) => {
            socket?.destroy();
            resolve(error);
          },
        );
      });
    try {
      expect(await connect(false)).toBeInstanceOf(NoPublicAddressError);
      expect(await connect(true)).toBeNull();
      expect(received).toBe(0);
    } finally {
      server.close();
    }
  });
});
