import { randomUUID } from "node:crypto";
import type { Queries } from "../store/database.js";
import { jobs } from "../store/schema.js";

/** The kinds of work; each has a handler, see `handlers.ts`. */
export type JobKind = "mail" | "bulk-load" | "compute" | "webhook";

/** States of a job that waits for a worker. */
export const WAITING = ["PENDING", "RETRY"] as const;

export type Job = typeof jobs.$inferSelect;

export interface NewJob {
  kind: JobKind;
  payload: Record<string, unknown>;
  body?: Uint8Array;
  /** Who may ask for the job's state. */
  accountId?: number;
  /** At most one job of this kind with this key waits; a second one is not added. */
  uniqueKey?: string;
  /** Host and port that the work calls. */
  receiver?: string;
}

const asRow = (now: Date, job: NewJob) => ({
  jobId: `job-${randomUUID()}`,
  kind: job.kind,
  accountId: job.accountId ?? null,
  state: "PENDING" as const,
  payload: job.payload,
  body: job.body ?? null,
  details: {},
  uniqueKey: job.uniqueKey ?? null,
  receiver: job.receiver ?? null,
  dueAt: now,
  createdAt: now,
});

/**
 * Adds a job within the caller's transaction.
 * @returns its row; undefined when a job with the same `uniqueKey` waits already
 */
export async function enqueue(queries: Queries, now: Date, job: NewJob): Promise<Job | undefined> {
  const rows = await queries.insert(jobs).values(asRow(now, job)).onConflictDoNothing().returning();
  return rows[0];
}

/** Far below the 65,535 parameters that a statement may have. */
const JOBS_PER_STATEMENT = 1000;

/** Adds many jobs within the caller's transaction, without those whose `uniqueKey` waits already. */
export async function enqueueAll(queries: Queries, now: Date, added: readonly NewJob[]): Promise<void> {
  for (let at = 0; at < added.length; at += JOBS_PER_STATEMENT) {
    const rows = added.slice(at, at + JOBS_PER_STATEMENT).map((job) => asRow(now, job));
    await queries.insert(jobs).values(rows).onConflictDoNothing();
  }
}
