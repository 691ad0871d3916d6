import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../domain/change/context.js";
import { onBehalfOf } from "../fairness/callers.js";
import type { Trace } from "../observability/trace-context.js";
import { inJobSpan, outsideOfSpans } from "../observability/tracing.js";
import { kindsDue, returnToQueue } from "../store/queue/job-lease.js";
import type { Job } from "../store/queue/job-queue.js";
import { handlers } from "./handlers.js";
import { Lane, type LaneSettings } from "./lane.js";
import { returnLostJobs } from "./lost-jobs.js";
import type { JobMetrics } from "./metrics.js";
import { runJob } from "./outcome.js";

export interface Worker {
  /** Polls immediately. Call it after adding jobs. */
  wake(): void;
  /** Runs all due jobs and the jobs that they add. Resolves when no job is due. */
  drain(): Promise<void>;
  /**
   * Stops leasing jobs and waits for running ones. Returns unfinished jobs to the queue, where another worker can lease
   * them immediately.
   */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Runs jobs. A job is leased by changing its row, so any number of workers share the table without a queue server. The clock of
 * the service determines which jobs are due, and the clock of the database when a lease ends.
 * @param contextOf creates the context of a job in its trace
 */
export function startWorker(
  contextOf: (job: Job, trace?: Trace) => Context,
  log: FastifyBaseLogger,
  metrics: JobMetrics,
  { pollMs, lanes: settings }: { pollMs: number | null; lanes: readonly LaneSettings[] },
): Worker {
  const ctx = contextOf({ jobId: "worker" } as Job);
  const lanes = settings.filter(({ kind }) => handlers[kind] !== undefined).map((lane) => new Lane(lane));
  const underWay = new Map<Promise<void>, Job>();
  let stopping = false;
  let taking: Promise<void> | undefined;
  let wanted = false;

  async function takeDueJobs(): Promise<void> {
    do {
      wanted = false;
      await returnLostJobs(ctx, metrics, [...underWay.values()]);
      const due = await kindsDue(
        ctx.queries,
        lanes.map(({ kind }) => kind),
        ctx.clock.now(),
      );
      for (const lane of lanes) {
        if (stopping || !due.has(lane.kind)) continue;
        if (await lane.fill(ctx, (job) => start(lane, job))) wanted = true;
      }
    } while (wanted && !stopping);
  }

  function start(lane: Lane, job: Job): void {
    const work = inJobSpan(job, job.payload.trace as Trace | undefined, (trace) =>
      runJob(contextOf(job, trace), job, log, metrics),
    )
      // The outcome was not stored. The lease expires, and the job runs again.
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
    wanted = true;
    // A request that adds jobs may call this function, but polling must not use the queue slots of the request or
    // belong to its span.
    taking ??= outsideOfSpans(() => onBehalfOf(null, takeDueJobs))
      .catch((error: unknown) => log.error({ err: error }, "taking jobs failed"))
      .finally(() => {
        taking = undefined;
        if (wanted) wake();
      });
  }

  const timer = pollMs === null ? undefined : setInterval(wake, pollMs);
  timer?.unref();
  return {
    wake,
    async drain() {
      wake();
      while (taking !== undefined || underWay.size > 0) await Promise.all([taking, ...underWay.keys()]);
    },
    async stop(timeoutMs) {
      stopping = true;
      clearInterval(timer);
      let late: NodeJS.Timeout | undefined;
      await Promise.race([
        Promise.resolve(taking).then(() => Promise.all(underWay.keys())),
        new Promise<void>((resolve) => {
          late = setTimeout(resolve, timeoutMs);
        }),
      ]);
      clearTimeout(late);
      await returnToQueue(ctx.queries, [...underWay.values()]).catch((error: unknown) =>
        log.warn({ err: error }, "jobs not requeued"),
      );
    },
  };
}
