/** Tests a service that listens at two addresses, as for `localhost`, and closes the connections of both. */
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it, vi } from "vitest";
import { type HostLookup, listeners } from "../src/http/connection/listeners.js";
import { closeUnused } from "../src/http/connection/unused-connections.js";
import { serveMetrics } from "../src/http/monitoring/metrics.js";
import { freePort } from "../src/store/samples/testing/free-port.js";
import { stopAfterTest } from "./cleanup.js";
import { newStore } from "./databases.js";
import { TestService } from "./service.js";

// A container may have no IPv6, and other systems have only one IPv4 loopback address.
const ADDRESSES = ["127.0.0.1", process.platform === "linux" ? "127.0.0.2" : "::1"];
const HEAD = "GET / HTTP/1.1\r\nHost: a\r\n";

const lookupOf =
  (addresses: string[]): HostLookup =>
  async () =>
    addresses.map((address) => ({ address }));

async function start(
  addresses = ADDRESSES,
  maxConnections?: number,
): Promise<{ app: FastifyInstance; port: number; arrived: Promise<void>; answer: () => void }> {
  const app = Fastify({ forceCloseConnections: "idle" });
  if (maxConnections !== undefined) app.server.maxConnections = maxConnections;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  app.get("/", async () => "at once");
  app.get("/slow", async () => {
    arrive();
    await answered;
    return "slow";
  });
  const startClosing = closeUnused(app.server);
  app.addHook("preClose", async () => void startClosing());
  const listen = listeners(app, lookupOf(addresses));
  await listen("localhost", 0);
  stopAfterTest(async () => {
    answer();
    app.server.closeAllConnections();
    await app.close();
  });
  return { app, port: (app.server.address() as AddressInfo).port, arrived, answer: () => answer() };
}

async function open(address: string, port: number, sent: string) {
  const socket = connect(port, address);
  socket.on("error", () => undefined);
  stopAfterTest(async () => void socket.destroy());
  await once(socket, "connect");
  const received: string[] = [];
  socket.on("data", (bytes) => received.push(`${bytes}`));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(sent);
  return { received: () => received.join(""), closed, leave: () => socket.destroy() };
}

describe("a service at two addresses", () => {
  it("accepts requests at both", async () => {
    const { port } = await start();
    for (const address of ADDRESSES) {
      const { received } = await open(address, port, `${HEAD}\r\n`);
      await expect.poll(received).toMatch(/200 OK[\s\S]*at once$/);
    }
  });

  it.each(ADDRESSES)("ends connections without a request at %s", async (address) => {
    const { app, port } = await start();
    const unused = [await open(address, port, ""), await open(address, port, HEAD)];
    const answered = await open(address, port, `${HEAD}\r\n`);
    await expect.poll(answered.received).toMatch(/at once$/);
    await app.close();
    await Promise.all([...unused, answered].map(({ closed }) => closed));
    await expect(open(address, port, "")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it.each(ADDRESSES)("waits for a request in progress at %s before it closes anything", async (address) => {
    const { app, port, arrived, answer } = await start();
    let isClosed = false;
    const slow = await open(address, port, `${HEAD.replace("/ ", "/slow ")}\r\n`);
    await arrived;
    const closing = app.close().then(() => {
      isClosed = true;
    });
    await sleep(200);
    expect(isClosed).toBe(false);
    answer();
    await closing;
    await slow.closed;
    expect(slow.received()).toMatch(/200 OK[\s\S]*slow$/);
  });

  it("continues when it cannot accept a connection, and logs this once for many failures", async () => {
    const { app, port } = await start();
    const logged = vi.spyOn(app.log, "error");
    const failure = Object.assign(new Error("accept EMFILE"), { code: "EMFILE" });
    for (let i = 0; i < 1000; i++) app.server.emit("error", failure);
    expect(logged.mock.calls).toEqual([[{ err: failure }, "connections not accepted"]]);
    const { received } = await open("127.0.0.1", port, `${HEAD}\r\n`);
    await expect.poll(received).toMatch(/at once$/);
  });

  it.each(ADDRESSES)(
    "closes excess connections at %s, and accepts new ones after others have closed",
    async (address) => {
      const { app, port } = await start(ADDRESSES, 2);
      const logged = vi.spyOn(app.log, "error");
      const [first] = [await open(address, port, ""), await open(address, port, "")];
      for (let i = 0; i < 10; i++) await (await open(address, port, "")).closed;
      expect(logged.mock.calls).toEqual([[{ maxConnections: 2 }, "too many connections"]]);
      first.leave();
      await expect
        .poll(async () => {
          const { received, closed } = await open(address, port, `${HEAD}Connection: close\r\n\r\n`);
          await closed;
          return received();
        })
        .toMatch(/at once$/);
    },
  );

  it("accepts the configured number of connections", async () => {
    const { service } = await TestService.start(await newStore(), { maxConnections: 3 });
    expect(service.app.server.maxConnections).toBe(3);
  });

  it("listens only at the addresses that the machine has", async () => {
    const { port } = await start(["127.0.0.1", "192.0.2.1"]);
    const { received } = await open("127.0.0.1", port, `${HEAD}\r\n`);
    await expect.poll(received).toMatch(/at once$/);
  });
});

describe("metrics at two addresses", () => {
  it("are served at both, and a stalled client does not delay the shutdown", async () => {
    const { service } = await TestService.start(await newStore());
    const port = await freePort();
    const { stop } = await serveMetrics(service.app, "localhost", port, null, lookupOf(ADDRESSES));
    stopAfterTest(stop);
    const stalled = [];
    for (const address of ADDRESSES) {
      const { received } = await open(address, port, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
      await expect.poll(received).toMatch(/200 OK[\s\S]*asi_http_requests_waiting/);
      stalled.push(await open(address, port, HEAD));
    }
    await stop();
    await Promise.all(stalled.map(({ closed }) => closed));
    for (const address of ADDRESSES)
      await expect(open(address, port, "")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
