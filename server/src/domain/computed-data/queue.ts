import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { isUnended } from "../../store/queue/job-queue.js";
import { activities, jobs, sessionTimeframes, timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { recordSessionsOf } from "../change-log/figures.js";

/** A time frame, or a session. */
type Owned = { id: number; ownerId: number };

/**
 * Adds jobs that compute the data of changed time frames, and records that the figures of their sessions have changed. The job
 * of a session computes its figures first, and adds the jobs of its time frames afterwards.
 */
export async function queueComputation(unit: UnitOfWork, changed: readonly Owned[]): Promise<void> {
  if (changed.length === 0) return;
  const ids = changed.map(({ id }) => id);
  const ofSessions = await unit.queries
    .select({ timeframeId: sessionTimeframes.timeframeId, id: activities.id, ownerId: activities.ownerId })
    .from(sessionTimeframes)
    .innerJoin(activities, eq(activities.id, sessionTimeframes.sessionId))
    .where(sql`${sessionTimeframes.timeframeId} = ANY (${sql.param(ids)}::bigint[])`)
    // Two changes that add jobs in different orders would deadlock.
    .orderBy(asc(activities.id));
  const inSessions = new Set(ofSessions.map(({ timeframeId }) => timeframeId));
  await queueResults(
    unit,
    changed.filter(({ id }) => !inSessions.has(id)),
  );
  const sessions = [...new Map(ofSessions.map(({ id, ownerId }) => [id, { id, ownerId }])).values()];
  await queueSessionFigures(unit, sessions);
  await recordSessionsOf(unit, "figures", sessions);
}

/** Adds jobs that compute the data of time frames, unless a job is already waiting. */
export const queueResults = (unit: UnitOfWork, stale: readonly Owned[]): Promise<void> =>
  unit.enqueueAll(
    stale.map(({ id, ownerId }) => ({
      kind: "compute",
      payload: { timeframe: id },
      uniqueKey: String(id),
      chargedTo: ownerId,
    })),
  );

/** Adds jobs that compute the figures of sessions, unless a job is already waiting. */
export const queueSessionFigures = (unit: UnitOfWork, sessions: readonly Owned[]): Promise<void> =>
  unit.enqueueAll(
    sessions.map(({ id, ownerId }) => ({
      kind: "session-figures",
      payload: { session: id },
      uniqueKey: String(id),
      chargedTo: ownerId,
    })),
  );

/** Time after a failed job of a session during which requests for its table do not add another job. */
export const AFTER_FAILURE_MS = 3_600_000;

/**
 * Adds the job of a session because of a request for its table, unless a job waits, runs, or has failed in the last hour. A
 * change always adds a job, because a running job may have read its inputs before the change.
 */
export async function queueUnlessQueued(unit: UnitOfWork, session: Owned): Promise<void> {
  const { queries, now } = unit;
  const text = String(session.id);
  // Use literals, because the partial indexes do not match parameters. Use two statements, because each index serves
  // one of the conditions.
  const isOfSession = and(sql`${jobs.kind} = 'session-figures'`, eq(jobs.chargedTo, session.ownerId));
  const isUnfinished = and(isOfSession, isUnended, sql`${jobs.payload}->>'session' = ${text}`);
  const hasFailed = and(
    isOfSession,
    sql`${jobs.state} = 'FAILURE'`,
    sql`${jobs.details}->>'session' = ${text}`,
    gt(jobs.createdAt, new Date(now.getTime() - AFTER_FAILURE_MS)),
  );
  const known = (await queries.$count(jobs, isUnfinished)) + (await queries.$count(jobs, hasFailed));
  if (known === 0) await queueSessionFigures(unit, [session]);
}

/**
 * Whether a job for the time frame in the row of `timeframes` waits or runs. The limit makes the database search the index for each
 * time frame, instead of reading all jobs that have not ended.
 */
export const hasResultJob: SQL<boolean> = sql`((
  SELECT 1 FROM ${jobs} WHERE ${jobs.kind} = 'compute' AND ${jobs.chargedTo} = ${timeframes.ownerId}
    AND ${isUnended} AND ${jobs.payload}->>'timeframe' = ${timeframes.id}::text LIMIT 1) IS NOT NULL)`;
