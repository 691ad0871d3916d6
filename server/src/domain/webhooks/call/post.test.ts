import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { beginning, checkedConnector, type PostLimits, post } from "./post.js";
import { NoPublicAddressError } from "./receiver.js";

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

/** Starts a receiver on the loopback interface. @returns its port */
async function receive(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const limits: PostLimits = {
  totalMs: 30_000,
  connectMs: 30_000,
  lookup: async () => ["127.0.0.1"],
  account: 1,
  allowPrivate: true,
};
const send = (port: number, changes: Partial<PostLimits> = {}) =>
  post(new URL(`http://a.example:${port}/hook?b=1`), { "content-type": "text/plain" }, "news", {
    ...limits,
    ...changes,
  });

describe("a post", () => {
  it("sends the body, path, query and headers, and returns the response, but no response text from a private address", async () => {
    let received = "";
    const port = await receive(async (request, response) => {
      const { method, url, headers } = request;
      const body = (await request.toArray()).join("");
      received = [method, url, headers.host, headers["content-type"], body].join(" ");
      response.writeHead(202, { "retry-after": "7" });
      response.end("the password of the router");
    });
    expect(await send(port)).toEqual({ status: 202, retryAfter: "7", text: null });
    expect(received).toBe(`POST /hook?b=1 a.example:${port} text/plain news`);
  });

  it("does not follow redirects", async () => {
    let calls = 0;
    const port = await receive((_, response) => {
      calls += 1;
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect(await send(port)).toEqual({ status: 302, retryAfter: undefined, text: null });
    expect(calls).toBe(1);
  });

  it("keeps 1,024 bytes of the response as whole characters without NUL, however the response is split", async () => {
    async function* pieces(...texts: string[]) {
      for (const text of texts) yield Buffer.from(text);
    }
    expect(await beginning(pieces(`\0${"x".repeat(1_022)}é`, "y".repeat(3_000)))).toBe(
      `\ufffd${"x".repeat(1_022)}`,
    );
    expect(await beginning(pieces("a".repeat(600), "b".repeat(600)))).toBe("a".repeat(600) + "b".repeat(424));
  });

  it("ends an endless response", async () => {
    const closed: Promise<unknown>[] = [];
    const port = await receive((_, response) => {
      closed.push(once(response, "close"));
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(4_096)));
        response.once("drain", more);
      };
      more();
    });
    expect((await send(port)).status).toBe(200);
    await Promise.all(closed);
  });

  it("waits for the whole response until its time limit", async () => {
    const port = await receive((_, response) => response.write("the beginning"));
    await expect(send(port, { totalMs: 500 })).rejects.toThrow("No complete response within 0.5 s.");
  });

  it("is not sent to a private address", async () => {
    let calls = 0;
    const port = await receive((_, response) => {
      calls += 1;
      response.end();
    });
    await expect(send(port, { allowPrivate: false })).rejects.toBeInstanceOf(NoPublicAddressError);
    expect(calls).toBe(0);
  });

  it("fails with the reason if it cannot be sent", async () => {
    const port = await receive((request) => request.socket.destroy());
    await expect(send(port)).rejects.toThrow(/other side closed|socket hang up|ECONNRESET/);
  });
});

describe("the connection to a receiver", () => {
  it("is closed before a byte is sent if it leads to a private address", async () => {
    let received = 0;
    const server = createTcpServer((socket) => {
      socket.on("data", (chunk) => {
        received += chunk.length;
      });
      socket.on("error", () => undefined);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const connect = (allowPrivate: boolean, addresses = ["127.0.0.1"]) =>
      new Promise((resolve) => {
        checkedConnector(
          addresses,
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
      expect(await connect(true, [])).toMatchObject({ message: "No address for public.example." });
      expect(received).toBe(0);
    } finally {
      server.close();
    }
  });
});
