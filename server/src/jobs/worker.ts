import type { FastifyBaseLogger } from "fastify";
import { onBehalfOf } from "../callers.js";
import type { Context } from "../domain/context.js";
import { giveBack, kindsDue, type Taker } from "../store/lease.js";
import type { Job } from "../store/queue.js";
import { handlers } from "./handlers.js";
import { Lane, type LaneSettings } from "./lane.js";
import { Losses } from "./losses.js";
import type { JobMetrics } from "./metrics.js";
import { runJob } from "./outcome.js";

export interface Worker {
  /** Looks for work at once: jobs were added. */
  wake(): void;
  /** Runs every job that is due, and those that they add, and returns when none is left. */
  drain(): Promise<void>;
  /**
   * Takes no more jobs and waits for those under way. Unfinished jobs return to the queue, for another worker
   * to begin at once.
   */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Runs jobs. A job is leased by changing its row, so any number of workers share the table without a queue server. The
 * service's own clock decides what is due, the database's how long a lease lasts.
 * @param contextOf a context for the work of a job
 * @param number of the worker, when its session shows that it lives; see `openWorkerSession`
 */
export function startWorker(
  contextOf: (job: Job) => Context,
  log: FastifyBaseLogger,
  metrics: JobMetrics,
  { pollMs, lanes: settings }: { pollMs: number | null; lanes: readonly LaneSettings[] },
  number: () => number | null = () => null,
): Worker {
  const ctx = contextOf({ jobId: "worker" } as Job);
  const lanes = settings.filter(({ kind }) => handlers[kind] !== undefined).map((lane) => new Lane(lane));
  const losses = new Losses(metrics);
  const underWay = new Map<Promise<void>, Job>();
  let stopping = false;
  let looking: Promise<void> | undefined;
  let again = false;

  async function look(): Promise<void> {
    do {
      again = false;
      const taker: Taker = { worker: number(), leaseMs: ctx.config.jobLeaseMs };
      await losses.giveBack(ctx, taker.worker);
      const due = await kindsDue(
        ctx.queries,
        lanes.map(({ kind }) => kind),
        ctx.clock.now(),
      );
      for (const lane of lanes) {
        if (!stopping && due.has(lane.kind)) await lane.fill(ctx, taker, (job) => start(lane, job));
      }
    } while (again && !stopping);
  }

  function start(lane: Lane, job: Job): void {
    const work = runJob(contextOf(job), job, log, metrics)
      // The database did not take the outcome; the lease ends and the job is done again.
      .catch((error: unknown) => log.error({ err: error, job: job.jobId }, "outcome of a job not stored"))
      .finally(() => {
        underWay.delete(work);
        lane.done(job);
        wake();
      });
    underWay.set(work, job);
  }

  function wake(): void {
    if (stopping) return;
    again = true;
    // A request that added jobs may call this; the search must not use its turns.
    looking ??= onBehalfOf(null, look)
      .catch((error: unknown) => log.error({ err: error }, "looking for jobs failed"))
      .finally(() => {
        looking = undefined;
        if (again) wake();
      });
  }

  const timer = pollMs === null ? undefined : setInterval(wake, pollMs);
  timer?.unref();
  return {
    wake,
    async drain() {
      wake();
      while (looking !== undefined || underWay.size > 0) await Promise.all([looking, ...underWay.keys()]);
    },
    async stop(timeoutMs) {
      stopping = true;
      clearInterval(timer);
      let late: NodeJS.Timeout | undefined;
      await Promise.race([
        Promise.resolve(looking).then(() => Promise.all(underWay.keys())),
        new Promise<void>((resolve) => {
          late = setTimeout(resolve, timeoutMs);
        }),
      ]);
      clearTimeout(late);
      await giveBack(ctx.queries, [...underWay.values()]).catch((error: unknown) =>
        log.warn({ err: error }, "jobs not given back"),
      );
    },
  };
}
