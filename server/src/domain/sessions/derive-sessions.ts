import { and, asc, eq, gt, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { activities, sessions, squadMembers, squads } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { isValidBetween } from "../lists/times.js";

/**
 * Sessions whose players, devices or rights have changed. `fromMs` is inclusive, `toMs` is exclusive. At most one of the other
 * ids is present.
 */
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

/**
 * Payload of a job: the sessions after the id `after`, and then those from the first one to `until`. If `until` is greater than
 * `after`, only the sessions between them. If both are equal, all sessions.
 */
export interface QueuedDerivation extends ChangedSessions {
  after?: number;
  until?: number;
}

type Subject = Pick<ChangedSessions, "squadId" | "athleteId" | "sessionId">;

/** Returns a text that states what a job derives. It is used to find the jobs of a session. */
export function subjectOf({ squadId, athleteId, sessionId }: Subject): string {
  if (squadId !== undefined) return `squad ${squadId}`;
  if (athleteId !== undefined) return `athlete ${athleteId}`;
  return sessionId === undefined ? "all" : `session ${sessionId}`;
}

/**
 * Returns the time from the first to the last instant of a change. A loop finds them, because there can be more rows than a call can
 * have arguments.
 */
export function spanOfChange(spans: readonly (Span | null)[]): Pick<ChangedSessions, "fromMs" | "toMs"> {
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const span of spans) {
    if (span === null) continue;
    fromMs = Math.min(fromMs, span.startTime.getTime());
    toMs = Math.max(toMs, span.endTime.getTime());
  }
  return { fromMs, toMs };
}

/**
 * Adds a job that derives the time frames of the sessions again, unless the owner has no squad. The job looks up the sessions,
 * because this transaction does not see sessions and members that concurrent transactions add. At most one job of the same squad,
 * athlete or session waits; it includes the times of all changes.
 */
export async function queueDerivation(unit: UnitOfWork, changed: ChangedSessions): Promise<void> {
  if ((await ownersOfSquads(unit.queries, [changed.ownerId])).size > 0) await queueRest(unit, changed);
}

/** Time for which a session is not derived again while it is deleted in several transactions. */
const DELETION_MS = 300_000;

/**
 * Adds a job that derives a session again if its deletion has been interrupted. The job is not the one of other derivations, which
 * are due at once.
 */
export async function deriveUnlessDeleted(unit: UnitOfWork, sessionId: number): Promise<void> {
  const { startTime, endTime } = sessions;
  const [session] = await unit.queries
    .select({ ownerId: activities.ownerId, startTime, endTime })
    .from(sessions)
    .innerJoin(activities, eq(activities.id, sessions.activityId))
    .where(eq(sessions.activityId, sessionId));
  if (session === undefined) return;
  const { ownerId, ...span } = session;
  const job = jobOf({ ownerId, sessionId, ...spanOfChange([span]) });
  await unit.enqueue({ ...job, uniqueKey: `${job.uniqueKey} deletion`, delayMs: DELETION_MS });
}

/** Returns the accounts that own a squad. */
export async function ownersOfSquads(
  queries: Queries,
  accountIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await queries
    .selectDistinct({ id: squads.ownerId })
    .from(squads)
    .where(sql`${squads.ownerId} = ANY(${sql.param(accountIds)}::bigint[])`);
  return new Set(rows.map(({ id }) => id));
}

/** Adds a job for the sessions that are left, or extends the waiting one. */
export const queueRest = (unit: UnitOfWork, rest: QueuedDerivation): Promise<void> => queueAll(unit, [rest]);

/** Adds many jobs, each with another owner or subject, or extends the waiting ones. */
export const queueAll = (unit: UnitOfWork, all: readonly QueuedDerivation[]): Promise<void> =>
  unit.enqueueOverTimes(all.map(jobOf));

function jobOf(queued: QueuedDerivation) {
  const { ownerId } = queued;
  const subject = subjectOf(queued);
  return {
    kind: "derive" as const,
    payload: { after: 0, until: 0, ...queued, subject },
    uniqueKey: `${ownerId} ${subject}`,
    chargedTo: ownerId,
  };
}

/** Returns the next session of a job, and the work that is left after it. @returns undefined if no session is left */
export async function nextOf(
  queries: Queries,
  queued: QueuedDerivation,
): Promise<{ id: number; left: QueuedDerivation | undefined } | undefined> {
  const { after = 0, until = 0 } = queued;
  const isBetween = until > after;
  const id = await nextSession(queries, queued, after, isBetween ? until : undefined);
  if (id !== undefined) return { id, left: isBetween && id === until ? undefined : { ...queued, after: id } };
  if (isBetween || until === 0) return undefined;
  return nextOf(queries, { ...queued, after: 0 });
}

/** Returns the first session with an id above `after` and at most `last`. */
async function nextSession(
  queries: Queries,
  { ownerId, squadId, athleteId, sessionId, fromMs, toMs }: ChangedSessions,
  after: number,
  last?: number,
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
        isValidBetween(sessions, new Date(fromMs), new Date(toMs)),
        gt(sessions.activityId, after),
        last === undefined ? undefined : lte(sessions.activityId, last),
      ),
    )
    .orderBy(asc(sessions.activityId))
    .limit(1);
  return next?.id;
}
