/**
 * Tests recordings that gateways stream over WebSockets. live-in.test.ts tests the processing, which requests and WebSockets
 * share.
 */
import { once } from "node:events";
import { and, eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { auditLog } from "../src/store/schema.js";
import { withOwnService } from "./file-service.js";
import { ecgWalk, Gateway, type Line } from "./gateway.js";
import { walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";
import { type Refusal, SocketClient } from "./web-socket-client.js";

const START = "2024-03-01T10:00:00.000Z";
const START_MS = Date.parse(START);

interface Opening {
  recording?: string;
  offset?: number;
  by?: Pick<TestAccount, "token">;
  at?: TestService;
}

async function gatewaysOn(s: TestService) {
  const ann = await s.manager();

  const longOwned = (owner = ann) => s.longOwned(owner);

  const addressOf = ({ serial_number }: TestDevice, { recording = "one", offset = 0, at = s }: Opening) =>
    `${at.service.url}/api/v2/devices/${serial_number}/stream/?recording=${recording}&offset=${offset}`;
  const headers = (by: Pick<TestAccount, "token">) => ({ headers: { Authorization: `Bearer ${by.token}` } });

  const open = (device: TestDevice, opening: Opening = {}) =>
    SocketClient.open(addressOf(device, opening), headers(opening.by ?? ann));
  const refusal = (device: TestDevice, opening: Opening = {}): Promise<Refusal> =>
    SocketClient.refusal(addressOf(device, opening), headers(opening.by ?? ann));

  const stateOf = async ({ serial_number }: TestDevice) =>
    (await s.get(`/api/v2/devices/${serial_number}/stream/?recording=one`, ann.token)).body;

  const samplesOf = async ({ id }: TestDevice) =>
    (
      await s.get(
        `/api/v1/devices/${id}/preprocessed-data/?start=${START_MS}&stop=${START_MS + 3_600_000}&limit=25000`,
        ann.token,
      )
    ).body.results;

  return { s, ann, longOwned, addressOf, open, refusal, stateOf, samplesOf };
}

/** Reads lines until this number of bytes is stored. */
async function stored(client: SocketClient, bytes: number): Promise<Line> {
  for (;;) {
    const line = await client.next<Line>();
    if (line === null) throw new Error("The connection has closed");
    if (line.stored_bytes >= bytes) return line;
  }
}

/** Reads all lines. @returns the last line and the close code */
async function lastOf(client: SocketClient): Promise<[Line | undefined, number]> {
  let last: Line | undefined;
  for (let line = await client.next<Line>(); line !== null; line = await client.next<Line>()) last = line;
  return [last, await client.closed];
}

const finish = ({ socket }: SocketClient) => socket.send(new Uint8Array());

const it = withOwnService({ streamStoreMs: 20, liveHeartbeatMs: 100 }).extend(
  "gateways",
  { scope: "file" },
  ({ service }) => gatewaysOn(service),
);

describe("a recording that is streamed over a WebSocket", () => {
  it("is stored while it is sent, with lines that report the progress, until an empty message ends it", async ({
    gateways: { longOwned, open, stateOf },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 100);
    const client = await open(device);
    expect(await client.next()).toEqual({ stored_bytes: 0, stored_until: null });
    client.socket.send(recording.subarray(0, 5_000));
    const line = await stored(client, 5_000);
    expect(await stateOf(device)).toEqual({ recording: "one", ended: false, ...line });
    client.socket.send(recording.subarray(5_000));
    finish(client);
    const [last, code] = await lastOf(client);
    expect(last).toMatchObject({ end: "complete", stored_bytes: recording.length, samples_stored: 100 });
    expect(code).toBe(1000);
    expect(await stateOf(device)).toMatchObject({ ended: true });
  });

  it("yields exactly the samples of an upload, wherever messages end and connections break", async ({
    gateways: { s, ann, longOwned, open, stateOf, samplesOf },
  }) => {
    const [whole, broken] = [await longOwned(), await longOwned()];
    await s.load(whole, ann, await ecgWalk(whole.serial_number, START, 60));
    const recording = await ecgWalk(broken.serial_number, START, 60);
    const random = (n: number, seed: number) => 1 + ((seed * 7919 + 104_729) % n);
    for (let attempt = 0; ; attempt++) {
      const { stored_bytes } = await stateOf(broken);
      if (stored_bytes === recording.length) break;
      // Some attempts repeat bytes that are already stored.
      const offset = Math.max(0, stored_bytes - random(5_000, attempt) + 1_000);
      const from = Math.min(offset, stored_bytes);
      const client = await open(broken, { offset: from });
      const to = Math.min(recording.length, stored_bytes + 4_000 + random(30_000, attempt));
      for (let at = from, n = attempt; at < to; n++) {
        const end = Math.min(to, at + random(n % 3 === 0 ? 5 : 3_000, n));
        client.socket.send(recording.subarray(at, end), { fin: n % 2 === 0 || end === to });
        at = end;
      }
      await stored(client, stored_bytes + 1);
      client.socket.terminate();
    }
    const client = await open(broken, { offset: recording.length });
    finish(client);
    expect((await lastOf(client))[0]).toMatchObject({ end: "complete" });
    expect(await samplesOf(broken)).toEqual(await samplesOf(whole));
  });

  it("remains open when the connection closes without an empty message", async ({
    gateways: { longOwned, open, stateOf },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 20);
    const client = await open(device);
    client.socket.send(recording);
    await stored(client, recording.length);
    client.socket.close(1000);
    await client.closed;
    expect(await stateOf(device)).toMatchObject({ ended: false, stored_bytes: recording.length });
  });

  it("continues in a different process after the first process has stopped", async ({
    gateways: { s, longOwned, open, samplesOf },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 100);
    const stopping = await TestService.start(s.store, { streamStoreMs: 20 });
    const client = await open(device, { at: stopping });
    client.socket.send(recording.subarray(0, 5_000));
    await stored(client, 5_000);
    const [[last, code]] = await Promise.all([lastOf(client), stopping.stop()]);
    expect(last).toMatchObject({ end: "stopping", stored_bytes: 5_000 });
    expect(code).toBe(1001);
    const next = await open(device, { offset: 5_000 });
    next.socket.send(recording.subarray(5_000));
    finish(next);
    expect((await lastOf(next))[0]).toMatchObject({ end: "complete" });
    expect(await samplesOf(device)).toHaveLength(100);
  });

  it("can be sent by a browser with a ticket, even that of a token that can only write samples", async ({
    gateways: { s, ann, longOwned, addressOf },
  }) => {
    const device = await longOwned();
    const token = await s.personalToken(ann, "samples:write");
    const { body } = await s.post("/api/v2/live-tickets/", undefined, token);
    const address = `${addressOf(device, {})}&ticket=${body.ticket}`;
    const client = await SocketClient.open(address, { origin: new URL(s.service.url ?? "").origin });
    expect(await client.next()).toEqual({ stored_bytes: 0, stored_until: null });
    expect(await SocketClient.refusal(address)).toEqual({ status: 401, code: "invalid_token" });
  });

  it("is recorded in the audit log, with the beginning and the end of each connection", async ({
    gateways: { s, longOwned, open },
  }) => {
    const device = await longOwned();
    const client = await open(device);
    client.socket.send(await walk(device.serial_number, START, 5));
    finish(client);
    await lastOf(client);
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entityId, device.id), eq(auditLog.entity, "recording stream")));
    expect(rows.map(({ after }) => after)).toMatchObject([
      { recording: "one", bytes: 0 },
      { recording: "one", reason: "complete", read: 5, stored: 5 },
    ]);
  });
});

