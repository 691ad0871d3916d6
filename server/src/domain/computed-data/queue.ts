import { eq, sql } from "drizzle-orm";
import { activities, sessionTimeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { recordSessions, sessionsOfTimeframes } from "../change-log/record.js";

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
    .where(sql`${sessionTimeframes.timeframeId} = ANY (${sql.param(ids)}::bigint[])`);
  const inSessions = new Set(ofSessions.map(({ timeframeId }) => timeframeId));
  await queueResults(
    unit,
    changed.filter(({ id }) => !inSessions.has(id)),
  );
  await queueSessionFigures(unit, [...new Map(ofSessions.map((one) => [one.id, one])).values()]);
  await recordSessions(unit, "figures", sessionsOfTimeframes(ids));
}

/** Adds jobs that compute the data of time frames, unless such a job waits. */
export const queueResults = (unit: UnitOfWork, stale: readonly Owned[]): Promise<void> =>
  unit.enqueueAll(
    stale.map(({ id, ownerId }) => ({
      kind: "compute",
      payload: { timeframe: id },
      uniqueKey: String(id),
      chargedTo: ownerId,
    })),
  );

/** Adds jobs that compute the figures of sessions, unless such a job waits. */
export const queueSessionFigures = (unit: UnitOfWork, sessions: readonly Owned[]): Promise<void> =>
  unit.enqueueAll(
    sessions.map(({ id, ownerId }) => ({
      kind: "session-figures",
      payload: { session: id },
      uniqueKey: String(id),
      chargedTo: ownerId,
    })),
  );
