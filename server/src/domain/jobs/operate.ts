import { and, eq, ne } from "drizzle-orm";
import { unleased } from "../../store/queue/job-lease.js";
import { type Job, type JobKind, jobColumns } from "../../store/queue/job-queue.js";
import { jobs } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Messages about failed jobs that cannot be retried, because their payload was erased. */
const ERASED: Readonly<Record<JobKind, string>> = {
  mail: "The email was erased when the job failed. For a new link, run account reset-password.",
  "bulk-load": "The recording was erased when the job failed. Its owner can load it again.",
  compute: "Its data is computed when it is next read.",
  recompute:
    "The next start of the service adds the job again. Until then, stale data is computed when it is read.",
  derive: "A change to the session, its squad or an assignment derives its time frames again.",
  "session-figures":
    "The figures are computed when the table of the session, or the data of its time frames, is read.",
  "record-figures": "Copies of the changed objects must be read again.",
  "stream-effects": "The next samples of the stream, or its end, add the job again.",
  removal: "The copies of the affected devices must be read again.",
  webhook: "The delivery has ended. The owner of the webhook can send it again.",
  "webhook-fan-out": "The event was erased when the job failed.",
};

async function lockJob({ queries }: UnitOfWork, jobId: string): Promise<Job> {
  const [job] = await queries.select(jobColumns).from(jobs).where(eq(jobs.jobId, jobId)).for("update");
  if (job === undefined) throw errors.notFound(`There is no job ${jobId}.`);
  return job;
}

/**
 * Runs a job that waits for its next attempt, or repeats a failed computation.
 * @throws ServiceError `not_found`, `job_not_retriable`, `job_waits`
 */
export async function retryJob(ctx: Context, jobId: string): Promise<Job> {
  return transact(ctx, "job retry", async (unit) => {
    const { queries, now } = unit;
    const job = await lockJob(unit, jobId);
    const after = async (values: Partial<typeof jobs.$inferInsert>) => {
      const [changed] = await queries
        .update(jobs)
        .set(values)
        .where(eq(jobs.id, job.id))
        .returning(jobColumns);
      if (changed === undefined) throw new Error("The job was not changed");
      await unit.audit("job", job.id, audited(job), audited(changed));
      unit.wakeWorkers();
      return changed;
    };
    if (job.state === "PENDING" || job.state === "RETRY") return after({ dueAt: now });
    if (job.state !== "FAILURE") {
      const why = job.state === "STARTED" ? "is running" : "has ended";
      throw errors.conflict("job_not_retriable", `The job ${why}: ${job.state}.`);
    }
    const { timeframe } = job.details;
    if (job.kind !== "compute" || typeof timeframe !== "number") {
      throw errors.conflict("job_not_retriable", ERASED[job.kind as JobKind] ?? "Its payload was erased.");
    }
    const same = and(
      eq(jobs.kind, job.kind),
      eq(jobs.uniqueKey, String(timeframe)),
      eq(jobs.state, "PENDING"),
      ne(jobs.id, job.id),
    );
    if ((await queries.$count(jobs, same)) > 0) {
      throw errors.conflict("job_waits", "Another job for the same time frame is already waiting.");
    }
    return after({
      state: "PENDING",
      payload: { timeframe },
      uniqueKey: String(timeframe),
      details: {},
      failures: 0,
      losses: 0,
      dueAt: now,
      finishedAt: null,
    });
  });
}

/**
 * Revokes a job that waits or runs. The result of a running job is not recorded; the load of a recording is rolled back.
 * @throws ServiceError `not_found`, `job_ended`
 */
export async function revokeJob(ctx: Context, jobId: string): Promise<{ before: Job; after: Job }> {
  return transact(ctx, "job revoke", async (unit) => {
    const before = await lockJob(unit, jobId);
    if (before.finishedAt !== null) {
      throw errors.conflict("job_ended", `The job has ended: ${before.state}.`);
    }
    const details = { code: "revoked", message: "The operator of the service has revoked the job." };
    const [after] = await unit.queries
      .update(jobs)
      .set({ state: "REVOKED", details, payload: {}, body: null, finishedAt: unit.now, ...unleased })
      .where(eq(jobs.id, before.id))
      .returning(jobColumns);
    if (after === undefined) throw new Error("The job was not changed");
    await unit.audit("job", before.id, audited(before), audited(after));
    await unit.announce("jobRevoked", { jobId: before.id });
    return { before, after };
  });
}

/** Omits the payload, which contains secrets. */
const audited = ({ kind, state, dueAt, failures }: Job) => ({ kind, state, dueAt, failures });
