import { randomUUID } from "node:crypto";
import { and, eq, lte, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Queries } from "../connection/database.js";
import { jobs } from "../schema.js";
import { isLeased, isWaiting, type Job, type JobKind, jobColumns } from "./job-queue.js";

/** Maximum number of sharers that one statement reads, so it is fast for any total number. */
export const LOOK_AHEAD = 200;

/**
 * A group, an account or a receiver with waiting jobs, and whether one of the jobs is due. The workers are shared between them.
 */
export interface Sharer<Key> {
  key: Key;
  due: boolean;
}

/** Returns the given kinds that have a due job. */
export async function kindsDue(queries: Queries, kinds: readonly JobKind[], now: Date): Promise<Set<string>> {
  const { rows } = await queries.execute<{ kind: string }>(sql`
    SELECT wanted.kind FROM unnest(${sql.param([...kinds])}::text[]) AS wanted (kind) CROSS JOIN LATERAL (
      SELECT 1 FROM jobs WHERE jobs.kind = wanted.kind AND ${isWaiting} AND due_at <= ${now} ORDER BY due_at LIMIT 1
    ) AS due`);
  return new Set(rows.map(({ kind }) => kind));
}

/** Jobs of an account caused by one address, see `jobGroupOf`. */
export interface Charged {
  group: string;
  account: number;
}

/**
 * Returns at most `LOOK_AHEAD` groups with waiting jobs of a kind, in order, after `after` (null to begin with the first).
 * Searches the index once per group, regardless of the number of jobs (PostgreSQL wiki, "Loose indexscan").
 */
export const groupsWaiting = (queries: Queries, kind: JobKind, after: string | null, now: Date) =>
  sharers<string>(
    queries,
    sql`charged_group`,
    sql`kind = ${kind}`,
    after === null ? null : sql`${after}::text`,
    now,
    String,
  );

/** Returns accounts with waiting jobs of a kind in a group, like `groupsWaiting`. */
export const accountsWaiting = (
  queries: Queries,
  kind: JobKind,
  group: string,
  after: number | null,
  now: Date,
) =>
  sharers<number>(
    queries,
    sql`charged_to`,
    sql`kind = ${kind} AND charged_group = ${group}`,
    after === null ? null : sql`${after}::bigint`,
    now,
    Number,
  );

/** Returns the receivers of the waiting jobs of one account and kind, like `groupsWaiting`. */
export const receiversWaiting = (
  queries: Queries,
  kind: JobKind,
  charged: Charged,
  after: string,
  now: Date,
) =>
  sharers<string>(
    queries,
    sql`receiver`,
    sql`${isOf(kind, charged)} AND receiver IS NOT NULL`,
    sql`${after}::text`,
    now,
    String,
  );

const isOf = (kind: JobKind, { group, account }: Charged): SQL =>
  sql`kind = ${kind} AND charged_group = ${group} AND charged_to = ${account}`;

async function sharers<Key>(
  queries: Queries,
  column: SQL,
  within: SQL,
  after: SQL | null,
  now: Date,
  read: (key: unknown) => Key,
): Promise<Sharer<Key>[]> {
  const next = (from: SQL | null) => sql`SELECT ${column} AS key, due_at FROM jobs
    WHERE ${within} AND ${isWaiting} ${from === null ? sql`` : sql`AND ${column} > ${from}`}
    ORDER BY ${column}, due_at LIMIT 1`;
  const { rows } = await queries.execute<{ key: unknown; due: boolean }>(sql`
    WITH RECURSIVE walk AS (
      SELECT key, due_at, 1 AS steps FROM (${next(after)}) AS first
      UNION ALL
      SELECT following.key, following.due_at, walk.steps + 1
      FROM walk CROSS JOIN LATERAL (${next(sql`walk.key`)}) AS following
      WHERE walk.steps < ${LOOK_AHEAD}
    ) SELECT key, due_at <= ${now} AS due FROM walk`);
  return rows.map(({ key, due }) => ({ key: read(key), due }));
}

/** Returns the end of a lease that starts or is renewed now. */
export const leaseEnd = (leaseMs: number): SQL =>
  sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;

/**
 * Leases the jobs of one account and group that have been due longest. Two workers never get the same job, because a worker skips
 * rows that another has locked.
 */
export async function leaseOf(
  queries: Queries,
  leaseMs: number,
  kind: JobKind,
  charged: Charged,
  places: number,
  now: Date,
): Promise<Job[]> {
  const due = sql`SELECT id FROM jobs WHERE ${isOf(kind, charged)} AND ${isWaiting}
    AND due_at <= ${now} ORDER BY due_at, id LIMIT ${places} FOR UPDATE SKIP LOCKED`;
  return take(queries, due, leaseMs);
}

