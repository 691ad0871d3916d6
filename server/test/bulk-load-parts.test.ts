/** Tests loads that are stored in several transactions. */
import { and, eq, gte, lt } from "drizzle-orm";
import { describe, expect } from "vitest";
import type { BulkLoadPayload } from "../src/domain/bulk-load/accept.js";
import { loadRecording } from "../src/domain/bulk-load/load.js";
import type { Context } from "../src/domain/change/context.js";
import { deleteSamples } from "../src/domain/raw-data/delete.js";
import { type Queries, queriesOf } from "../src/store/connection/database.js";
import { jobColumns } from "../src/store/queue/job-queue.js";
import { changes, jobs } from "../src/store/schema.js";
import { iso, START, START_MS, withBulkLoads } from "./bulk-load-scene.js";
import { ENDED } from "./ended-lease.js";
import { recordingOf, rowAt, timesFrom } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";
import { OCTETS, PATH } from "./upload-scene.js";

const it = withBulkLoads();

const MINUTES_5 = 300_000;
const DAY_MS = 86_400_000;

/** A recording with a sample in each of some periods of five minutes. A part has at most 64. */
const scattered = ({ serial_number }: TestDevice, count: number, first = 0) =>
  recordingOf(serial_number, timesFrom(iso(START_MS + first * MINUTES_5), count, MINUTES_5).map(rowAt));

/** Uploads a recording. */
async function upload(s: TestService, { token }: TestAccount, recording: Uint8Array) {
  const body = new Blob([recording as Uint8Array<ArrayBuffer>]);
  const answer = await s.send("POST", PATH, { token, body, headers: { "Content-Type": OCTETS } });
  const [{ repeated, job }] = answer.body.recordings;
  return { id: job.id as number, repeated: repeated as boolean };
}

/** Runs the job, and calls `between` before each transaction, with its number from 0. @returns the number of transactions */
async function run(s: TestService, id: number, between: (place: number) => Promise<void> | void) {
  const { queries } = s.store.database;
  const held = { state: "STARTED" as const, leaseToken: "held", leaseUntil: new Date(Date.now() + DAY_MS) };
  await queries.update(jobs).set(held).where(eq(jobs.id, id));
  const [row] = await queries
    .select({ ...jobColumns, leaseToken: jobs.leaseToken })
    .from(jobs)
    .where(eq(jobs.id, id));
  let transactions = 0;
  const watched: Queries = queriesOf(s.store.database.pool);
  const transaction = watched.transaction.bind(watched);
  watched.transaction = async (work, config) => {
    await between(transactions++);
    return transaction(work, config);
  };
  const ctx: Context = { ...s.ctx, queries: watched };
  await loadRecording(ctx, { id, leaseToken: "held" }, row?.payload as unknown as BulkLoadPayload);
  return transactions;
}

/** Returns the job to the queue, as after the loss of its worker, and runs it to its end. */
async function finish(s: TestService, id: number, by: TestAccount) {
  const lost = { state: "STARTED" as const, leaseToken: "lost", leaseUntil: ENDED };
  await s.store.database.queries.update(jobs).set(lost).where(eq(jobs.id, id));
  await s.runJobs();
  return (await s.get(`/api/v1/jobs/${id}/`, by.token)).body;
}

