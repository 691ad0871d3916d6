import type { Context } from "../domain/change/context.js";
import type { LoadedSamples } from "../observability/loaded-samples.js";
import type { Job } from "../store/queue/job-queue.js";

/** Thrown to retry the job at the given time. The failed attempt is counted in `failures`. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly at: Date;

  constructor(at: Date, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.at = at;
  }
}

/** Thrown to run the job at the given time, because other work must end first. This does not count as a failure. */
export class NotYet extends Error {
  override readonly name = "NotYet";
  readonly at: Date;

  constructor(at: Date) {
    super("Other work must end first.");
    this.at = at;
  }
}

/** Thrown when the job cannot succeed. The details of the job contain the code and the message. */
export class JobFailed extends Error {
  override readonly name = "JobFailed";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface JobHandler {
  /** Whether webhooks of the account are notified when a job ends. */
  isReported?: true;
  /** Maximum number of failures before the job fails. */
  maxFailures: number;
  /** Maximum number of lost workers before the job fails; default 3. */
  maxLosses?: number;
  /** Returns the delay after the given failure (from 1), unless the job throws `RetryLater`. */
  delayMs(failure: number): number;
  /** Returns the deadline for retries, after which the result is useless; undefined if there is no deadline. */
  endsAt?(job: Job): Date | undefined;
  /** Returns the details that the operator needs to repeat a failed job, whose payload is erased; default: none. */
  keptDetails?(job: Job): Record<string, unknown>;
  /** Returns the counts of a successful job, for the log and `asi_samples_loaded_total`. */
  counts?(details: Record<string, unknown>): LoadedSamples;
  /**
   * Runs the job. It may run again after a crash, so it must be idempotent.
   * @returns the details of the successful job
   * @throws RetryLater, NotYet, JobFailed; any other error counts as transient
   */
  run(ctx: Context, job: Job): Promise<Record<string, unknown>>;
}