describe("a WebSocket of a gateway", () => {
  it("is refused before the handshake, with the same status as a request", async ({
    gateways: { s, ann, longOwned, open, refusal },
  }) => {
    const device = await longOwned();
    expect(await refusal(device, { by: await s.manager() })).toEqual({ status: 404, code: "not_found" });
    expect(await refusal(device, { by: { token: "made-up" } })).toEqual({
      status: 401,
      code: "invalid_token",
    });
    const reader = { token: await s.personalToken(ann, "samples:read") };
    expect(await refusal(device, { by: reader })).toEqual({ status: 403, code: "insufficient_scope" });
    expect(await refusal(device, { offset: 10 })).toEqual({ status: 409, code: "offset_ahead" });
    expect((await refusal(device, { recording: "" })).status).toBe(400);
    expect((await refusal(device, { offset: -1 })).status).toBe(400);
    const client = await open(device);
    client.socket.send(await walk(device.serial_number, START, 5));
    finish(client);
    await lastOf(client);
    expect(await refusal(device)).toEqual({ status: 409, code: "recording_ended" });
  });

  it("closes with 1003 after a text message, which is not stored", async ({
    gateways: { longOwned, open, stateOf },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 20);
    const client = await open(device);
    client.socket.send(recording);
    await stored(client, recording.length);
    client.socket.send("more");
    expect(await client.closed).toBe(1003);
    expect(await stateOf(device)).toMatchObject({ ended: false, stored_bytes: recording.length });
  });

  it("closes with 1009 after a message that is too large, even in fragments", async ({
    gateways: { longOwned, open },
  }) => {
    const large = await open(await longOwned());
    large.socket.send(Buffer.alloc(256 * 1024 + 1));
    expect(await large.closed).toBe(1009);
    const fragments = await open(await longOwned());
    for (let n = 0; n < 5; n++) fragments.socket.send(Buffer.alloc(64 * 1024), { fin: false });
    expect(await fragments.closed).toBe(1009);
  });

  it("closes with 1008 after bytes of a different device", async ({ gateways: { longOwned, open } }) => {
    const device = await longOwned();
    const client = await open(device);
    client.socket.send(await walk("OTHER-1", START, 5));
    const [last, code] = await lastOf(client);
    expect(last).toMatchObject({ end: "refused", problem: { code: "wrong_device" } });
    expect(code).toBe(1008);
  });

  it("closes with 1008 when a request replaces it, and can replace a request", async ({
    gateways: { s, ann, longOwned, open },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 20);
    const client = await open(device);
    client.socket.send(recording.subarray(0, 1_000));
    await stored(client, 1_000);
    const query = "recording=one&offset=1000";
    const gateway = new Gateway(s.service.url ?? "", device.serial_number, query, ann.token);
    expect(await gateway.next()).toMatchObject({ stored_bytes: 1_000 });
    const [last, code] = await lastOf(client);
    expect([last?.end, code]).toEqual(["replaced", 1008]);
    gateway.send(recording.subarray(1_000, 1_200));
    await gateway.stored(1_200);
    const again = await open(device, { offset: 1_200 });
    expect(await again.next()).toMatchObject({ stored_bytes: 1_200 });
    expect((await gateway.last())?.end).toBe("replaced");
  });

  it("closes with 1013 when idle, even if it answers pings", async ({ gateways: { s, longOwned, open } }) => {
    const impatient = await TestService.start(s.store, { streamIdleMs: 300, liveHeartbeatMs: 20 });
    const client = await open(await longOwned(), { at: impatient });
    let pings = 0;
    client.socket.on("ping", () => void pings++);
    const [last, code] = await lastOf(client);
    expect([last?.end, code]).toEqual(["idle", 1013]);
    expect(pings).toBeGreaterThan(0);
  });

  it("closes with 1008 when its token ends", async ({ gateways: { s, ann, longOwned, open } }) => {
    const device = await longOwned();
    const token = await s.personalToken(ann, "samples:write");
    const recording = await walk(device.serial_number, START, 20);
    const client = await open(device, { by: { token } });
    client.socket.send(recording.subarray(0, 1_000));
    await stored(client, 1_000);
    const { body } = await s.get("/api/v2/tokens/", ann.token);
    for (const { id } of body.results) await s.send("DELETE", `/api/v2/tokens/${id}/`, { token: ann.token });
    client.socket.send(recording.subarray(1_000));
    const [last, code] = await lastOf(client);
    expect([last?.end, last?.stored_bytes, code]).toEqual(["signed_out", 1_000, 1008]);
  });

  it("does not delay the end of the process if its client does not read", async ({
    gateways: { s, longOwned, open },
  }) => {
    const stopping = await TestService.start(s.store, { streamStoreMs: 20, shutdownTimeoutMs: 200 });
    const client = await open(await longOwned(), { at: stopping });
    client.socket.pause();
    await stopping.stop();
    const closed = once(client.socket, "close");
    client.socket.resume();
    await closed;
  });
});