describe("a recording that changes many chunks", () => {
  it("is stored in several transactions, and what is stored can be read and is announced in between", async ({
    bulkLoads: { s, ann, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const { id } = await upload(s, ann, await scattered(owned, 130));
    const counts: number[] = [];
    const days: number[] = [];
    const transactions = await run(s, id, async () => {
      counts.push(await countOf(owned, ann, START_MS, START_MS + DAY_MS));
      const isOfDevice = and(eq(changes.kind, "samples"), eq(changes.objectId, owned.id));
      days.push(await s.store.database.queries.$count(changes, isOfDevice));
    });
    expect([transactions, counts]).toEqual([3, [0, 64, 128]]);
    // The recording begins at 10:00 and lasts almost 11 hours.
    expect(days).toEqual([0, 1, 1]);
    const { details } = await finish(s, id, ann);
    expect(details).toMatchObject({
      samples_read: 130,
      samples_stored: 130,
      samples_known: 0,
      start: START,
      stop: iso(START_MS + 129 * MINUTES_5),
      ranges: [{ size: 130 }],
      readable: [{ start: START, stop: iso(START_MS + 129 * MINUTES_5) }],
    });
  });

  it("is complete and counted once if its worker is lost between two parts", async ({
    bulkLoads: { s, ann, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const { id } = await upload(s, ann, await scattered(owned, 130));
    const lost = new Error("lost");
    await expect(
      run(s, id, (place) => {
        if (place === 2) throw lost;
      }),
    ).rejects.toBe(lost);
    expect(await countOf(owned, ann, START_MS, START_MS + DAY_MS)).toBe(128);
    const { state, details } = await finish(s, id, ann);
    expect([state, details.samples_stored, details.samples_known]).toEqual(["SUCCESS", 130, 0]);
    expect(await countOf(owned, ann, START_MS, START_MS + DAY_MS)).toBe(130);
    expect((await upload(s, ann, await scattered(owned, 130))).repeated).toBe(true);
  });

  it("can be uploaded again if samples of its first part are deleted before the last one is stored", async ({
    bulkLoads: { s, ann, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const recording = await scattered(owned, 70);
    const { id } = await upload(s, ann, recording);
    await run(s, id, async (place) => {
      if (place === 1)
        await deleteSamples(s.ctx, owned.serial_number, new Date(START_MS), new Date(START_MS + MINUTES_5));
    });
    await finish(s, id, ann);
    expect(await countOf(owned, ann, START_MS, START_MS + DAY_MS)).toBe(69);
    const again = await upload(s, ann, recording);
    expect(again.repeated).toBe(false);
    const { details } = await finish(s, again.id, ann);
    expect([details.samples_stored, details.samples_known]).toEqual([1, 69]);
  });

  it("is refused from the time at which its owner releases the device between two parts", async ({
    bulkLoads: { s, ann },
  }) => {
    const owned = await s.longOwned(ann);
    const first = Math.ceil((s.clock.now().getTime() - START_MS) / MINUTES_5) - 70;
    const { id } = await upload(s, ann, await scattered(owned, 70, first));
    await run(s, id, async (place) => {
      if (place === 1) {
        s.clock.advance(-4 * MINUTES_5);
        await s.release(owned, ann);
        s.clock.advance(4 * MINUTES_5);
      }
    });
    const { details } = await finish(s, id, ann);
    expect(details).toMatchObject({ samples_read: 70, samples_unowned: details.samples_refused });
    expect(details.samples_stored + details.samples_refused).toBe(70);
    expect(details.samples_refused).toBeGreaterThan(1);
  });

  it("stores nothing if its last part has too many samples in five minutes", async ({
    bulkLoads: { s, ann, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const dense = timesFrom(iso(START_MS + 70 * MINUTES_5), 30_001, 9);
    const rows = [...timesFrom(START, 70, MINUTES_5), ...dense].map(rowAt);
    const job = await s.load(owned, ann, await recordingOf(owned.serial_number, rows));
    expect(job.body).toMatchObject({ state: "FAILURE", details: { code: "too_dense" } });
    expect(await countOf(owned, ann, START_MS, START_MS + DAY_MS)).toBe(0);
    // Loading the same samples again is not refused.
    const full = await recordingOf(owned.serial_number, rows.slice(0, -1));
    expect((await s.load(owned, ann, full)).body.details).toMatchObject({ samples_stored: 30_070 });
    expect((await s.load(owned, ann, full)).body.details).toMatchObject({ samples_known: 30_070 });
  });

  it("stores nothing if it would exceed the quota, but is accepted if its samples are already stored", async ({
    bulkLoads: { s },
  }) => {
    const limited = await TestService.start(s.store, { quotaSamples: 5_000 });
    const ben = await limited.manager();
    const owned = await limited.longOwned(ben);
    const exceeds = await limited.load(owned, ben, await scattered(owned, 101));
    expect(exceeds.body).toMatchObject({ state: "FAILURE", details: { code: "quota_exceeded" } });
    const fits = await scattered(owned, 100);
    for (const expected of [{ samples_stored: 100 }, { samples_known: 100 }])
      expect((await limited.load(owned, ben, fits)).body).toMatchObject({
        state: "SUCCESS",
        details: expected,
      });
    const { queries } = s.store.database;
    const isFirst = and(gte(changes.fromMs, START_MS), lt(changes.fromMs, START_MS + DAY_MS));
    expect(await queries.$count(changes, and(eq(changes.accountId, ben.id), isFirst))).toBe(1);
    await limited.stop();
  });
});
