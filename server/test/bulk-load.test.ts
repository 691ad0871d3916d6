import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeRows } from "asi-convert";
import { and, eq, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { bodyOf, writeBody } from "../src/store/queue/job-body.js";
import { leaseOf, returnToQueue } from "../src/store/queue/job-lease.js";
import { enqueue } from "../src/store/queue/job-queue.js";
import { auditLog, jobBodies, jobs } from "../src/store/schema.js";
import { base64, collect, iso, START, START_MS, withBulkLoads } from "./bulk-load-scene.js";
import { recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { TestService } from "./service.js";

const it = withBulkLoads();

describe("bulk load", () => {
  it("returns a job, which stores the samples", async ({ bulkLoads: { s, ann, post, countOf } }) => {
    const owned = await s.longOwned(ann);
    const { status, body, headers } = await post(
      base64(await walk(owned.serial_number, START, 100)),
      ann,
      owned.id,
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(Number),
      job_id: expect.stringMatching(
        /^job-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      state: "PENDING",
      details: {},
    });
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect(headers.get("sunset")).toBe("Mon, 30 Jun 2025 23:59:59 GMT");
    expect(headers.get("link")).toContain('</api/v2/recordings/>; rel="successor-version"');
    expect((await s.get(`/api/v1/jobs/${body.id}/`, ann.token)).body).toEqual(body);
    await s.runJobs();
    const done = await s.get(`/api/v1/jobs/${body.job_id}/`, ann.token);
    expect(done.body).toEqual({
      ...body,
      state: "SUCCESS",
      details: {
        device: owned.id,
        samples_read: 100,
        samples_stored: 100,
        samples_known: 0,
        samples_refused: 0,
        samples_unowned: 0,
        start: START,
        stop: iso(START_MS + 9_900),
        ranges: [{ start: START, stop: iso(START_MS + 9_900), size: 100 }],
        readable: [{ start: START, stop: iso(START_MS + 9_900) }],
        report: expect.objectContaining({ frames: expect.any(Object), bytes: expect.any(Object) }),
      },
    });
    expect(await countOf(owned, ann)).toBe(100);
    const audit = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.operation, "bulkLoad"), eq(auditLog.entityId, body.id)));
    expect(audit).toEqual([expect.objectContaining({ accountId: ann.id, entity: "job" })]);
  });

  it("stores the recording compressed and does not read it with the job, so the database handles less than half of the bytes", async ({
    bulkLoads: { s, post },
  }) => {
    // The account has no other jobs.
    const owner = await s.manager();
    const owned = await s.longOwned(owner);
    const recording = await walk(owned.serial_number, START, 25_000);
    const { body } = await post(base64(recording), owner, owned.id);
    const { queries } = s.store.database;
    const [job] = await queries.select({ group: jobs.chargedGroup }).from(jobs).where(eq(jobs.id, body.id));
    const taken = await leaseOf(
      queries,
      60_000,
      "bulk-load",
      { group: job?.group ?? "", account: owner.id },
      1,
      s.clock.now(),
    );
    expect(taken.map(({ id }) => id)).toEqual([body.id]);
    for (const job of taken) expect(job).not.toHaveProperty("body");
    const compressed = await collect((await bodyOf(queries, body)) ?? []);
    expect(Buffer.concat(compressed).length).toBeLessThan(recording.length / 2);
    await returnToQueue(queries, taken);
    await s.runJobs();
    const done = await s.get(`/api/v1/jobs/${body.id}/`, owner.token);
    expect(done.body).toMatchObject({ state: "SUCCESS", details: { samples_stored: 25_000 } });
    expect(await bodyOf(queries, body)).toBeNull();
  });

  it("reads the bytes of a job in pieces of at most 256 KiB", async ({ bulkLoads: { s, ann } }) => {
    const owned = await s.longOwned(ann);
    const recording = await walk(owned.serial_number, START, 25_000);
    expect(recording.length).toBeGreaterThan(2 * 1024 * 1024);
    const { queries } = s.store.database;
    const job = await enqueue(queries, new Date(), {
      kind: "bulk-load",
      payload: { device: owned.id, manager: ann.id },
      body: await writeBody(queries, new Date(), [recording]),
      accountId: ann.id,
    });
    const pieces = await collect((job && (await bodyOf(queries, job))) ?? []);
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(256 * 1024);
    expect(Buffer.concat(pieces).equals(recording)).toBe(true);
  });

  it("stores nothing if bytes of the recording are missing", async ({
    bulkLoads: { s, ann, post, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const { body } = await post(base64(await walk(owned.serial_number, START, 1000)), ann, owned.id);
    const { queries } = s.store.database;
    const half = sql`substring(bytes FROM 1 FOR octet_length(bytes) / 2)`;
    const [job] = await queries.select({ key: jobs.body }).from(jobs).where(eq(jobs.id, body.id));
    await queries
      .update(jobBodies)
      .set({ bytes: half })
      .where(eq(jobBodies.body, job?.key ?? ""));
    await s.runJobs();
    expect((await s.get(`/api/v1/jobs/${body.id}/`, ann.token)).body).toMatchObject({ state: "RETRY" });
    expect(await countOf(owned, ann)).toBe(0);
  });

  it("stores nothing new if a file is loaded twice", async ({ bulkLoads: { s, ann, countOf } }) => {
    const owned = await s.longOwned(ann);
    const recording = await walk(owned.serial_number, START, 100);
    await s.load(owned, ann, recording);
    const again = await s.load(owned, ann, recording);
    expect(again.body.details).toMatchObject({ samples_stored: 0, samples_known: 100 });
    expect(await countOf(owned, ann)).toBe(100);
  });

  it("stores two files of one device completely if they are loaded concurrently", async ({
    bulkLoads: { s, ann, post, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const files = await Promise.all(
      [0, 50, 100, 150].map((seconds) => walk(owned.serial_number, iso(START_MS + seconds * 1000), 600)),
    );
    const accepted = await Promise.all(files.slice(0, 2).map((file) => post(base64(file), ann, owned.id)));
    accepted.push(...(await Promise.all(files.slice(2).map((file) => post(base64(file), ann, owned.id)))));
    expect(accepted.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const other = await TestService.start(s.store);
    await Promise.all([s.runJobs(), other.runJobs()]);
    await other.stop();
    const details = await Promise.all(
      accepted.map(async ({ body }) => (await s.get(`/api/v1/jobs/${body.job_id}/`, ann.token)).body.details),
    );
    expect(details.map(({ samples_read }) => samples_read)).toEqual([600, 600, 600, 600]);
    const stored = details.reduce((sum, { samples_stored }) => sum + samples_stored, 0);
    expect(stored).toBe(2_100);
    expect(await countOf(owned, ann)).toBe(2_100);
  });

  it("stores a real session exactly as it was recorded", async ({ bulkLoads: { s, ann } }) => {
    const file = readFileSync(join(import.meta.dirname, "../../fixtures/valid/match-hr.asi"));
    const rows = [];
    for await (const row of decodeRows(new Uint8Array(file))) rows.push(row);
    const owned = await s.ownedDevice(ann);
    const start = rows[0]?.timestamp ?? 0;
    await s.backdate(owned, iso(start - 1000));
    const job = await s.load(owned, ann, await recordingOf(owned.serial_number, rows));
    expect(job.body.details.samples_stored).toBe(rows.length);
    const { body } = await s.get(
      `/api/v1/devices/${owned.id}/raw-data/?start=${start}&stop=${start + 86_400_000}&limit=25000`,
      ann.token,
    );
    expect(body.results).toEqual(
      rows.slice(0, 25_000).map((row) => ({
        "gnss.altitude": row.altitude,
        "gnss.latitude": row.latitude,
        "gnss.longitude": row.longitude,
        "gnss.speed": row.speed,
        "gnss.timestamp": row.timestamp,
        "ecg.hr": row.hr,
      })),
    );
  });

  it("loads the valid part of a damaged recording and reports the damage", async ({
    bulkLoads: { s, ann },
  }) => {
    const owned = await s.longOwned(ann);
    const recording = await walk(owned.serial_number, START, 100);
    recording.fill(0, 5_000, 5_010);
    const { body } = await s.load(owned, ann, recording);
    expect(body.state).toBe("SUCCESS");
    expect(body.details.samples_stored).toBeLessThan(100);
    expect(body.details.samples_stored).toBeGreaterThan(95);
    expect(body.details.report.bytes.skipped + body.details.report.bytes.unknown).toBeGreaterThan(0);
  });

  it("sets the firmware version of the device to the version in the newest recording", async ({
    bulkLoads: { s, ann },
  }) => {
    const owned = await s.longOwned(ann);
    const version = async () =>
      (await s.get(`/api/v1/devices/${owned.id}/`, ann.token)).body.firmware_version;
    await s.load(owned, ann, await walk(owned.serial_number, START, 3, { firmwareVersion: "2.0.0" }));
    expect(await version()).toBe("2.0.0");
    const older = iso(START_MS - 86_400_000);
    await s.load(owned, ann, await walk(owned.serial_number, older, 3, { firmwareVersion: "1.9.0" }));
    expect(await version()).toBe("2.0.0");
    const newer = iso(START_MS + 86_400_000);
    await s.load(owned, ann, await walk(owned.serial_number, newer, 3, { firmwareVersion: "2.1.0" }));
    expect(await version()).toBe("2.1.0");
  });

  it("stores each sample once; the first sample in a file is kept", async ({ bulkLoads: { s, ann } }) => {
    const owned = await s.longOwned(ann);
    const first = rowAt(START_MS);
    const rows = [
      { ...first, hr: null },
      { ...first, altitude: 1 },
      { ...first, hr: 77 },
    ];
    const { body } = await s.load(owned, ann, await recordingOf(owned.serial_number, rows));
    expect(body.details).toMatchObject({ samples_read: 3, samples_stored: 1, samples_known: 2 });
    const latest = (await s.get(`/api/v1/devices/${owned.id}/latest-raw-data/`, ann.token)).body;
    expect(latest).toEqual([
      expect.objectContaining({ "gnss.altitude": first.altitude, "ecg.hr": expect.any(Number) }),
    ]);
    expect(timesFrom(START, 1)).toEqual([latest[0]["gnss.timestamp"]]);
  });
});

describe("bulk load of a recording with an ECG waveform and without a heart rate from the device", () => {
  it("stores heart rates derived from the waveform", async ({ bulkLoads: { s, ann, post } }) => {
    const owned = await s.longOwned(ann);
    const rows = timesFrom(START, 300).map((ms) => ({ ...rowAt(ms), hr: null }));
    const recording = await recordingOf(owned.serial_number, rows);
    const { body } = await post(base64(withWaveform(recording, START_MS, 30)), ann, owned.id);
    await s.runJobs();
    expect((await s.get(`/api/v1/jobs/${body.id}/`, ann.token)).body).toMatchObject({
      state: "SUCCESS",
      details: { samples_stored: 300, report: { rows: { withDerivedHr: expect.any(Number) } } },
    });
    const { body: page } = await s.get(
      `/api/v1/devices/${owned.id}/preprocessed-data/?start=${START_MS}&stop=${START_MS + 30_000}&limit=1000`,
      ann.token,
    );
    const rates = page.results.map((sample: Record<string, number | null>) => sample["ecg.hr"]);
    const derived = rates.filter((hr: number | null) => hr !== null);
    expect(derived.length).toBeGreaterThan(20);
    expect(derived.every((hr: number) => hr === 60)).toBe(true);
  });
});

/** Returns the recording with a 250 Hz waveform in its header and one frame per second, with a triangle for each R wave. */
function withWaveform(recording: Uint8Array, startMs: number, seconds: number): Uint8Array {
  const headerBytes = 72;
  const frames = Array.from({ length: seconds }, (_, second) => {
    const samples = Array.from({ length: 250 }, (_, i) => Math.max(0, 1000 - 160 * Math.abs(i - 100)));
    const frame = Buffer.alloc(8 + 16 + 500);
    frame.set([0xb5, 0x62, 0xa5, 0x02]);
    frame.writeUInt16LE(16 + 500, 4);
    frame.writeBigUInt64LE(BigInt(startMs + 1000 * (second - 1)), 6);
    frame.writeUInt16LE(250, 14);
    frame[16] = 16;
    frame.writeUInt16LE(250, 18);
    for (const [i, sample] of samples.entries()) frame.writeInt16LE(sample, 22 + 2 * i);
    let a = 0;
    let b = 0;
    for (const byte of frame.subarray(2, -2)) {
      a = (a + byte) & 0xff;
      b = (b + a) & 0xff;
    }
    frame.set([a, b], frame.length - 2);
    return frame;
  });
  const rowBytes = 100;
  const parts = frames.flatMap((frame, second) => {
    const from = headerBytes + 10 * rowBytes * second;
    return [frame, recording.subarray(from, from + 10 * rowBytes)];
  });
  return Buffer.concat([recording.subarray(0, headerBytes), ...parts]);
}
