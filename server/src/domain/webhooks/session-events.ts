import { sql } from "drizzle-orm";
import { type Interval, instantsOf } from "../../store/samples/index.js";
import { activities, ownerships, sessionTimeframes, timeframes, webhooks } from "../../store/schema.js";
import { groupBy } from "../change/group-by.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { overlapping } from "../sample-ownership/overlapping-frames.js";
import { emitAccountEvent, emitAccountEvents } from "./account-events.js";

/** Notifies the webhooks of the owner that a session has changed. */
export const emitSessionEvent = (
  unit: UnitOfWork,
  { id, ownerId }: { id: number; ownerId: number },
): Promise<void> => emitAccountEvent(unit, ownerId, "session.changed", { session: id });

/** Notifies the webhooks of the owner that the figures of a session are computed. */
export const emitComputedSession = (
  unit: UnitOfWork,
  { id, ownerId }: { id: number; ownerId: number },
): Promise<void> => emitAccountEvent(unit, ownerId, "session.computed", { session: id });

/** Maximum number of sessions for one change to samples. A recording of several months can be part of hundreds. */
const MAX_SESSIONS = 100;

/**
 * Notifies the webhooks of owners of sessions whose samples have changed. These are the sessions with a time frame of the device
 * at one of the times, if the owner of the session owned the device then. Samples of another owner do not concern the session,
 * even if its time frame covers their time.
 */
export async function emitChangedSessions(
  unit: UnitOfWork,
  { deviceId, changed }: { deviceId: number; changed: readonly Interval[] },
): Promise<void> {
  if (changed.length === 0) return;
  // The times of each owner are one value, so every time frame is compared once, regardless of the number of changes.
  const { rows } = await unit.queries.execute<{ id: string; owner: string }>(sql`
    WITH owned AS MATERIALIZED (
      SELECT ${ownerships.managerId} AS owner,
        ${instantsOf(changed)} * range_agg(tstzrange(${ownerships.startTime}, ${ownerships.endTime}, '[)')) AS times
      FROM ${ownerships} WHERE ${ownerships.deviceId} = ${deviceId} AND EXISTS (
        SELECT 1 FROM ${webhooks} WHERE ${webhooks.ownerId} = ${ownerships.managerId}
          AND 'session.changed' = ANY (${webhooks.events}) AND ${webhooks.disabledAt} IS NULL
      )
      GROUP BY ${ownerships.managerId}
    )
    SELECT DISTINCT ${activities.id} AS id, owned.owner
    FROM owned CROSS JOIN LATERAL ${overlapping(deviceId, sql`owned.times`)}
    JOIN ${sessionTimeframes} ON ${sessionTimeframes.timeframeId} = ${timeframes.id}
    JOIN ${activities} ON ${activities.id} = ${sessionTimeframes.sessionId} AND ${activities.ownerId} = owned.owner
    ORDER BY id LIMIT ${MAX_SESSIONS}`);
  await emitSessionEvents(
    unit,
    rows.map(({ id, owner }) => ({ id: Number(id), ownerId: Number(owner) })),
  );
}

/**
 * Notifies the webhooks of the owners that sessions have changed, with one statement of each kind for an owner.
 * @param sessions events are sent only for the first `MAX_SESSIONS`
 */
export async function emitSessionEvents(
  unit: UnitOfWork,
  sessions: readonly { id: number; ownerId: number }[],
): Promise<void> {
  for (const [owner, own] of groupBy(sessions.slice(0, MAX_SESSIONS), ({ ownerId }) => ownerId)) {
    const events = own.map(({ id }) => ({ session: id }));
    await emitAccountEvents(unit, owner, "session.changed", events);
  }
}
