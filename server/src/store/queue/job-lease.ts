import { randomUUID } from "node:crypto";
import { and, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../connection/database.js";
import { jobs } from "../schema.js";
import { isLeased, isWaiting, type Job, type JobKind, jobColumns } from "./job-queue.js";

/** Maximum number of groups that one statement reads, so that it is fast with any number of groups. */
export const LOOK_AHEAD = 200;

/** A group of jobs, and whether one of them is due. */
export interface Group<Key> {
  key: Key;
  due: boolean;
}

/** The kinds among these with a due job. */
export async function kindsDue(queries: Queries, kinds: readonly JobKind[], now: Date): Promise<Set<string>> {
  const { rows } = await queries.execute<{ kind: string }>(sql`
    SELECT wanted.kind FROM unnest(${sql.param([...kinds])}::text[]) AS wanted (kind) CROSS JOIN LATERAL (
      SELECT 1 FROM jobs WHERE jobs.kind = wanted.kind AND ${isWaiting} AND due_at <= ${now} ORDER BY due_at LIMIT 1
    ) AS due`);
  return new Set(rows.map(({ kind }) => kind));
}

/**
 * The accounts with waiting jobs of a kind, by id, starting after `after`: at most `LOOK_AHEAD`. The index is
 * searched once for each account, however many jobs it has (PostgreSQL wiki, "Loose indexscan").
 */
export const accountsWaiting = (queries: Queries, kind: JobKind, after: number, now: Date) =>
  groups<number>(queries, sql`charged_to`, sql`kind = ${kind}`, sql`${after}::bigint`, now, Number);

/** The receivers of the waiting jobs of one account and kind, in the same way, starting after `after`. */
export const receiversWaiting = (
  queries: Queries,
  kind: JobKind,
  account: number,
  after: string,
  now: Date,
) =>
  groups<string>(
    queries,
    sql`receiver`,
    sql`kind = ${kind} AND charged_to = ${account} AND receiver IS NOT NULL`,
    sql`${after}::text`,
    now,
    String,
  );

async function groups<Key>(
  queries: Queries,
  column: SQL,
  within: SQL,
  after: SQL,
  now: Date,
  read: (key: unknown) => Key,
): Promise<Group<Key>[]> {
  const next = (from: SQL) => sql`SELECT ${column} AS key, due_at FROM jobs
    WHERE ${within} AND ${isWaiting} AND ${column} > ${from} ORDER BY ${column}, due_at LIMIT 1`;
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

/** The worker that takes jobs, and the duration of its lease. */
export interface LeaseHolder {
  /** Its number, if it has a session. */
  worker: number | null;
  leaseMs: number;
}

/** The end of a lease that starts or is renewed now. */
export const leaseEnd = (leaseMs: number): SQL =>
  sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;

/**
 * Takes the jobs of one account that have been due longest. Two workers never get the same job, because a worker skips rows
 * that another has locked.
 */
export async function leaseOf(
  queries: Queries,
  { worker, leaseMs }: LeaseHolder,
  kind: JobKind,
  account: number,
  places: number,
  now: Date,
): Promise<Job[]> {
  const due = sql`SELECT id FROM jobs WHERE kind = ${kind} AND charged_to = ${account} AND ${isWaiting}
    AND due_at <= ${now} ORDER BY due_at, id LIMIT ${places} FOR UPDATE SKIP LOCKED`;
  return take(queries, due, worker, leaseMs);
}

/** Does the same with a limit for each receiver and one for all together. */
export async function leaseOfReceivers(
  queries: Queries,
  { worker, leaseMs }: LeaseHolder,
  kind: JobKind,
  account: number,
  receivers: readonly { receiver: string; places: number }[],
  places: number,
  now: Date,
): Promise<Job[]> {
  const names = sql.param(receivers.map(({ receiver }) => receiver));
  const limits = sql.param(receivers.map((receiver) => receiver.places));
  const due = sql`SELECT due.id FROM unnest(${names}::text[], ${limits}::integer[]) AS free (receiver, places)
    CROSS JOIN LATERAL (
      SELECT id FROM jobs WHERE kind = ${kind} AND charged_to = ${account} AND receiver = free.receiver
        AND receiver IS NOT NULL AND ${isWaiting} AND due_at <= ${now}
      ORDER BY due_at, id LIMIT free.places FOR UPDATE SKIP LOCKED
    ) AS due LIMIT ${places}`;
  return take(queries, due, worker, leaseMs);
}

const take = (queries: Queries, due: SQL, worker: number | null, leaseMs: number): Promise<Job[]> =>
  queries
    .update(jobs)
    .set({ state: "STARTED", leaseUntil: leaseEnd(leaseMs), leaseToken: randomUUID(), worker })
    .where(sql`${jobs.id} = ANY(ARRAY(${due}))`)
    .returning(jobColumns);

/** Matches the job while it has the lease with which it was taken. */
export const whileLeaseHeld = (job: Pick<Job, "id" | "leaseToken">): SQL | undefined =>
  and(eq(jobs.id, job.id), eq(jobs.leaseToken, job.leaseToken ?? ""));

/** Another worker has taken the job over, so the transaction is rolled back. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/**
 * Adds to the payload of a job within the transaction of its work, so that both are done together.
 * @throws LeaseLostError
 */
export async function addToPayload(
  queries: Queries,
  job: Pick<Job, "id" | "leaseToken">,
  added: Record<string, unknown>,
): Promise<void> {
  const held = await queries
    .update(jobs)
    .set({ payload: sql`${jobs.payload} || ${JSON.stringify(added)}::jsonb` })
    .where(whileLeaseHeld(job))
    .returning({ id: jobs.id });
  if (held.length === 0) throw new LeaseLostError(`Another worker took over job ${job.id}.`);
}

/**
 * The columns of a job without a worker. A job that waits again gives up its unique key, because a newer job may have
 * it.
 */
export const unleased = { leaseToken: null, leaseUntil: null, worker: null, uniqueKey: null } as const;

/** Jobs whose lease has ended, or whose worker is in `gone`. */
export const jobsLost = (queries: Queries, gone: readonly number[]) =>
  queries
    .select({ id: jobs.id, kind: jobs.kind, losses: jobs.losses, leaseToken: jobs.leaseToken })
    .from(jobs)
    .where(
      and(
        isLeased,
        gone.length === 0
          ? lte(jobs.leaseUntil, sql`clock_timestamp()`)
          : sql`(${lte(jobs.leaseUntil, sql`clock_timestamp()`)} OR ${inArray(jobs.worker, [...gone])})`,
      ),
    );

/** Ends every lease. Call it at start when no other process can be working, as with the embedded database. */
export async function endLeases(queries: Queries): Promise<void> {
  await queries.update(jobs).set({ leaseUntil: sql`clock_timestamp()` }).where(isLeased);
}

/** Returns the jobs of a stopping worker to the queue, where another worker can take them immediately. */
export async function returnToQueue(queries: Queries, given: readonly Job[]): Promise<void> {
  for (const job of given) {
    await queries
      .update(jobs)
      .set({ state: "PENDING", ...unleased })
      .where(whileLeaseHeld(job));
  }
}
