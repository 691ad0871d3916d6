/** Recordings that gateways stream while devices write them. */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { and, eq, sql } from "drizzle-orm";
import { describe, expect, onTestFinished } from "vitest";
import { ScatteredRecording } from "../src/domain/bulk-load/scattered.js";
import { currentOwner } from "../src/domain/ownerships/rules.js";
import { MAX_UNENDED_BYTES } from "../src/domain/recording-streams/pieces.js";
import { StreamReceiver } from "../src/domain/recording-streams/receive.js";
import { StreamReplaced } from "../src/domain/recording-streams/resource.js";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { auditLog, changes, jobs, recordingStreams, streamPieces } from "../src/store/schema.js";
import { withOwnService } from "./file-service.js";
import { ecgWalk, framesOf, Gateway } from "./gateway.js";
import { walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

const START = "2024-03-01T10:00:00.000Z";
const START_MS = Date.parse(START);

async function streamsOn(s: TestService) {
  const ann = await s.manager();

  /** A device owned since before the recordings. */
  async function longOwned(owner = ann): Promise<TestDevice> {
    const owned = await s.ownedDevice(owner);
    await s.backdate(owned, "2024-01-01T00:00:00Z");
    return owned;
  }

  const stream = (
    { serial_number }: Pick<TestDevice, "serial_number">,
    { recording = "one", offset = 0, by = ann, at = s } = {},
  ) => new Gateway(at.service.url ?? "", serial_number, `recording=${recording}&offset=${offset}`, by.token);

  const stateOf = async ({ serial_number }: TestDevice, recording = "one", by = ann) =>
    (await s.get(`/api/v2/devices/${serial_number}/stream/?recording=${recording}`, by.token)).body;

  /** All samples of a device within an hour, as the service sends them. */
  async function samplesOf({ id }: TestDevice, by: TestAccount = ann) {
    const samples: unknown[] = [];
    for (let page: number | null = 1; page !== null; ) {
      const query = `start=${START_MS}&stop=${START_MS + 3_600_000}&limit=25000&page=${page}`;
      const { body } = await s.get(`/api/v1/devices/${id}/preprocessed-data/?${query}`, by.token);
      samples.push(...body.results);
      page = body.next;
    }
    return samples;
  }

  const rangesOf = async ({ id }: TestDevice) =>
    (
      await s.get(
        `/api/v1/devices/${id}/preprocessed-data-ranges/?start=${START_MS}&stop=${START_MS + 3_600_000}`,
        ann.token,
      )
    ).body.results;

  return { s, ann, longOwned, stream, stateOf, samplesOf, rangesOf };
}

const it = withOwnService({ streamStoreMs: 20 }).extend("live", { scope: "file" }, ({ service }) =>
  streamsOn(service),
);

describe("a streamed recording", () => {
  it("is stored while it is sent, and each line of the response reports the progress", async ({
    live: { longOwned, stream, samplesOf, stateOf },
  }) => {
    const device = await longOwned();
    const frames = framesOf(await walk(device.serial_number, START, 100));
    const gateway = stream(device);
    expect(await gateway.status()).toBe(200);
    expect(await gateway.next()).toEqual({ stored_bytes: 0, stored_until: null });
    const half = Buffer.concat(frames.slice(0, 60));
    gateway.send(half);
    const line = await gateway.stored(half.length);
    expect(line.stored_bytes).toBe(half.length);
    expect(await stateOf(device)).toEqual({ recording: "one", ended: false, ...line });
    const stored = (await samplesOf(device)) as { "gnss.timestamp": number }[];
    expect(stored.at(-1)?.["gnss.timestamp"]).toBe(line.stored_until);
    const rest = Buffer.concat(frames.slice(60));
    gateway.send(rest);
    gateway.finish();
    expect(await gateway.last()).toEqual({
      stored_bytes: half.length + rest.length,
      stored_until: START_MS + 9_900,
      samples_read: 100,
      samples_stored: 100,
      samples_known: 0,
      samples_refused: 0,
      samples_unowned: 0,
      end: "complete",
      damage: { badChecksums: 0, overlong: 0, overruns: 0 },
    });
    expect(await stateOf(device)).toMatchObject({ ended: true });
  });

  it("yields exactly the samples of a single complete upload, wherever it breaks and overlaps", async ({
    live: { s, ann, longOwned, stream, stateOf, samplesOf, rangesOf },
  }) => {
    const [whole, broken] = [await longOwned(), await longOwned()];
    // Two ranges, the second without a header, and a damaged frame in the first.
    const of = async ({ serial_number }: TestDevice) => {
      const first = await ecgWalk(serial_number, START, 60);
      const second = await ecgWalk(serial_number, "2024-03-01T10:20:00.000Z", 60);
      first.fill(0xff, 30_000, 30_010);
      return Buffer.concat([first, second.subarray(72)]);
    };
    await s.load(whole, ann, await of(whole));
    const recording = await of(broken);
    const random = (n: number, seed: number) => (seed * 7919 + 104_729) % n;
    for (let attempt = 0; ; attempt++) {
      const { stored_bytes } = await stateOf(broken);
      if (stored_bytes === recording.length) break;
      // Some attempts send again what is stored.
      const offset = Math.max(0, stored_bytes - random(5_000, attempt));
      const gateway = stream(broken, { offset });
      const to = Math.min(recording.length, stored_bytes + 4_000 + random(30_000, attempt + 1));
      gateway.send(recording.subarray(offset, to));
      await gateway.stored(stored_bytes + 1);
      // More data is in transit when the connection breaks.
      gateway.send(recording.subarray(to, to + random(3_000, attempt)));
      gateway.break();
    }
    const last = stream(broken, { offset: recording.length });
    last.finish();
    expect(await last.last()).toMatchObject({ end: "complete", damage: { badChecksums: 1 } });
    const samples = await samplesOf(broken);
    expect(samples).toEqual(await samplesOf(whole));
    expect(await rangesOf(broken)).toEqual(await rangesOf(whole));
    const withHr = samples.filter((sample) => (sample as { "ecg.hr": number | null })["ecg.hr"] !== null);
    expect(withHr.length).toBeGreaterThan(80);
  });

  it("keeps its bytes only until it ends", async ({ live: { s, longOwned, stream } }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 50);
    const pieces = () => s.store.database.queries.$count(streamPieces, eq(streamPieces.deviceId, device.id));
    const gateway = stream(device);
    gateway.send(recording);
    await gateway.stored(recording.length);
    expect(await pieces()).toBeGreaterThan(0);
    gateway.finish();
    await gateway.last();
    expect(await pieces()).toBe(0);
    const again = stream(device);
    expect([await again.status(), JSON.parse(await again.text()).code]).toEqual([409, "recording_ended"]);
  });

  it("starts again after another recording, whose request ends the earlier stream", async ({
    live: { longOwned, stream, stateOf },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 50);
    const gateway = stream(device);
    gateway.send(recording);
    await gateway.stored(recording.length);
    const other = stream(device, { recording: "two" });
    await other.next();
    expect(await gateway.last()).toMatchObject({ end: "replaced" });
    expect((await stateOf(device)).stored_bytes).toBe(0);
    const ahead = stream(device, { offset: 10 });
    expect([await ahead.status(), JSON.parse(await ahead.text()).code]).toEqual([409, "offset_ahead"]);
    other.break();
  });

  it("ends when another process streams the device: bytes sent afterwards are not stored", async ({
    live: { s, longOwned, stream, samplesOf },
  }) => {
    const device = await longOwned();
    const elsewhere = await TestService.start(s.store, { streamStoreMs: 20 });
    const frames = framesOf(await walk(device.serial_number, START, 40));
    const head = Buffer.concat(frames.slice(0, 20));
    const old = stream(device);
    old.send(head);
    await old.stored(head.length);
    const next = stream(device, { at: elsewhere, offset: head.length });
    expect(await next.next()).toMatchObject({ stored_bytes: head.length });
    old.send(Buffer.concat(frames.slice(20, 30)));
    expect(await old.last()).toMatchObject({ end: "replaced", stored_bytes: head.length });
    next.send(Buffer.concat(frames.slice(20)));
    next.finish();
    expect(await next.last()).toMatchObject({ end: "complete", samples_known: 0 });
    expect(await samplesOf(device)).toHaveLength(40);
  });

  it("adds one job for its effects on figures, not one per second, and leaves no job at its end", async ({
    live: { s, longOwned, stream },
  }) => {
    const device = await longOwned();
    const frames = framesOf(await walk(device.serial_number, START, 60));
    const all = () => s.store.database.queries.select().from(jobs).where(eq(jobs.kind, "stream-effects"));
    const before = new Set((await all()).map(({ id }) => id));
    const gateway = stream(device);
    let sent = 0;
    for (let at = 0; at < 60; at += 10) {
      const part = Buffer.concat(frames.slice(at, at + 10));
      sent += part.length;
      gateway.send(part);
      await gateway.stored(sent);
    }
    const [added, ...others] = (await all()).filter(({ id }) => !before.has(id));
    expect([added?.state, others]).toEqual(["PENDING", []]);
    gateway.finish();
    await gateway.last();
    s.clock.advance(31_000);
    await s.runJobs();
    expect((await all()).find(({ id }) => id === added?.id)?.state).toBe("SUCCESS");
  });

  it("announces the times of its samples, not the times between them, even if the device was released before", async ({
    live: { s, ann, longOwned, stream },
  }) => {
    const [ended, released] = [await longOwned(), await longOwned()];
    const days = async ({ id }: TestDevice) =>
      (
        await s.store.database.queries.execute<{ day: number }>(
          sql`SELECT day FROM changes WHERE account_id = ${ann.id} AND object_id = ${id} AND kind = 'samples' ORDER BY day`,
        )
      ).rows.map(({ day }) => day);
    const of = async ({ serial_number }: TestDevice) =>
      Buffer.concat([
        await walk(serial_number, START, 20),
        (await walk(serial_number, "2024-03-03T10:00:00.000Z", 20)).subarray(72),
      ]);
    const [first, second] = [stream(ended), stream(released)];
    first.send(await of(ended));
    first.finish();
    await first.last();
    const recording = await of(released);
    second.send(recording);
    await second.stored(recording.length);
    expect(await days(released)).toEqual([]);
    await s.release(released, ann);
    second.break();
    const day = Math.floor(START_MS / 86_400_000);
    for (const device of [ended, released]) expect(await days(device)).toEqual([day, day + 2]);
  });

  it("is read again only by its newest request, and not after that request has ended", async ({
    live: { s, ann, longOwned, stream },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 50);
    const gateway = stream(device);
    gateway.send(recording);
    await gateway.stored(recording.length);
    gateway.break();
    const ctx = {
      ...s.ctx,
      caller: {
        id: ann.id,
        role: "MANAGER" as const,
        username: ann.username,
        canCreateManagedAthletes: false,
        scopes: null,
      },
    };
    const owned = await currentOwner.find(ctx, { device: device.id }, { queries: ctx.queries, lock: false });
    const beginning = { recording: "one", offset: 0 };
    const before = await StreamReceiver.begin(ctx, owned, beginning);
    const readsNothing = { ...ctx, config: { ...ctx.config, bulkLoadMaxChunks: 0 } };
    const ended = await StreamReceiver.begin(readsNothing, owned, beginning);
    await expect(before.prepare(new AbortController().signal)).rejects.toThrow(StreamReplaced);
    expect(await ended.prepare(AbortSignal.abort("replaced"))).toBe(false);
    await expect(ended.prepare(new AbortController().signal)).rejects.toThrow(ScatteredRecording);
    const newest = await StreamReceiver.begin(ctx, owned, beginning);
    expect(await newest.prepare(new AbortController().signal)).toBe(true);
    for (const receiver of [before, ended, newest]) receiver.close();
  });

  it("announces no time at which another manager owned the device, even between two of its samples", async ({
    live: { s, ann, stream },
  }) => {
    onTestFinished(() => s.clock.stopAt(Date.now()));
    s.clock.stopAt(START_MS);
    const [bob, device] = [await s.manager(), await s.ownedDevice(ann)];
    for (const [afterMs, by] of [
      [4_000, bob],
      [8_000, ann],
    ] as const) {
      s.clock.stopAt(START_MS + afterMs);
      await s.release(device, by === ann ? bob : ann);
      await s.take(device, by);
    }
    s.clock.stopAt(START_MS + 60_000);
    const gateway = stream(device);
    gateway.send(await walk(device.serial_number, START, 120));
    gateway.finish();
    expect(await gateway.last()).toMatchObject({ end: "complete", samples_stored: 80, samples_refused: 40 });
    const readers = await s.store.database.queries
      .select({ id: changes.accountId })
      .from(changes)
      .where(and(eq(changes.kind, "samples"), eq(changes.objectId, device.id)));
    expect(readers).toEqual([{ id: ann.id }]);
  });

  it("is in the audit log: each request when it begins and ends", async ({
    live: { s, longOwned, stream },
  }) => {
    const device = await longOwned();
    const gateway = stream(device);
    gateway.send(await walk(device.serial_number, START, 5));
    gateway.finish();
    await gateway.last();
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(eq(auditLog.entityId, device.id));
    const streamed = rows.filter(({ entity }) => entity === "recording stream").map(({ after }) => after);
    expect(streamed).toMatchObject([
      { recording: "one", bytes: 0 },
      { recording: "one", reason: "complete", read: 5, stored: 5 },
    ]);
  });
});

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

  it("when no more bytes arrive, and keeps those that have arrived", async ({
    live: { s, longOwned, stream },
  }) => {
    const impatient = await TestService.start(s.store, { streamStoreMs: 20, streamIdleMs: 100 });
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 5);
    const gateway = stream(device, { at: impatient });
    gateway.send(recording);
    expect(await gateway.last()).toMatchObject({ end: "idle", stored_bytes: recording.length });
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

  it("when the process stops, and continues in another process", async ({
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
  it("is accepted up to five minutes ahead and reported; later samples are refused", async ({
    live: { s, ann, stream },
  }) => {
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
  });
});

// The last one, because it moves the clock.
describe("an unfinished recording", () => {
  it("does not outlive its samples: its bytes are deleted with them, and with the retention of samples", async ({
    live: { s, longOwned, stream, stateOf },
  }) => {
    const [deleted, expired] = [await longOwned(), await longOwned()];
    for (const device of [deleted, expired]) {
      const recording = await walk(device.serial_number, START, 50);
      const gateway = stream(device);
      gateway.send(recording);
      await gateway.stored(recording.length);
      gateway.break();
    }
    const times = { start: START, stop: new Date(START_MS + 60_000).toISOString() };
    await commands["samples delete"](s.ctx, { serialNumber: deleted.serial_number, ...times });
    expect((await stateOf(deleted)).stored_bytes).toBe(0);
    await s.runJobs();
    s.clock.advance(60_000);
    await s.runJobs();
    await applyRetention({ ...s.ctx, config: { ...s.config, rawRetentionDays: 0 } });
    const left = await s.store.database.queries.$count(streamPieces, eq(streamPieces.deviceId, expired.id));
    expect(left).toBe(0);
  });
});
