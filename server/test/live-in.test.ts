/** Tests recordings that gateways stream while devices write them. */
import { and, eq, sql } from "drizzle-orm";
import { describe, expect, onTestFinished } from "vitest";
import { RecordingRefused } from "../src/domain/bulk-load/refusal.js";
import { currentOwner } from "../src/domain/ownerships/rules.js";
import { StreamReceiver } from "../src/domain/recording-streams/receive.js";
import { StreamReplaced } from "../src/domain/recording-streams/resource.js";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { queriesOf } from "../src/store/connection/database.js";
import { auditLog, changes, jobs, streamPieces } from "../src/store/schema.js";
import { ecgWalk, framesOf } from "./gateway.js";
import { START, START_MS, withStreams } from "./live-in-scene.js";
import { recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";

const it = withStreams();

const callerOf = ({ id, username }: TestAccount) => ({
  id,
  role: "MANAGER" as const,
  username,
  canCreateManagedAthletes: false,
  scopes: null,
});

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

  it("yields exactly the samples of a single complete upload, wherever it is interrupted and repeated", async ({
    live: { s, ann, longOwned, stream, stateOf, samplesOf, rangesOf },
  }) => {
    const [whole, broken] = [await longOwned(), await longOwned()];
    // The recording has two ranges, the second without a header, and a damaged frame in the first.
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
      // Some attempts repeat bytes that are already stored.
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

  it("is stored in several transactions if a piece of it changes many chunks, and its offset moves with the last one", async ({
    live: { s, ann, longOwned, stateOf },
  }) => {
    const device = await longOwned();
    // The device has no owner at the first time.
    const times = timesFrom("2023-12-31T23:55:00.000Z", 131, 300_000);
    const recording = await recordingOf(device.serial_number, times.map(rowAt));
    const watched = queriesOf(s.store.database.pool);
    const transaction = watched.transaction.bind(watched);
    const offsets: number[] = [];
    watched.transaction = async (work, config) => {
      offsets.push((await stateOf(device)).stored_bytes);
      return transaction(work, config);
    };
    const ctx = { ...s.ctx, queries: watched, caller: callerOf(ann) };
    const owned = await currentOwner.find(ctx, { device: device.id }, { queries: watched, lock: false });
    const receiver = await StreamReceiver.begin(ctx, owned, { recording: "one", offset: 0 });
    offsets.length = 0;
    await receiver.take(recording);
    await receiver.end();
    await receiver.deleteBytes();
    receiver.close();
    expect(offsets).toEqual([0, 0, 0, recording.length, recording.length]);
    expect(receiver.counts).toEqual({ read: 131, stored: 130, known: 0, refused: 1, unowned: 1 });
    expect(await stateOf(device)).toMatchObject({ stored_bytes: recording.length, ended: true });
  });

  it("has few rows even if its bytes arrive one by one, and continues after them", async ({
    live: { s, ann, longOwned, samplesOf },
  }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 50);
    const ctx = { ...s.ctx, caller: callerOf(ann) };
    const { queries } = ctx;
    const owned = await currentOwner.find(ctx, { device: device.id }, { queries, lock: false });
    const receiver = await StreamReceiver.begin(ctx, owned, { recording: "one", offset: 0 });
    for (let at = 0; at < 50; at++) await receiver.take(recording.subarray(at, at + 1));
    receiver.close();
    const pieces = () => queries.$count(streamPieces, eq(streamPieces.deviceId, device.id));
    expect(await pieces()).toBe(1);
    const again = await StreamReceiver.begin(ctx, owned, { recording: "one", offset: 50 });
    expect(await again.prepare(new AbortController().signal)).toBe(true);
    // Above 4 KiB, a piece does not grow.
    const middle = Math.max(50 + 4_096, recording.length - 500);
    await again.take(recording.subarray(50, middle));
    await again.take(recording.subarray(middle));
    expect(await pieces()).toBe(middle < recording.length ? 2 : 1);
    await again.end();
    again.close();
    expect(await samplesOf(device)).toHaveLength(50);
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

  it("is complete even if its bytes cannot be deleted", async ({ live: { s, longOwned, stream } }) => {
    const device = await longOwned();
    const recording = await walk(device.serial_number, START, 50);
    const { queries } = s.store.database;
    await queries.execute(sql`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END'`);
    await queries.execute(
      sql`CREATE TRIGGER refuse BEFORE DELETE ON stream_pieces FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    onTestFinished(async () => {
      await queries.execute(sql`DROP FUNCTION refuse CASCADE`);
    });
    const gateway = stream(device);
    gateway.send(recording);
    gateway.finish();
    expect(await gateway.last()).toMatchObject({
      end: "complete",
      samples_stored: 50,
      stored_bytes: recording.length,
    });
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
    const ctx = { ...s.ctx, caller: callerOf(ann) };
    const owned = await currentOwner.find(ctx, { device: device.id }, { queries: ctx.queries, lock: false });
    const beginning = { recording: "one", offset: 0 };
    const before = await StreamReceiver.begin(ctx, owned, beginning);
    const readsNothing = { ...ctx, config: { ...ctx.config, bulkLoadMaxChunks: 0 } };
    const ended = await StreamReceiver.begin(readsNothing, owned, beginning);
    await expect(before.prepare(new AbortController().signal)).rejects.toThrow(StreamReplaced);
    expect(await ended.prepare(AbortSignal.abort("replaced"))).toBe(false);
    await expect(ended.prepare(new AbortController().signal)).rejects.toThrow(RecordingRefused);
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

  it("is recorded in the audit log: each request when it begins and ends", async ({
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

// This test is the last one, because it moves the clock.
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
