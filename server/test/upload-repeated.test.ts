/** Tests repeated uploads of the same recording to `POST /api/v2/recordings/`. */
import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { revokeJob } from "../src/domain/jobs/operate.js";
import { deleteSamples } from "../src/domain/raw-data/delete.js";
import { applySampleRetention } from "../src/jobs/sample-retention.js";
import { jobs } from "../src/store/schema.js";
import { walk } from "./recordings.js";
import type { TestService } from "./service.js";
import { START, withUploads } from "./upload-scene.js";

const it = withUploads();

const START_MS = Date.parse(START);
const DAY_MS = 86_400_000;

const payloadOf = async (s: TestService, id: number) =>
  (await s.store.database.queries.select({ payload: jobs.payload }).from(jobs).where(eq(jobs.id, id)))[0]
    ?.payload;

describe("the same recording", () => {
  it("counts as a single load while its job waits or runs, and after it has succeeded", async ({
    uploads: { s, raw, longOwned, recordingOf, count },
  }) => {
    await s.runJobs();
    const recording = await recordingOf(await longOwned());
    const first = (await raw(recording)).body.recordings[0];
    expect(first.repeated).toBe(false);
    const again = async () => (await raw(recording)).body.recordings[0];
    expect(await again()).toEqual({ ...first, repeated: true });
    expect(await count("job_bodies")).toBe(1);
    const { queries } = s.store.database;
    for (const state of ["STARTED", "RETRY"] as const) {
      await queries.update(jobs).set({ state }).where(eq(jobs.id, first.job.id));
      expect(await again()).toEqual({ ...first, job: { ...first.job, state }, repeated: true });
    }
    await s.runJobs();
    const done = await again();
    expect(done).toMatchObject({ repeated: true, job: { id: first.job.id, state: "SUCCESS" } });
    expect(await count("job_bodies")).toBe(0);
    expect(Object.keys((await payloadOf(s, first.job.id)) ?? {}).sort()).toEqual([
      "device",
      "from",
      "sha256",
      "to",
    ]);
  });

  it("counts as a single load if it is sent several times concurrently, in one form or in several", async ({
    uploads: { s, raw, form, longOwned, recordingOf, count },
  }) => {
    await s.runJobs();
    const recording = await recordingOf(await longOwned());
    const file = ["a.asi", recording] as const;
    const answers = await Promise.all([raw(recording), form([file, file]), raw(recording)]);
    const all = answers.flatMap(({ body }) => body.recordings);
    expect(new Set(all.map(({ job }) => job.job_id)).size).toBe(1);
    expect(all.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(await count("job_bodies")).toBe(1);
  });

  it("counts as a new load for different bytes, for another owner, or when the job has expired", async ({
    uploads: { s, ann, bob, raw, longOwned, recordingOf },
  }) => {
    const device = await longOwned();
    const recording = await recordingOf(device);
    const first = (await raw(recording)).body.recordings[0];
    const other = (await raw(await recordingOf(device, 11))).body.recordings[0];
    expect([other.repeated, other.job.id === first.job.id]).toEqual([false, false]);
    await s.runJobs();
    await s.release(device, ann);
    await s.take(device, bob);
    const ofBob = (await raw(recording, bob)).body.recordings[0];
    expect([ofBob.repeated, ofBob.job.id === first.job.id]).toEqual([false, false]);
    await s.runJobs();
    await s.release(device, bob);
    await s.take(device, ann);
    expect((await raw(recording)).body.recordings[0]).toMatchObject({
      repeated: true,
      job: { id: first.job.id },
    });
    await s.store.database.queries.delete(jobs).where(eq(jobs.id, first.job.id));
    expect((await raw(recording)).body.recordings[0].repeated).toBe(false);
  });

  it("is loaded again after its job failed or was revoked", async ({
    uploads: { s, raw, longOwned, jobOf },
  }) => {
    const device = await longOwned();
    const empty = await walk(device.serial_number, START, 0);
    const { job } = (await raw(empty)).body.recordings[0];
    await s.runJobs();
    expect(await jobOf(job)).toMatchObject({ state: "FAILURE", details: { code: "NO_SAMPLES" } });
    const second = (await raw(empty)).body.recordings[0];
    expect(second.repeated).toBe(false);
    await revokeJob(s.ctx, second.job.job_id);
    expect((await raw(empty)).body.recordings[0].repeated).toBe(false);
    await s.runJobs();
  });

  it("is loaded again after some of its samples were deleted, but not after others", async ({
    uploads: { s, raw, longOwned, recordingOf, jobOf },
  }) => {
    const device = await longOwned();
    const recording = await recordingOf(device);
    const { job } = (await raw(recording)).body.recordings[0];
    await raw(await walk(device.serial_number, "2024-03-01T20:00:00.000Z", 10));
    await s.runJobs();
    const deleted = (fromMs: number, toMs: number) =>
      deleteSamples(s.ctx, device.serial_number, new Date(fromMs), new Date(toMs));
    expect((await deleted(START_MS + DAY_MS / 4, START_MS + DAY_MS)).deleted).toBe(10);
    expect((await raw(recording)).body.recordings[0]).toMatchObject({ repeated: true, job: { id: job.id } });
    expect((await deleted(START_MS + 700, START_MS + 1000)).deleted).toBe(3);
    const again = (await raw(recording)).body.recordings[0];
    expect(again.repeated).toBe(false);
    await s.runJobs();
    expect((await jobOf(again.job)).details).toMatchObject({ samples_stored: 3, samples_known: 7 });
    expect((await raw(recording)).body.recordings[0]).toMatchObject({
      repeated: true,
      job: { id: again.job.id },
    });
  });

  it("is loaded again after retention has removed its samples", async ({
    uploads: { s, raw, longOwned, recordingOf },
  }) => {
    const recording = await recordingOf(await longOwned());
    await raw(recording);
    await s.runJobs();
    const laterMs = s.clock.now().getTime() + (s.config.rawRetentionDays + 1) * DAY_MS;
    await applySampleRetention(
      { ...s.ctx, clock: { now: () => new Date(laterMs) } },
      undefined,
      () => undefined,
    );
    expect((await raw(recording)).body.recordings[0].repeated).toBe(false);
    await s.runJobs();
  });

  it("is loaded again after a release has removed its samples", async ({ uploads: { s, ann, raw } }) => {
    const device = await s.ownedDevice(ann);
    // The clock of the device is ahead, so the samples are later than the release.
    const ahead = new Date(s.clock.now().getTime() + 60_000).toISOString();
    const recording = await walk(device.serial_number, ahead, 10);
    const { job } = (await raw(recording)).body.recordings[0];
    await s.runJobs();
    expect((await raw(recording)).body.recordings[0]).toMatchObject({ repeated: true, job: { id: job.id } });
    await s.release(device, ann);
    await s.take(device, ann);
    expect((await raw(recording)).body.recordings[0].repeated).toBe(false);
    await s.runJobs();
  });

  it("is loaded again if samples were refused, because they may be accepted now", async ({
    uploads: { s, ann, raw, recordingOf, jobOf },
  }) => {
    const device = await s.ownedDevice(ann);
    const recording = await recordingOf(device);
    const first = (await raw(recording)).body.recordings[0];
    await s.runJobs();
    expect((await jobOf(first.job)).details).toMatchObject({ samples_refused: 10, samples_stored: 0 });
    await s.backdate(device, "2024-01-01T00:00:00Z");
    const again = (await raw(recording)).body.recordings[0];
    expect(again.repeated).toBe(false);
    // The payload of the job is removed, so any number of such uploads leaves nothing to search.
    expect(await payloadOf(s, first.job.id)).toEqual({});
    await s.runJobs();
    expect((await jobOf(again.job)).details).toMatchObject({ samples_refused: 0, samples_stored: 10 });
  });
});
