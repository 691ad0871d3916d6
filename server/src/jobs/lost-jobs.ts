import type { Context } from "../domain/change/context.js";
import { jobsLost, unleased, whileLeaseHeld } from "../store/queue/job-lease.js";
import type { Job, JobKind } from "../store/queue/job-queue.js";
import { jobs } from "../store/schema.js";
import { handlers } from "./handlers.js";
import type { JobMetrics } from "./metrics.js";
import { finished } from "./outcome.js";

/** A job that loses its worker more often than this fails. */
const MAX_LOSSES = 3;

/**
 * Returns the jobs whose leases have ended to the queue, or fails them.
 * @param underWay the jobs that this process works on: they are not lost, though a database that did not answer for longer than a
 *   lease could not renew theirs
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
              { code: "worker_lost", message: "The workers stopped over this job." },
              clock.now(),
            )
          : ({ state: "PENDING", dueAt: clock.now(), ...unleased } as const)),
      })
      .where(whileLeaseHeld(job))
      .returning({ id: jobs.id });
    if (returned.length > 0) metrics.ran(job.kind, "lost");
  }
}
