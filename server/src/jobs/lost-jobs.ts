import type { Context } from "../domain/change/context.js";
import { jobsLost, unleased, whileLeaseHeld } from "../store/queue/job-lease.js";
import type { Job, JobKind } from "../store/queue/job-queue.js";
import { jobs } from "../store/schema.js";
import { endJob, finished } from "./end-job.js";
import { handlers } from "./handlers.js";
import type { JobMetrics } from "./metrics.js";

/** Maximum number of lost workers before a job fails. */
const MAX_LOSSES = 3;

const LOST = { code: "worker_lost", message: "The workers stopped during this job." };

/**
 * Returns jobs with expired leases to the queue, or fails them.
 * @param underWay running jobs of this process. They are not lost, even if their leases have expired because the database was
 *   unavailable
 */
export async function returnLostJobs(
  ctx: Context,
  metrics: JobMetrics,
  underWay: readonly Pick<Job, "leaseToken">[],
): Promise<void> {
  const { queries, clock } = ctx;
  const own = new Set(underWay.map(({ leaseToken }) => leaseToken));
  for (const job of await jobsLost(queries)) {
    if (own.has(job.leaseToken)) continue;
    const losses = job.losses + 1;
    const failed = losses > (handlers[job.kind as JobKind]?.maxLosses ?? MAX_LOSSES);
    const isReturned = failed
      ? await endJob(ctx, job, { ...finished("FAILURE", LOST, clock.now()), losses })
      : await giveBack(ctx, job, losses);
    if (isReturned) metrics.ran(job.kind, "lost");
  }
}

async function giveBack(
  { queries, clock }: Context,
  job: Pick<Job, "id" | "leaseToken">,
  losses: number,
): Promise<boolean> {
  const returned = await queries
    .update(jobs)
    .set({ losses, state: "PENDING", dueAt: clock.now(), ...unleased })
    .where(whileLeaseHeld(job))
    .returning({ id: jobs.id });
  return returned.length > 0;
}
