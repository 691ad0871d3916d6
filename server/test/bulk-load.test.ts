import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeRows } from "asi-convert";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf } from "../src/store/job-body.js";
import { giveBack, leaseOf } from "../src/store/lease.js";
import { enqueue } from "../src/store/queue.js";
import { auditLog, jobs } from "../src/store/schema.js";
import { recordingOf, rowAt, timesFrom, walk } from "./recordings.js";
import { newStore, type TestAccount, type TestDevice, TestService } from "./service.js";

// A database of its own: here jobs are run and the clock is moved.
let s: TestService;
let ann: TestAccount;
let bob: TestAccount;
let device: TestDevice;

const START = "2024-03-01T10:00:00.000Z";
const START_MS = Date.parse(START);
const iso = (ms: number) => new Date(ms).toISOString();

beforeAll(async () => {
  s = await TestService.start(await newStore());
  [ann, bob] = await Promise.all([s.manager(), s.manager()]);
  device = await s.ownedDevice(ann);
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const path = (id: number) => `/api/v1/devices/${id}/bulk-load/`;
const post = (asi_b64: unknown, by = ann, id = device.id) => s.post(path(id), { asi_b64 }, by.token);
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

async function collect(slices: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array[]> {
  const collected: Uint8Array[] = [];
  for await (const slice of slices) collected.push(slice);
  return collected;
}

/** A device owned since before the recordings. */
async function longOwned(owner: TestAccount): Promise<TestDevice> {
  const owned = await s.ownedDevice(owner);
  await s.backdate(owned, "2024-01-01T00:00:00Z");
  return owned;
}

const countOf = async (of: TestDevice, by: TestAccount, from = START_MS, to = START_MS + 3_600_000) =>
  (
    await s.get(`/api/v1/devices/${of.id}/preprocessed-data-ranges/?start=${from}&stop=${to}`, by.token)
  ).body.results
    .map(({ size }: { size: number }) => size)
    .reduce((sum: number, size: number) => sum + size, 0);

describe("bulk load", () => {
  it("row 18: answers with a job, which stores the samples", async () => {
    const owned = await longOwned(ann);
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
    expect(headers.get("link")).toContain('</api/v2/files/asi-to-csv/>; rel="successor-version"');
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
        samples_unreadable: 0,
        samples_refused: 0,
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
      .where(eq(auditLog.operation, "bulkLoad"));
    expect(audit.at(-1)).toMatchObject({ accountId: ann.id, entity: "job", entityId: body.id });
  });

  it("row 18: a job comes without its recording, which is stored compressed: the database handles less than half of it", async () => {
    const owned = await longOwned(ann);
    const recording = await walk(owned.serial_number, START, 25_000);
    const { body } = await post(base64(recording), ann, owned.id);
    const { queries } = s.store.database;
    const taken = await leaseOf(
      queries,
      { worker: null, leaseMs: 60_000 },
      "bulk-load",
      ann.id,
      1,
      new Date(),
    );
    expect(taken.map(({ id }) => id)).toEqual([body.id]);
    for (const job of taken) expect(job).not.toHaveProperty("body");
    const compressed = await collect((await bodyOf(queries, body)) ?? []);
    expect(Buffer.concat(compressed).length).toBeLessThan(recording.length / 2);
    await giveBack(queries, taken);
    await s.runJobs();
    const done = await s.get(`/api/v1/jobs/${body.id}/`, ann.token);
    expect(done.body).toMatchObject({ state: "SUCCESS", details: { samples_stored: 25_000 } });
    expect(await bodyOf(queries, body)).toBeNull();
  });

  it("row 18: the bytes of a job are read in slices of at most 1 MiB, and of earlier releases as they are", async () => {
    const owned = await longOwned(ann);
    const recording = await walk(owned.serial_number, START, 25_000);
    expect(recording.length).toBeGreaterThan(2 * 1024 * 1024);
    const { queries } = s.store.database;
    const job = await enqueue(queries, new Date(), {
      kind: "bulk-load",
      payload: { device: owned.id, manager: ann.id },
      body: recording,
      accountId: ann.id,
    });
    const slices = await collect((job && (await bodyOf(queries, job))) ?? []);
    expect(Math.max(...slices.map(({ length }) => length))).toBe(1024 * 1024);
    expect(Buffer.concat(slices).equals(recording)).toBe(true);
    await s.runJobs();
    const done = await s.get(`/api/v1/jobs/${job?.id}/`, ann.token);
    expect(done.body).toMatchObject({ state: "SUCCESS", details: { samples_stored: 25_000 } });
  });

  it("row 18: of bytes that break off nothing is stored", async () => {
    const owned = await longOwned(ann);
    const { body } = await post(base64(await walk(owned.serial_number, START, 1000)), ann, owned.id);
    const { queries } = s.store.database;
    const half = sql`substring(body FROM 1 FOR octet_length(body) / 2)`;
    await queries.update(jobs).set({ body: half }).where(eq(jobs.id, body.id));
    await s.runJobs();
    expect((await s.get(`/api/v1/jobs/${body.id}/`, ann.token)).body).toMatchObject({ state: "RETRY" });
    expect(await countOf(owned, ann)).toBe(0);
  });

  it("row 18: loading a file twice adds nothing", async () => {
    const owned = await longOwned(ann);
    const recording = await walk(owned.serial_number, START, 100);
    await s.load(owned, ann, recording);
    const again = await s.load(owned, ann, recording);
    expect(again.body.details).toMatchObject({ samples_stored: 0, samples_known: 100 });
    expect(await countOf(owned, ann)).toBe(100);
  });

  it("row 18: two files of one device at once are both whole", async () => {
    const owned = await longOwned(ann);
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

  it("row 18: a real session comes back as it was recorded", async () => {
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

  it("row 18: refuses what is not base64, not a recording, or another device's, on the field", async () => {
    const foreign = await walk("OTHER-1", START, 3);
    for (const [value, code] of [
      [undefined, "invalid"],
      ["", "invalid"],
      [7, "invalid"],
      ["###", "invalid"],
      ["A", "invalid"],
      ["QUJD=", "invalid"],
      ["QUJDRA=", "invalid"],
      [base64(new TextEncoder().encode("no recording at all")), "NOT_A_RECORDING"],
      [base64(foreign), "wrong_device"],
    ] as const) {
      const { status, body, headers } = await post(value);
      expect([value, status, Object.keys(body)]).toEqual([value, 400, ["asi_b64"]]);
      expect(headers.get("x-error-code")).toBe(code);
      expect(headers.get("deprecation")).toBe("@1704067200");
    }
  });

  it("row 18: reads base64 with line breaks and without padding", async () => {
    const owned = await longOwned(ann);
    const text = base64(await walk(owned.serial_number, START, 5));
    expect((await post(text.replace(/=+$/, ""), ann, owned.id)).status).toBe(200);
    expect((await post(text.replace(/.{76}/g, "$&\r\n"), ann, owned.id)).status).toBe(200);
  });

  it("row 18: is for the current owner", async () => {
    const text = base64(await walk(device.serial_number, START, 3));
    expect((await post(text, bob)).status).toBe(403);
    expect((await post(text, ann, 999_999)).status).toBe(404);
    expect((await post(text, await s.athlete())).status).toBe(403);
    expect((await s.post(path(device.id), { asi_b64: text })).status).toBe(403);
  });

  it("row 18: refuses a recording that is too large", async () => {
    const small = await TestService.start(s.store, { bulkLoadMaxBytes: 3_000 });
    const send = (bytes: number) =>
      small.post(path(device.id), { asi_b64: base64(new Uint8Array(bytes)) }, ann.token);
    const statuses = [(await send(3_000)).status, (await send(3_001)).status, (await send(30_000)).status];
    await small.stop();
    expect(statuses).toEqual([400, 413, 413]);
  });

  it("row 18: is gone when turned off", async () => {
    const off = await TestService.start(s.store, { bulkLoadEnabled: false });
    const { status, body, headers } = await off.post(path(device.id), { asi_b64: "QUJD" }, ann.token);
    await off.stop();
    expect([status, body]).toEqual([410, { detail: "This operation is turned off." }]);
    expect(headers.get("sunset")).not.toBeNull();
  });

  it("row 18: an idempotency key makes one job of two requests", async () => {
    const owned = await longOwned(ann);
    const json = { asi_b64: base64(await walk(owned.serial_number, START, 3)) };
    const headers = { "Idempotency-Key": "one load" };
    const bad = await s.send("POST", path(owned.id), { token: ann.token, json, headers });
    expect(bad.status).toBe(400);
    headers["Idempotency-Key"] = "one-load";
    const [first, second] = await Promise.all(
      [1, 2].map(() => s.send("POST", path(owned.id), { token: ann.token, json, headers })),
    );
    expect(second?.body).toEqual(first?.body);
  });

  it("row 18: refuses samples of another manager's time and of the far future, and tells of unowned time", async () => {
    const passed = await longOwned(bob);
    await s.release(passed, bob);
    s.clock.advance(60_000);
    await s.take(passed, ann);
    const now = s.clock.now().getTime();
    const times = [
      Date.parse("2023-12-31T00:00:00Z"), // owned by no one
      START_MS, // owned by bob
      now - 30_000, // owned by no one
      now + 1_000, // owned by ann
      now + 4 * 60_000,
      now + 6 * 60_000, // too far ahead
    ];
    const job = await s.load(passed, ann, await recordingOf(passed.serial_number, times.map(rowAt)));
    expect(job.body).toMatchObject({
      state: "SUCCESS",
      details: {
        samples_read: 6,
        samples_stored: 4,
        samples_unreadable: 2,
        samples_refused: 2,
        start: iso(times[0] ?? 0),
        stop: iso(times[4] ?? 0),
        readable: [{ start: expect.any(String), stop: iso(times[4] ?? 0) }],
      },
    });
    expect(await countOf(passed, bob)).toBe(0);
    expect(await countOf(passed, ann, now, now + 86_400_000)).toBe(2);
  });

  it("row 18: what is found wrong later fails the job with the library's code", async () => {
    const owned = await longOwned(ann);
    const none = await s.load(owned, ann, await recordingOf(owned.serial_number, []));
    expect(none.body).toMatchObject({
      state: "FAILURE",
      details: { code: "NO_SAMPLES", message: expect.any(String) },
    });
    // Long enough for the request, which reads as far as the first samples, not to come to the other header.
    const good = await walk(owned.serial_number, START, 6_000);
    const other = await walk("OTHER-1", iso(START_MS + 600_000), 100);
    const mixed = await s.load(owned, ann, Buffer.concat([good, other]));
    expect(mixed.body).toMatchObject({ state: "FAILURE", details: { code: "MIXED_DEVICES" } });
    expect(await countOf(owned, ann)).toBe(0);
    const [row] = await s.store.database.queries.select().from(jobs).where(eq(jobs.id, mixed.body.id));
    expect(row?.body).toBeNull();
  });

  it("row 18: samples in more periods of five minutes than one load may write fail the job, and nothing is stored", async () => {
    const few = await TestService.start(s.store, { bulkLoadMaxChunks: 20 });
    const owned = await longOwned(ann);
    const scattered = (count: number) =>
      recordingOf(owned.serial_number, timesFrom(START, count, 300_000).map(rowAt));
    const refused = await few.load(owned, ann, await scattered(21));
    expect(refused.body).toMatchObject({
      state: "FAILURE",
      details: { code: "too_scattered", message: expect.stringContaining("20 periods of five minutes") },
    });
    expect(await countOf(owned, ann, START_MS, START_MS + 86_400_000)).toBe(0);
    // Many samples of few periods are not scattered, in whatever order they come.
    const times = timesFrom(START, 20, 300_000);
    const shuttled = [0, 100, 200, 300].flatMap((shift) => times.map((ms) => rowAt(ms + shift)));
    const loaded = await few.load(owned, ann, await recordingOf(owned.serial_number, shuttled));
    expect(loaded.body).toMatchObject({ state: "SUCCESS", details: { samples_stored: 80 } });
    await few.stop();
  });

  it("row 18: loads what a damaged recording still holds, and reports the damage", async () => {
    const owned = await longOwned(ann);
    const recording = await walk(owned.serial_number, START, 100);
    recording.fill(0, 5_000, 5_010);
    const { body } = await s.load(owned, ann, recording);
    expect(body.state).toBe("SUCCESS");
    expect(body.details.samples_stored).toBeLessThan(100);
    expect(body.details.samples_stored).toBeGreaterThan(95);
    expect(body.details.report.bytes.skipped + body.details.report.bytes.unknown).toBeGreaterThan(0);
  });

  it("row 18: the device's firmware version is that of the newest recording", async () => {
    const owned = await longOwned(ann);
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

  it("row 19: shows callers their own jobs only", async () => {
    const owned = await longOwned(ann);
    const { body } = await s.load(owned, ann, await walk(owned.serial_number, START, 3));
    for (const id of [body.id, body.job_id]) {
      const { status, headers } = await s.get(`/api/v1/jobs/${id}/`, ann.token);
      expect([status, headers.get("deprecation")]).toEqual([200, "@1704067200"]);
      expect((await s.get(`/api/v1/jobs/${id}/`, bob.token)).status).toBe(404);
      expect((await s.get(`/api/v1/jobs/${id}/`)).status).toBe(403);
    }
    for (const id of ["999999", "job-0", `job-${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}`, "0", "x"]) {
      expect((await s.get(`/api/v1/jobs/${id}/`, ann.token)).status).toBe(404);
    }
    const { headers } = await s.get(`/api/v1/jobs/${body.id}/`, ann.token);
    const same = await s.get(`/api/v1/jobs/${body.id}/`, ann.token, {
      "If-None-Match": headers.get("etag") ?? "",
    });
    expect(same.status).toBe(304);
  });

  it("row 19: a job whose workers are lost three times waits again each time, then fails", async () => {
    const owned = await longOwned(ann);
    const { body } = await post(base64(await walk(owned.serial_number, START, 3)), ann, owned.id);
    const { queries } = s.store.database;
    // The end of a lease goes by the database's clock.
    const lose = () =>
      queries
        .update(jobs)
        .set({
          state: "STARTED",
          leaseToken: "lost",
          leaseUntil: sql`clock_timestamp()`,
        })
        .where(eq(jobs.id, body.id));
    await queries.update(jobs).set({ losses: 3 }).where(eq(jobs.id, body.id));
    await lose();
    s.clock.advance(s.config.jobLeaseMs + 1);
    await s.runJobs();
    expect((await s.get(`/api/v1/jobs/${body.id}/`, ann.token)).body).toMatchObject({
      state: "FAILURE",
      details: { code: "worker_lost" },
    });
    expect(await countOf(owned, ann)).toBe(0);
  });

  it("row 19: a worker lost between its commit and its word leaves the counts of the one load", async () => {
    const owned = await longOwned(ann);
    const job = await s.load(owned, ann, await walk(owned.serial_number, START, 30));
    const { queries } = s.store.database;
    const recording = Buffer.from(await walk(owned.serial_number, START, 30));
    // The state in which the commit of the samples leaves the row.
    await queries
      .update(jobs)
      .set({
        state: "STARTED",
        leaseToken: "lost",
        leaseUntil: sql`clock_timestamp()`,
        details: {},
        body: recording,
        payload: { device: owned.id, manager: ann.id, details: job.body.details },
      })
      .where(eq(jobs.id, job.body.id));
    s.clock.advance(1);
    await s.runJobs();
    expect((await s.get(`/api/v1/jobs/${job.body.id}/`, ann.token)).body).toEqual(job.body);
    expect(job.body.details.samples_stored).toBe(30);
  });

  it("row 18: stores each sample once, the first of a file wins", async () => {
    const owned = await longOwned(ann);
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
