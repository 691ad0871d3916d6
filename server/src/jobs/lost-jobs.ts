import type { Context } from "../domain/change/context.js";
import { jobsLost, unleased, whileLeaseHeld } from "../store/queue/job-lease.js";
import type { JobKind } from "../store/queue/job-queue.js";
import { silentWorkers, WORKER_GRACE_MS } from "../store/queue/worker-session.js";
import { jobs } from "../store/schema.js";
import { handlers } from "./handlers.js";
import type { JobMetrics } from "./metrics.js";
import { finished } from "./outcome.js";

/** A job that loses its worker more often than this fails. */
const MAX_LOSSES = 3;

/** Returns the jobs of lost workers to the queue, or fails them. A worker is lost when its lease or its session has ended. */
export class LostJobs {
  readonly #metrics: JobMetrics;
  /** When a worker was first seen without a session. */
  readonly #silentSince = new Map<number, number>();

  constructor(metrics: JobMetrics) {
    this.#metrics = metrics;
  }

  /** @param worker number of this worker; null where workers have none */
  async returnToQueue({ queries, clock }: Context, worker: number | null): Promise<void> {
    const gone =
      worker === null ? [] : this.#goneOf((await silentWorkers(queries)).filter((n) => n !== worker));
    for (const job of await jobsLost(queries, gone)) {
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
      if (returned.length > 0) this.#metrics.ran(job.kind, "lost");
    }
  }

  /** The workers that have been silent for longer than a live worker needs to open a new session. */
  #goneOf(silent: readonly number[]): number[] {
    const now = performance.now();
    for (const known of this.#silentSince.keys())
      if (!silent.includes(known)) this.#silentSince.delete(known);
    for (const worker of silent) if (!this.#silentSince.has(worker)) this.#silentSince.set(worker, now);
    return silent.filter((worker) => now - (this.#silentSince.get(worker) ?? now) >= WORKER_GRACE_MS);
  }
}
