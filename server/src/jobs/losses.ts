import type { Context } from "../domain/context.js";
import { jobsLost, unleased, whileOurs } from "../store/lease.js";
import type { JobKind } from "../store/queue.js";
import { jobs } from "../store/schema.js";
import { silentWorkers, WORKER_GRACE_MS } from "../store/worker-session.js";
import { handlers } from "./handlers.js";
import type { JobMetrics } from "./metrics.js";
import { finished } from "./outcome.js";

/** A job whose workers died so often fails. */
const MAX_LOSSES = 3;

/** Gives back the jobs of workers that are no more, or fails them: those whose lease or whose worker's session has ended. */
export class Losses {
  readonly #metrics: JobMetrics;
  /** When a worker was first seen without a session. */
  readonly #silentSince = new Map<number, number>();

  constructor(metrics: JobMetrics) {
    this.#metrics = metrics;
  }

  /** @param worker the own number; without one, other workers show none either */
  async giveBack({ queries, clock }: Context, worker: number | null): Promise<void> {
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
        .where(whileOurs(job))
        .returning({ id: jobs.id });
      if (returned.length > 0) this.#metrics.ran(job.kind, "lost");
    }
  }

  /** Those that have been silent for longer than a living one needs to open another session. */
  #goneOf(silent: readonly number[]): number[] {
    const now = performance.now();
    for (const known of this.#silentSince.keys())
      if (!silent.includes(known)) this.#silentSince.delete(known);
    for (const worker of silent) if (!this.#silentSince.has(worker)) this.#silentSince.set(worker, now);
    return silent.filter((worker) => now - (this.#silentSince.get(worker) ?? now) >= WORKER_GRACE_MS);
  }
}
