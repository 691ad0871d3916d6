import { and, asc, eq, gt, inArray, lt, type SQL } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { activities, sessions, squadMembers, squads } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Sessions whose players, devices or rights have changed; from inclusive, to exclusive, ms. */
export interface ChangedSessions {
  ownerId: number;
  /** Only sessions of this squad. */
  squadId?: number;
  /** Only sessions of squads that this athlete has been a member of. */
  athleteId?: number;
  /** Only this session. */
  sessionId?: number;
  fromMs: number;
  toMs: number;
}

interface Span {
  startTime: Date;
  endTime: Date;
}

/** Payload of a job: the sessions after one id. */
export interface QueuedDerivation extends ChangedSessions {
  after?: number;
}

/** Returns the time from the first to the last instant of a change. */
export const spanOfChange = (
  ...spans: readonly (Span | null)[]
): Pick<ChangedSessions, "fromMs" | "toMs"> => {
  const known = spans.filter((span) => span !== null);
  return {
    fromMs: Math.min(...known.map(({ startTime }) => startTime.getTime())),
    toMs: Math.max(...known.map(({ endTime }) => endTime.getTime())),
  };
};

/**
 * Adds a job that derives the time frames of the sessions again, unless the owner has no squad. The job looks up the sessions,
 * because this transaction does not see sessions and members that other transactions add meanwhile. At most one job of the
 * same squad, athlete or session waits; it includes the times of all changes.
 */
export async function queueDerivation(unit: UnitOfWork, changed: ChangedSessions): Promise<void> {
  const own = unit.queries.select().from(squads).where(eq(squads.ownerId, changed.ownerId)).limit(1);
  if ((await own).length > 0) await queueRest(unit, changed);
}

/** Adds a job for the sessions after an id, or extends the waiting one. */
export async function queueRest(unit: UnitOfWork, rest: QueuedDerivation): Promise<void> {
  const { ownerId, squadId, athleteId, sessionId } = rest;
  await unit.enqueueOverTimes({
    kind: "derive",
    payload: { after: 0, ...rest },
    uniqueKey: JSON.stringify({ ownerId, squadId, athleteId, sessionId }),
    chargedTo: ownerId,
  });
}

/** The first session after this id. */
export async function nextSession(
  queries: Queries,
  { ownerId, squadId, athleteId, sessionId, fromMs, toMs }: ChangedSessions,
  after: number,
): Promise<number | undefined> {
  const ofAthlete: SQL | undefined =
    athleteId === undefined
      ? undefined
      : inArray(
          sessions.squadId,
          queries
            .select({ id: squadMembers.squadId })
            .from(squadMembers)
            .where(eq(squadMembers.athleteId, athleteId)),
        );
  const [next] = await queries
    .select({ id: sessions.activityId })
    .from(sessions)
    .innerJoin(activities, eq(activities.id, sessions.activityId))
    .where(
      and(
        eq(activities.ownerId, ownerId),
        squadId === undefined ? undefined : eq(sessions.squadId, squadId),
        ofAthlete,
        sessionId === undefined ? undefined : eq(sessions.activityId, sessionId),
        lt(sessions.startTime, new Date(toMs)),
        gt(sessions.endTime, new Date(fromMs)),
        gt(sessions.activityId, after),
      ),
    )
    .orderBy(asc(sessions.activityId))
    .limit(1);
  return next?.id;
}
