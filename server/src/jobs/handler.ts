import type { Context } from "../domain/change/context.js";
import type { Job } from "../store/queue/job-queue.js";

/** Thrown to run the job again at this time. Counts as a failure. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly at: Date;

  constructor(at: Date, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.at = at;
  }
}

/** Thrown when the work cannot succeed. The details of the job get the code and the message. */
export class JobFailed extends Error {
  override readonly name = "JobFailed";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Outcome for a loaded sample: it is new, was stored before, or is refused. */
export type LoadedOutcome = "stored" | "known" | "refused";

export interface JobHandler {
  /** The job fails after more failures than this. */
  maxFailures: number;
  /** The job fails when it loses its worker more often than this; default 3. */
  maxLosses?: number;
  /** The delay after the given failure (from 1), unless the work throws `RetryLater`. */
  delayMs(failure: number): number;
  /** When the work loses its purpose: no retry is due later. Absent: never. */
  endsAt?(job: Job): Date | undefined;
  /** Details of a failed job by which the operator can run it again; default: none, because its payload is erased. */
  keptDetails?(job: Job): Record<string, unknown>;
  /** Counts of a success, for the log and `asi_samples_loaded_total`. */
  counts?(details: Record<string, unknown>): Readonly<Record<LoadedOutcome, number>>;
  /**
   * Does the work. It may run again after a crash, so it must be idempotent.
   * @returns the details of the job's success
   * @throws RetryLater, JobFailed; any other error counts as transient
   */
  run(ctx: Context, job: Job): Promise<Record<string, unknown>>;
}