/** Leases jobs with a limit per receiver and a total limit. */
export async function leaseOfReceivers(
  queries: Queries,
  leaseMs: number,
  kind: JobKind,
  charged: Charged,
  receivers: readonly { receiver: string; places: number }[],
  places: number,
  now: Date,
): Promise<Job[]> {
  const names = sql.param(receivers.map(({ receiver }) => receiver));
  const limits = sql.param(receivers.map((receiver) => receiver.places));
  const due = sql`SELECT due.id FROM unnest(${names}::text[], ${limits}::integer[]) AS free (receiver, places)
    CROSS JOIN LATERAL (
      SELECT id FROM jobs WHERE ${isOf(kind, charged)} AND receiver = free.receiver
        AND receiver IS NOT NULL AND ${isWaiting} AND due_at <= ${now}
      ORDER BY due_at, id LIMIT free.places FOR UPDATE SKIP LOCKED
    ) AS due LIMIT ${places}`;
  return take(queries, due, leaseMs);
}

const take = (queries: Queries, due: SQL, leaseMs: number): Promise<Job[]> =>
  queries
    .update(jobs)
    .set({ state: "STARTED", leaseUntil: leaseEnd(leaseMs), leaseToken: randomUUID() })
    .where(sql`${jobs.id} = ANY(ARRAY(${due}))`)
    .returning(jobColumns);

/** Matches the job while it has its original lease. */
export const whileLeaseHeld = (job: Pick<Job, "id" | "leaseToken">): SQL | undefined =>
  and(eq(jobs.id, job.id), eq(jobs.leaseToken, job.leaseToken ?? ""));

/** Another worker has leased the job, so the transaction is rolled back. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/**
 * Adds members to the payload of a job within the transaction of its work, so that both are committed together.
 * @throws LeaseLostError
 */
export const addToPayload = (
  queries: Queries,
  job: Pick<Job, "id" | "leaseToken">,
  added: Record<string, unknown>,
): Promise<void> =>
  updateLeased(queries, job, { payload: sql`${jobs.payload} || ${JSON.stringify(added)}::jsonb` });

/**
 * Records the progress of a job in `details` within the transaction of its work, for a worker that takes over. Use it
 * only for jobs that no account may see. The payload is unsuitable, because each change rewrites the whole payload,
 * which may have megabytes. The end of the job replaces the details.
 * @throws LeaseLostError
 */
export const saveProgress = (
  queries: Queries,
  job: Pick<Job, "id" | "leaseToken">,
  progress: Record<string, unknown>,
): Promise<void> => updateLeased(queries, job, { details: progress });

async function updateLeased(
  queries: Queries,
  job: Pick<Job, "id" | "leaseToken">,
  values: PgUpdateSetSource<typeof jobs>,
): Promise<void> {
  const held = await queries.update(jobs).set(values).where(whileLeaseHeld(job)).returning({ id: jobs.id });
  if (held.length === 0) throw new LeaseLostError(`Another worker took over job ${job.id}.`);
}

/**
 * Columns of a job without a worker. A job that waits again loses its unique key, because a newer job may hold the key.
 */
export const unleased = { leaseToken: null, leaseUntil: null, uniqueKey: null } as const;

/** Matches jobs whose lease has expired, because their worker was killed, hangs, or has lost the database. */
export const jobsLost = (queries: Queries) =>
  queries
    .select({
      id: jobs.id,
      jobId: jobs.jobId,
      kind: jobs.kind,
      chargedTo: jobs.chargedTo,
      chargedGroup: jobs.chargedGroup,
      losses: jobs.losses,
      leaseToken: jobs.leaseToken,
    })
    .from(jobs)
    .where(and(isLeased, lte(jobs.leaseUntil, sql`clock_timestamp()`)));

/**
 * Ends all leases. Call it at the start if no other process can run jobs, which is the case for the embedded database.
 */
export async function endLeases(queries: Queries): Promise<void> {
  await queries.update(jobs).set({ leaseUntil: sql`clock_timestamp()` }).where(isLeased);
}

/** Returns the jobs of a stopping worker to the queue, where other workers can lease them immediately. */
export async function returnToQueue(queries: Queries, given: readonly Job[]): Promise<void> {
  for (const job of given) {
    await queries
      .update(jobs)
      .set({ state: "PENDING", ...unleased })
      .where(whileLeaseHeld(job));
  }
}
