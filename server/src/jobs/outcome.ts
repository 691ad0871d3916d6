import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { Context } from "../domain/change/context.js";
import { jobCaller, onBehalfOf } from "../fairness/callers.js";
import { noteJobOutcome } from "../observability/tracing.js";
import { isUnavailable } from "../store/connection/database-errors.js";
import { leaseEnd, unleased, whileLeaseHeld } from "../store/queue/job-lease.js";
import { type Job, type JobKind, NOBODY } from "../store/queue/job-queue.js";
import { TurnEnded } from "../store/queue/turn.js";
import { jobs } from "../store/schema.js";
import { endJob, finished } from "./end-job.js";
import { JobFailed, NotYet, RetryLater } from "./handler.js";
import { handlers } from "./handlers.js";
import type { JobMetrics, JobOutcome } from "./metrics.js";

/** Pause between attempts to write an outcome while the database is unavailable. */
const REWRITE_PAUSE_MS = 500;

/**
 * Delay before a requeued job is due. Without the delay, a job would run again immediately if only the server with its samples is
 * unreachable.
 */
const GIVEN_BACK_MS = 1_000;

/** Retries a write while the database is unavailable, at most until the lease ends. */
async function untilWritten(leaseMs: number, write: () => PromiseLike<unknown>): Promise<void> {
  const endsAt = performance.now() + leaseMs;
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > endsAt) throw error;
      await sleep(REWRITE_PAUSE_MS);
    }
  }
}

const callerOf = ({ chargedTo, chargedGroup }: Job) =>
  jobCaller(chargedTo === NOBODY ? null : chargedTo, chargedGroup);

/** Runs a leased job and writes its outcome. */
export async function runJob(
  ctx: Context,
  job: Job,
  log: FastifyBaseLogger,
  metrics: JobMetrics,
): Promise<void> {
  const handler = handlers[job.kind as JobKind];
  if (handler === undefined) return;
  const { queries, clock, config } = ctx;
  /** Writes only while this worker holds the lease, because another worker may take the job during a pause. */
  const write = (values: Parameters<ReturnType<typeof queries.update<typeof jobs>>["set"]>[0]) =>
    queries.update(jobs).set(values).where(whileLeaseHeld(job));
  const renewal = setInterval(() => {
    write({ leaseUntil: leaseEnd(config.jobLeaseMs) }).catch((error: unknown) =>
      log.warn({ err: error, job: job.jobId }, "lease not renewed"),
    );
  }, config.jobLeaseMs / 3);
  const startedAt = performance.now();
  const ran = (outcome: JobOutcome) => {
    metrics.ran(job.kind, outcome, performance.now() - startedAt);
    noteJobOutcome(outcome, outcome === "retry" || outcome === "failure");
  };
  try {
    // Only the handler runs as the caller, because other queries of the account must not delay the renewal of the lease
    // or the outcome.
    const details = await onBehalfOf(callerOf(job), () => handler.run(ctx, job));
    await endJob(ctx, job, finished("SUCCESS", details, clock.now()));
    ran("success");
    const samples = handler.counts?.(details);
    if (samples !== undefined) metrics.loaded(samples);
    log.info({ job: job.jobId, kind: job.kind, trace: ctx.trace?.id, samples }, "job done");
  } catch (error) {
    if (isUnavailable(error) && !(error instanceof RetryLater)) {
      // An unavailable database is not a failure of the job. Requeue it when the database is available again.
      log.warn({ err: error, job: job.jobId, kind: job.kind }, "job requeued: database unavailable");
      await untilWritten(config.jobLeaseMs, () =>
        write({
          state: "PENDING",
          dueAt: new Date(clock.now().getTime() + GIVEN_BACK_MS),
          ...unleased,
        }),
      );
      ran("lost");
      return;
    }
    if (error instanceof NotYet || error instanceof TurnEnded) {
      const dueAt = error instanceof NotYet ? error.at : clock.now();
      await write({ state: "RETRY", dueAt, ...unleased });
      ran("retry");
      return;
    }
    const failures = job.failures + 1;
    const final = error instanceof JobFailed || failures > handler.maxFailures;
    const code = error instanceof JobFailed ? error.code : "failed";
    const message = error instanceof JobFailed ? error.message : "The job failed.";
    log.warn(
      { err: error, job: job.jobId, kind: job.kind, trace: ctx.trace?.id, failures, final },
      "job failed",
    );
    const now = clock.now();
    const nextAt =
      error instanceof RetryLater ? error.at : new Date(now.getTime() + handler.delayMs(failures));
    const endsAt = handler.endsAt?.(job);
    const dueAt = endsAt !== undefined && endsAt < nextAt ? endsAt : nextAt;
    if (final)
      await endJob(ctx, job, {
        ...finished("FAILURE", { code, message, ...handler.keptDetails?.(job) }, now),
        failures,
      });
    else await write({ state: "RETRY", failures, dueAt, ...unleased });
    ran(final ? "failure" : "retry");
  } finally {
    clearInterval(renewal);
  }
}
