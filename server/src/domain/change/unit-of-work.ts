import type { Config } from "../../config/config.js";
import type { Trace } from "../../observability/trace-context.js";
import type { Queries } from "../../store/connection/database.js";
import type { Job, NewJob, SmallJob } from "../../store/queue/job-queue.js";
import type { Events } from "./events.js";

/** A row before and after; `before` is absent for a new row, `after` for a deleted one. */
export interface AuditedChange {
  id: number;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** A transaction in progress. The change, its audit rows and its jobs are committed together or not at all. */
export interface UnitOfWork {
  queries: Queries;
  now: Date;
  config: Config;
  /** Trace of the request or job, passed to added jobs. */
  trace?: Trace;
  /** Group charged for added jobs: the address of the client that caused the work. */
  jobGroup: string;
  /** Announces an event and runs its effects: see `effects.ts`. */
  announce<Name extends keyof Events>(name: Name, event: Events[Name]): Promise<void>;
  /**
   * Records a row before and after the change, without secrets and with digests of long values. `before` is null for a new row,
   * `after` for a deleted one.
   */
  audit(
    entity: string,
    entityId: number,
    before: Record<string, unknown> | null,
    after: Record<string, unknown> | null,
  ): Promise<void>;
  /** Records any number of rows of one kind. */
  auditAll(entity: string, changes: readonly AuditedChange[]): Promise<void>;
  /** Adds a job that runs after the commit. */
  enqueue(job: NewJob): Promise<Job | undefined>;
  /** Adds any number of jobs without a body. */
  enqueueAll(jobs: readonly SmallJob[]): Promise<void>;
  /** Adds jobs for ranges of times; see `enqueueOverTimes`. */
  enqueueOverTimes(jobs: readonly SmallJob[]): Promise<void>;
  /** Wakes workers after the commit. Adding a job does this automatically. */
  wakeWorkers(): void;
  /** Calls a function after the commit, but not after a rollback. */
  afterCommit(call: () => void): void;
}
