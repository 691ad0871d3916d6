/** Tests streams of gateways that the service refuses or ends. */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { MAX_UNENDED_BYTES } from "../src/domain/recording-streams/pieces.js";
import { recordingStreams } from "../src/store/schema.js";
import { addUnreadableChunks } from "./dense-chunks.js";
import { framesOf } from "./gateway.js";
import { START, START_MS, withStreams } from "./live-in-scene.js";
import { recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { TestService } from "./service.js";

const it = withStreams();

describe("a stream is refused, or ends with a reason", () => {
  it("if the caller does not own the device, without revealing whether it exists", async ({
    live: { s, longOwned, stream },
  }) => {
    const device = await longOwned();
    const bob = await s.manager();
    for (const serial_number of [device.serial_number, "NOBODYS-1"]) {
      const gateway = stream({ serial_number }, { by: bob });
      expect([await gateway.status(), JSON.parse(await gateway.text()).code]).toEqual([404, "not_found"]);
    }
  });

  it("when the body is not a recording, before it is read", async ({ live: { s, ann, longOwned } }) => {
    const device = await longOwned();
    const path = `${s.service.url}/api/v2/devices/${device.serial_number}/stream/?recording=one`;
    const response = await new Promise<IncomingMessage>((resolve) => {
      const headers = { Authorization: `Bearer ${ann.token}`, "Content-Type": "application/json" };
      const open = request(path, { method: "POST", headers, agent: false }, resolve);
      open.on("error", () => undefined);
      // The body does not end.
      open.write("{");
    });
    expect(response.statusCode).toBe(415);
    response.destroy();
  });

  it("when the bytes are not a recording, or are a recording of another device", async ({
    live: { longOwned, stream, samplesOf },
  }) => {
    const device = await longOwned();
    const cases = [
      [await walk("OTHER-1", START, 5), "wrong_device"],
      [(await walk(device.serial_number, START, 5)).subarray(72), "NOT_A_RECORDING"],
      [new Uint8Array(70_000).fill(0x20), "NOT_A_RECORDING"],
    ] as const;
    for (const [bytes, code] of cases) {
      const gateway = stream(device);
      gateway.send(bytes);
      gateway.finish();
      expect(await gateway.last()).toMatchObject({ end: "refused", problem: { code } });
    }
    expect(await samplesOf(device)).toEqual([]);
  });

  it("when no more bytes arrive, and the bytes received so far are kept", async ({
    live: { s, longOwned, stream },
  }) => {
    const impatient = await TestService.start(s.store, { streamStoreMs: 20, streamIdleMs: 100 });
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 5);
    const gateway = stream(device, { at: impatient });
    gateway.send(recording);
    expect(await gateway.last()).toMatchObject({ end: "idle", stored_bytes: recording.length });
  });

  it("when five minutes of it have more samples than can be stored", async ({
    live: { longOwned, stream, samplesOf },
  }) => {
    const device = await longOwned();
    const gateway = stream(device);
    gateway.send(await walk(device.serial_number, START, 30_000, { periodMs: 10 }));
    gateway.send((await walk(device.serial_number, "2024-03-01T10:00:00.001Z", 1)).subarray(72));
    gateway.finish();
    expect(await gateway.last()).toMatchObject({
      end: "refused",
      problem: { code: "too_dense", detail: expect.stringContaining("2024-03-01T10:00:00.000Z") },
    });
    expect((await samplesOf(device)).length).toBeLessThanOrEqual(30_000);
  });

  it("when it continues and would rewrite many stored samples for its number", async ({
    live: { s, longOwned, stream },
  }) => {
    const device = await longOwned();
    await addUnreadableChunks(s, device.id, START_MS + 3_600_000, 4);
    const first = await walk(device.serial_number, START, 5);
    const begun = stream(device);
    begun.send(first);
    await begun.stored(first.length);
    const rows = timesFrom("2024-03-01T11:00:00Z", 4, 300_000).map(rowAt);
    const gateway = stream(device, { offset: first.length });
    gateway.send((await recordingOf(device.serial_number, rows)).subarray(72));
    gateway.finish();
    expect(await gateway.last()).toMatchObject({
      end: "refused",
      problem: { code: "too_scattered", detail: expect.stringContaining("120004 samples") },
      stored_bytes: first.length,
    });
  });

  it("when the recording is larger than allowed", async ({ live: { s, longOwned, stream } }) => {
    const small = await TestService.start(s.store, { streamStoreMs: 20, streamMaxBytes: 10_000 });
    const device = await longOwned();
    const gateway = stream(device, { at: small });
    gateway.send(await walk(device.serial_number, START, 200));
    expect(await gateway.last()).toMatchObject({
      end: "refused",
      problem: { code: "too_large", status: 413 },
    });
  });

  it("when the unfinished recordings of its owner are too large in total", async ({
    live: { s, longOwned, stream, ann },
  }) => {
    const [other, device] = [await longOwned(), await longOwned()];
    await s.store.database.queries.insert(recordingStreams).values({
      deviceId: other.id,
      managerId: ann.id,
      recording: "one",
      connection: randomUUID(),
      bytes: MAX_UNENDED_BYTES,
      updatedAt: s.clock.now(),
    });
    const bob = await s.manager();
    const ofBob = await s.ownedDevice(bob);
    const unaffected = stream(ofBob, { by: bob });
    unaffected.send(await walk(ofBob.serial_number, START, 5));
    unaffected.finish();
    expect(await unaffected.last()).toMatchObject({ end: "complete" });
    const refused = stream(device);
    refused.send(await walk(device.serial_number, START, 5));
    expect(await refused.last()).toMatchObject({
      end: "refused",
      stored_bytes: 0,
      problem: { code: "too_large" },
    });
    await s.store.database.queries
      .update(recordingStreams)
      .set({ endedAt: s.clock.now() })
      .where(eq(recordingStreams.deviceId, other.id));
    const accepted = stream(device);
    accepted.send(await walk(device.serial_number, START, 5));
    accepted.finish();
    expect(await accepted.last()).toMatchObject({ end: "complete" });
  });

  it("when the device gets another owner, without changing the times of that owner", async ({
    live: { s, longOwned, stream, ann },
  }) => {
    const device = await longOwned();
    const frames = framesOf(await walk(device.serial_number, START, 20));
    const gateway = stream(device);
    gateway.send(Buffer.concat(frames.slice(0, 10)));
    await gateway.stored(1);
    await s.release(device, ann);
    gateway.send(Buffer.concat(frames.slice(10)));
    expect((await gateway.last())?.end).toMatch(/^(not_permitted|replaced)$/);
  });

  it("when the process stops; it can continue in another process", async ({
    live: { s, longOwned, stream, samplesOf },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 100);
    const stopping = await TestService.start(s.store, { streamStoreMs: 20 });
    const gateway = stream(device, { at: stopping });
    gateway.send(recording.subarray(0, 5_000));
    await gateway.stored(5_000);
    const [last] = await Promise.all([gateway.last(), stopping.stop()]);
    expect(last).toMatchObject({ end: "stopping", stored_bytes: 5_000 });
    const next = stream(device, { offset: 5_000 });
    next.send(recording.subarray(5_000));
    next.finish();
    expect(await next.last()).toMatchObject({ end: "complete" });
    expect(await samplesOf(device)).toHaveLength(100);
  });
});

describe("a device with a fast clock", () => {
  it("is accepted up to five minutes ahead and reported; later samples are refused and counted", async ({
    live: { s, ann, stream },
  }) => {
    const refused = async () => {
      const metrics = await s.service.app.metrics.getSingleMetricAsString("asi_samples_loaded_total");
      return Number(/outcome="refused"\} (\d+)/.exec(metrics)?.[1]);
    };
    const before = await refused();
    const device = await s.ownedDevice(ann);
    const aheadOf = (ms: number) => new Date(s.clock.now().getTime() + ms).toISOString();
    const gateway = stream(device);
    const fast = await walk(device.serial_number, aheadOf(240_000), 5);
    gateway.send(fast);
    const { ahead_ms = 0 } = await gateway.stored(fast.length);
    expect(ahead_ms).toBeGreaterThan(200_000);
    gateway.send((await walk(device.serial_number, aheadOf(900_000), 5)).subarray(72));
    gateway.finish();
    expect(await gateway.last()).toMatchObject({ samples_read: 10, samples_stored: 5, samples_refused: 5 });
    expect((await refused()) - before).toBe(5);
  });
});
