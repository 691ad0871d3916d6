import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { writeBody } from "../src/store/queue/job-body.js";
import { jobs } from "../src/store/schema.js";
import { base64, START, withBulkLoads } from "./bulk-load-scene.js";
import { ENDED } from "./ended-lease.js";
import { walk } from "./recordings.js";

const it = withBulkLoads();

describe("bulk load jobs", () => {
  it("are visible only to the users who requested them", async ({ bulkLoads: { s, ann, bob } }) => {
    const owned = await s.longOwned(ann);
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

  it("are retried when a worker is lost, and fail after the third loss", async ({
    bulkLoads: { s, ann, post, countOf },
  }) => {
    const owned = await s.longOwned(ann);
    const { body } = await post(base64(await walk(owned.serial_number, START, 3)), ann, owned.id);
    const { queries } = s.store.database;
    // Leases expire by the clock of the database.
    const lose = () =>
      queries
        .update(jobs)
        .set({
          state: "STARTED",
          leaseToken: "lost",
          leaseUntil: ENDED,
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

  it("report the counts of a single load if a worker is lost between the commit of the samples and the end of the job", async ({
    bulkLoads: { s, ann },
  }) => {
    const owned = await s.longOwned(ann);
    const job = await s.load(owned, ann, await walk(owned.serial_number, START, 30));
    const { queries } = s.store.database;
    const body = await writeBody(queries, s.clock.now(), [await walk(owned.serial_number, START, 30)]);
    // Set the row as it is after the commit of the samples.
    await queries
      .update(jobs)
      .set({
        state: "STARTED",
        leaseToken: "lost",
        leaseUntil: ENDED,
        details: {},
        body: body.key,
        bodyBytes: body.bytes,
        payload: { device: owned.id, manager: ann.id, details: job.body.details },
      })
      .where(eq(jobs.id, job.body.id));
    s.clock.advance(1);
    await s.runJobs();
    expect((await s.get(`/api/v1/jobs/${job.body.id}/`, ann.token)).body).toEqual(job.body);
    expect(job.body.details.samples_stored).toBe(30);
  });
});
