import type { Context } from "../domain/change/context.js";
import { jobsLost, unleased, whileLeaseHeld } from "../store/queue/job-lease.js";
import type { Job, JobKind } from "../store/queue/job-queue.js";
import { jobs } from "../store/schema.js";
import { handlers } from "./handlers.js";
import type { JobMetrics } from "./metrics.js";
import { finished } from "./outcome.js";

/** Maximum number of lost workers before a job fails. */
const MAX_LOSSES = 3;

/**
 * Returns jobs with expired leases to the queue, or fails them.
 * @param underWay running jobs of this process. They are not lost, even if their leases have expired because the database was
 *   unavailable
 */
export async function returnLostJobs(
  { queries, clock }: Context,
  metrics: JobMetrics,
  underWay: readonly Pick<Job, "leaseToken">[],
): Promise<void> {
  const own = new Set(underWay.map(({ leaseToken }) => leaseToken));
  for (const job of await jobsLost(queries)) {
    if (own.has(job.leaseToken)) continue;
    const losses = job.losses + 1;
    const failed = losses > (handlers[job.kind as JobKind]?.maxLosses ?? MAX_LOSSES);
    const returned = await queries
      .update(jobs)
      .set({
        losses,
        ...(failed
          ? finished(
              "FAILURE",
              { code: "worker_lost", message: "The workers stopped during this job." },
              clock.now(),
            )
          : ({ state: "PENDING", dueAt: clock.now(), ...unleased } as const)),
      })
      .where(whileLeaseHeld(job))
      .returning({ id: jobs.id });
    if (returned.length > 0) metrics.ran(job.kind, "lost");
  }
}
