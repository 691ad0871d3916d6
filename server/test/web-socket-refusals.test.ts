/** Tests failed handshakes, and clients that send as much as they can. They must not occupy connections, slots or memory. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { devices } from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { withOwnService } from "./file-service.js";
import { walk } from "./recordings.js";
import { startService, type TestAccount, type TestDevice, TestService } from "./service.js";
import { SocketClient } from "./web-socket-client.js";

const it = withOwnService({ streamStoreMs: 20 });

const KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";

/** Sends the headers of a handshake. */
function handshake(s: TestService, path: string, ...more: readonly string[]): Socket {
  const { hostname, port } = new URL(s.service.url ?? "");
  const socket = connect(Number(port), hostname);
  stopAfterTest(async () => void socket.destroy());
  const head = [`GET ${path} HTTP/1.1`, "Host: x", "Connection: Upgrade", "Upgrade: websocket", ...more];
  socket.write([...head, "Sec-WebSocket-Version: 13", "", ""].join("\r\n"));
  return socket.resume();
}

const streamOf = ({ serial_number }: TestDevice) =>
  `/api/v2/devices/${serial_number}/stream/?recording=one&offset=0`;

const openStream = (s: TestService, device: TestDevice, { token }: TestAccount) =>
  SocketClient.open(`${s.service.url}${streamOf(device)}`, { headers: { Authorization: `Bearer ${token}` } });

describe("a handshake", () => {
  it("ends its connection if the address is malformed, like every refusal", async ({ service: s }) => {
    for (const path of ["/%zz", `/api/v1/devices/${"1".repeat(101)}/`, "/api/v2/live/"]) {
      const closed = once(handshake(s, path, KEY), "close").then(() => "closed");
      expect([path, await Promise.race([closed, sleep(5_000, "open")])]).toEqual([path, "closed"]);
    }
  });

  it("that the client resets does not keep the device from being streamed", async ({ service: s }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    await transact(s.ctx, "test", async ({ queries }) => {
      // A stream waits for this lock when it begins.
      await queries.select().from(devices).where(eq(devices.id, device.id)).for("update");
      const socket = handshake(s, streamOf(device), KEY, `Authorization: Bearer ${ann.token}`);
      await sleep(300);
      socket.resetAndDestroy();
      await sleep(50);
    });
    for (let n = 0; n < 3; n++) {
      const client = await openStream(s, device, ann);
      const line = await Promise.race([client.next(), sleep(5_000, "none")]);
      expect(line).toEqual({ stored_bytes: 0, stored_until: null });
      client.socket.terminate();
      await client.closed;
    }
  });

  it("that waits for the database does not delay the end of the process", async ({ service: s }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const stopping = await TestService.start(s.store, { shutdownTimeoutMs: 200 });
    await transact(s.ctx, "test", async ({ queries }) => {
      await queries.select().from(devices).where(eq(devices.id, device.id)).for("update");
      const socket = handshake(stopping, streamOf(device), KEY, `Authorization: Bearer ${ann.token}`);
      const closed = once(socket, "close").then(() => "closed");
      await sleep(300);
      const stopped = stopping.stop();
      expect(await Promise.race([closed, sleep(5_000, "open")])).toBe("closed");
      return { stopped };
    }).then(({ stopped }) => stopped);
  });

  it("without a key does not replace the stream of the device", async ({ service: s }) => {
    const ann = await s.manager();
    const device = await s.ownedDevice(ann);
    const gateway = await openStream(s, device, ann);
    await gateway.next();
    await once(handshake(s, streamOf(device), `Authorization: Bearer ${ann.token}`), "close");
    gateway.socket.send(await walk(device.serial_number, new Date().toISOString(), 10));
    gateway.socket.send(new Uint8Array());
    expect(await gateway.closed).toBe(1000);
  });

  it("from a page of another site counts towards the limit of the address", async () => {
    const s = await startService({ throttleAddressPerMinute: 5 });
    const foreign = { origin: "https://elsewhere.example" };
    const statuses: (number | undefined)[] = [];
    for (let n = 0; n < 7; n++)
      statuses.push((await SocketClient.refusal(`${s.service.url}/api/v2/live/`, foreign)).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429, 429]);
  });
});

describe("a client that divides messages into many fragments", () => {
  it("is disconnected after 16, because each holds the memory of a read", async ({ service: s }) => {
    const ann = await s.manager();
    const client = await openStream(s, await s.ownedDevice(ann), ann);
    for (let n = 0; n < 17; n++) client.socket.send(Buffer.alloc(1), { fin: false });
    expect(await client.closed).toBe(1008);
  });
});
