import { randomUUID } from "node:crypto";
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../connection/database.js";
import { type JobState, jobs } from "../schema.js";
import type { StoredBody } from "./job-body.js";

/** Kinds of jobs; each has a handler, see `jobs/handlers.ts`. */
export const JOB_KINDS = [
  "mail",
  "bulk-load",
  "compute",
  "recompute",
  "derive",
  "session-figures",
  "record-figures",
  "stream-effects",
  "removal",
  "webhook",
  "webhook-fan-out",
] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** Account id charged for jobs of the service itself. */
export const NOBODY = 0;

/** Group of jobs caused by the service itself. */
export const OWN_GROUP = "";

/** Matches jobs that wait for a worker. The states are literals, because the partial index does not match parameters. */
export const isWaiting = sql`${jobs.state} IN ('PENDING', 'RETRY')`;

/** Matches jobs that a worker has leased. */
export const isLeased = sql`${jobs.state} = 'STARTED'`;

/** Matches jobs that are waiting or running. */
export const isUnended = sql`(${isWaiting} OR ${isLeased})`;

/** A job without its bytes, which may have tens of MB; `bodyOf` reads them in pieces. */
export type Job = Omit<typeof jobs.$inferSelect, "body" | "bodyBytes">;

const { body: _body, bodyBytes: _bodyBytes, ...columns } = getTableColumns(jobs);

/** Columns of a `Job`. */
export const jobColumns = columns;

export interface NewJob {
  kind: JobKind;
  payload: Record<string, unknown>;
  /** Bytes from `writeBody`. */
  body?: StoredBody;
  /** Account that may see the job. */
  accountId?: number;
  /** Account charged for the job; default: `accountId`. */
  chargedTo?: number;
  /** Address that caused the job, see `jobGroupOf`; default: the service itself. */
  chargedGroup?: string;
  /** At most one job of this kind and key can wait; another one is not added. */
  uniqueKey?: string;
  /** Host and port of the receiver that the job calls. */
  receiver?: string;
  /** Time until the job is due, ms; default 0. */
  delayMs?: number;
}

export const newJobId = () => `job-${randomUUID()}`;

const asRow = (now: Date, job: NewJob) => ({
  jobId: newJobId(),
  kind: job.kind,
  accountId: job.accountId ?? null,
  chargedTo: job.chargedTo ?? job.accountId ?? NOBODY,
  chargedGroup: job.chargedGroup ?? OWN_GROUP,
  state: "PENDING" as const,
  payload: job.payload,
  body: job.body?.key ?? null,
  bodyBytes: job.body?.bytes ?? 0,
  details: {},
  uniqueKey: job.uniqueKey ?? null,
  receiver: job.receiver ?? null,
  dueAt: new Date(now.getTime() + (job.delayMs ?? 0)),
  createdAt: now,
});

/**
 * Adds a job within the caller's transaction.
 * @returns its row; undefined if a job with the same `uniqueKey` is waiting
 */
export async function enqueue(queries: Queries, now: Date, job: NewJob): Promise<Job | undefined> {
  const rows = await queries.insert(jobs).values(asRow(now, job)).onConflictDoNothing().returning(jobColumns);
  return rows[0];
}

/** A job without bytes. */
export type SmallJob = Omit<NewJob, "body" | "delayMs">;

/**
 * Adds many jobs within the caller's transaction, except those whose `uniqueKey` is waiting.
 */
export const enqueueAll = (queries: Queries, now: Date, added: readonly SmallJob[]): Promise<void> =>
  insertAll(queries, now, added, sql`DO NOTHING`);

/**
 * Adds jobs for ranges of times, which visit objects in the order of their ids. If a job with the same `uniqueKey` is waiting,
 * extends its range to include this one. The job then visits all objects, beginning at the later position of both, because a job
 * that begins again with each change would never reach the last objects.
 * @param added payloads with `fromMs`, `toMs`, and the positions `after` and `until`: the job visits the objects after `after`, and
 * then those from the first one to `until`; only those between both positions if `until` is greater. Each has another `uniqueKey`
 */
export async function enqueueOverTimes(
  queries: Queries,
  now: Date,
  added: readonly SmallJob[],
): Promise<void> {
  const either = (choose: "least" | "greatest", key: string) =>
    sql`${sql.raw(choose)}((${jobs.payload}->>${key})::float8, (excluded.payload->>${key})::float8)`;
  await insertAll(
    queries,
    now,
    added,
    sql`(kind, unique_key) WHERE state = 'PENDING' DO UPDATE SET payload = ${jobs.payload} || jsonb_build_object(
      'fromMs', ${either("least", "fromMs")}, 'toMs', ${either("greatest", "toMs")},
      'after', ${either("greatest", "after")}, 'until', ${either("greatest", "after")})`,
  );
}

/**
 * Sends the jobs as one JSON value, because separate parameters would take three times as long in the query builder and the
 * database.
 */
async function insertAll(
  queries: Queries,
  now: Date,
  added: readonly SmallJob[],
  onConflict: SQL,
): Promise<void> {
  if (added.length === 0) return;
  const rows = added.map(({ kind, payload, accountId, chargedTo, chargedGroup, uniqueKey, receiver }) => ({
    job_id: newJobId(),
    kind,
    payload,
    account_id: accountId,
    charged_to: chargedTo ?? accountId ?? NOBODY,
    charged_group: chargedGroup ?? OWN_GROUP,
    unique_key: uniqueKey,
    receiver,
  }));
  const state: JobState = "PENDING";
  await queries.execute(sql`
    INSERT INTO jobs (job_id, kind, account_id, charged_to, charged_group, state, payload, details, unique_key, receiver, due_at, created_at)
    SELECT job_id, kind, account_id, charged_to, charged_group, ${state}, payload, '{}', unique_key, receiver, ${now}, ${now}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS job (job_id text, kind text, account_id bigint, charged_to bigint, charged_group text, payload jsonb, unique_key text, receiver text)
    ON CONFLICT ${onConflict}`);
}
