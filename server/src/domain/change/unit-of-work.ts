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

/** A transaction under way: the change, its audit rows and its jobs are written together or not at all. */
export interface UnitOfWork {
  queries: Queries;
  now: Date;
  config: Config;
  /** The trace of the request or job; jobs that are added get it. */
  trace?: Trace;
  /** The group to which jobs are charged that are added: the address that caused the work. */
  jobGroup: string;
  /** Announces what happened, and runs its effects: see `effects.ts`. */
  announce<Name extends keyof Events>(name: Name, event: Events[Name]): Promise<void>;
  /**
   * Records a row before and after the change, without secrets and with digests of long values; null before it is created
   * and after it is deleted.
   */
  audit(
    entity: string,
    entityId: number,
    before: Record<string, unknown> | null,
    after: Record<string, unknown> | null,
  ): Promise<void>;
  /** The same for any number of rows of one kind, in one statement. */
  auditAll(entity: string, changes: readonly AuditedChange[]): Promise<void>;
  /** Adds a job that runs after the commit. */
  enqueue(job: NewJob): Promise<Job | undefined>;
  /** The same for any number of jobs without a body. */
  enqueueAll(jobs: readonly SmallJob[]): Promise<void>;
  /** Makes workers look for jobs after the commit. Adding a job does this automatically. */
  wakeWorkers(): void;
  /** Calls a function after the commit, and not if the transaction is rolled back. */
  afterCommit(call: () => void): void;
}
