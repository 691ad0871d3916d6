/** Tests that connections from one address leave slots for other addresses. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { stopAfterTest } from "./cleanup.js";
import { newStore } from "./databases.js";
import { TestService } from "./service.js";

const HEAD = "GET /health/live/ HTTP/1.1\r\nHost: a\r\n";

async function open(s: TestService, localAddress: string, sent: string) {
  const { hostname, port } = new URL(s.service.url ?? "");
  const socket: Socket = connect({ host: hostname, port: Number(port), localAddress });
  stopAfterTest(async () => void socket.destroy());
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes;
  });
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  await once(socket, "connect");
  socket.write(sent);
  return { socket, closed };
}

const ask = async (s: TestService, from: string) =>
  (await open(s, from, `${HEAD}Connection: close\r\n\r\n`)).closed;

// Only Linux has more than one IPv4 loopback address.
describe.runIf(process.platform === "linux")("open connections", () => {
  it("are limited to a quarter of the maximum for one address; the service closes further ones immediately and serves another address", async () => {
    const s = await TestService.start(await newStore(), { maxConnections: 16 });
    const unfinished = await Promise.all(Array.from({ length: 4 }, () => open(s, "127.0.0.2", HEAD)));
    for (let n = 0; n < 20; n++) expect(await (await open(s, "127.0.0.2", HEAD)).closed).toBe("");
    expect(await ask(s, "127.0.0.3")).toMatch(/^HTTP\/1\.1 200 /);
    const [first] = unfinished;
    first?.socket.destroy();
    await first?.closed;
    await expect.poll(() => ask(s, "127.0.0.2")).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("are not limited per address if they come from a trusted proxy", async () => {
    const s = await TestService.start(await newStore(), { maxConnections: 16, trustProxy: ["127.0.0.2"] });
    await Promise.all(Array.from({ length: 12 }, () => open(s, "127.0.0.2", HEAD)));
    expect(await ask(s, "127.0.0.2")).toMatch(/^HTTP\/1\.1 200 /);
  });
});
