import { type SQL, sql } from "drizzle-orm";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { canRead, recordObjects, recordPairs } from "./record.js";

/** Statement that selects ids of sessions. */
export type SessionIds = SQL;

export const theseSessions = (ids: readonly number[]): SessionIds =>
  sql`SELECT unnest(${sql.param(ids)}::bigint[]) AS id`;

/** Selects the sessions from which the time frames are derived. */
export const sessionsOfTimeframes = (ids: readonly number[]): SessionIds =>
  sql`SELECT session_id AS id FROM session_timeframes WHERE timeframe_id = ANY(${sql.param(ids)}::bigint[])`;

/** An interval of a manager's sessions: from inclusive, to exclusive. */
interface Times {
  startTime: Date;
  endTime: Date;
}

/**
 * Length of the longest session. With this limit, an index on the start finds the sessions that begin before a time.
 */
const LONGEST = sql`interval '24 hours'`;

const isDuring = (start: SQL, end: SQL): SQL =>
  sql`start_time < ${end} AND start_time > ${start} - ${LONGEST} AND end_time > ${start}`;

/** Selects the sessions of a manager's squads in an interval. */
export const sessionsDuring = (ownerId: number, { startTime, endTime }: Times): SessionIds =>
  sql`SELECT activity_id AS id FROM sessions WHERE squad_id = ANY(ARRAY(SELECT id FROM squads WHERE owner_id = ${ownerId}))
    AND ${isDuring(sql`${startTime}::timestamptz`, sql`${endTime}::timestamptz`)}`;

/** Selects an athlete's memberships of a manager's squads, or of all squads. */
export interface Memberships {
  athleteId: number;
  managerId?: number;
}

/**
 * Selects the sessions during the memberships. The memberships of a squad are one value, so every session is compared once,
 * regardless of their number.
 * @param members each pair once
 */
export const sessionsOfMembers = (members: readonly Memberships[]): SessionIds =>
  sql`SELECT activity_id AS id FROM (
      SELECT squad_id, range_agg(tstzrange(start_time, end_time)) AS times FROM unnest(
        ${sql.param(members.map(({ athleteId }) => athleteId))}::bigint[], ${sql.param(members.map(({ managerId }) => managerId ?? null))}::bigint[]
      ) AS one (athlete_id, manager_id) JOIN squad_members USING (athlete_id)
      JOIN squads ON squads.id = squad_id AND owner_id = coalesce(manager_id, owner_id) GROUP BY squad_id
    ) AS member JOIN sessions USING (squad_id)
    WHERE ${isDuring(sql`lower(times)`, sql`upper(times)`)} AND tstzrange(start_time, end_time) && times`;

/** Selects the sessions with a period that gives the athlete separate times. */
export const sessionsWithTimesOf = (athleteId: number): SessionIds =>
  sql`SELECT session_id AS id FROM session_periods WHERE athlete_id = ${athleteId}`;

/** Selects everyone who can read the session `found.id`. */
const READERS = sql`
  SELECT owner_id AS account_id FROM activities JOIN sessions ON activity_id = activities.id WHERE activities.id = found.id
  UNION SELECT guest_id FROM sessions JOIN squad_grants USING (squad_id) WHERE activity_id = found.id AND accepted_at IS NOT NULL
  UNION SELECT athlete_id FROM session_timeframes JOIN timeframes ON timeframes.id = timeframe_id WHERE session_id = found.id`;

/**
 * Records that sessions, or only their figures, have changed for everyone who can read them. If there can be many sessions, use
 * `recordSessionsOf`.
 * @param alsoFor a further account, which loses access to them
 */
export async function recordSessions(
  unit: UnitOfWork,
  kind: "session" | "figures",
  ids: SessionIds,
  alsoFor?: number,
): Promise<void> {
  const lost = alsoFor === undefined ? sql`` : sql`UNION ALL SELECT ${alsoFor}::bigint, id FROM ids`;
  await recordObjects(
    unit,
    kind,
    sql`WITH ids AS MATERIALIZED (${ids})
      SELECT account_id, found.id AS object_id FROM ids AS found CROSS JOIN LATERAL (${READERS}) AS readers ${lost}`,
  );
}

/** Records the sessions of time frames that are being deleted for their athletes, who may lose access to them. */
export const recordLostSessions = (unit: UnitOfWork, deleted: readonly { id: number }[]): Promise<void> =>
  recordObjects(
    unit,
    "session",
    sql`SELECT athlete_id AS account_id, session_id AS object_id FROM session_timeframes
      JOIN timeframes ON timeframes.id = timeframe_id WHERE timeframe_id = ANY(${idsOf(deleted)})`,
  );

/**
 * Returns the sessions with these time frames.
 * @param options.withActivity omits sessions with the activities of the time frames. Version 1 can move a time frame to another one.
 */
export async function sessionsWith(
  { queries }: UnitOfWork,
  timeframes: readonly { id: number }[],
  { withActivity }: { withActivity: boolean },
): Promise<{ id: number; ownerId: number }[]> {
  const { rows } = await queries.execute<{ id: string; owner_id: string }>(sql`
    SELECT DISTINCT activities.id, activities.owner_id FROM session_timeframes JOIN activities ON activities.id = session_id
      JOIN timeframes ON timeframes.id = timeframe_id
    WHERE timeframe_id = ANY(${idsOf(timeframes)}) AND NOT (${withActivity} AND session_id = activity_id) ORDER BY activities.id`);
  return rows.map((row) => ({ id: Number(row.id), ownerId: Number(row.owner_id) }));
}

const idsOf = (rows: readonly { id: number }[]): SQL => sql`${sql.param(rows.map(({ id }) => id))}::bigint[]`;

/** A session, and an account that can read it; also a place in the order of both. */
export interface Reader {
  accountId: number;
  sessionId: number;
}

/** The next of selected sessions, in order. */
export interface FoundSessions {
  ids: readonly number[];
  /** Whether no others follow. */
  isAll: boolean;
}

/** Returns the first of the sessions from an id on. */
export async function nextSessions(
  { queries }: UnitOfWork,
  ids: SessionIds,
  from: number,
  limit: number,
): Promise<FoundSessions> {
  const { rows } = await queries.execute<{ id: string }>(sql`
    SELECT id FROM (${ids}) AS any_order WHERE id >= ${from} ORDER BY id LIMIT ${limit}`);
  return { ids: rows.map(({ id }) => Number(id)), isAll: rows.length < limit };
}

/**
 * Maximum number of sessions whose readers one transaction reads, because each can have hundreds of time frames whose athletes
 * cannot sign in.
 */
export const SESSIONS_AT_A_TIME = 20;

/**
 * Returns the first readers after a place of the first sessions, in the order of sessions and accounts, and the place after which
 * there may be more.
 */
export async function nextReaders(
  { queries }: UnitOfWork,
  { ids, isAll }: FoundSessions,
  after: Reader,
  limit: number,
): Promise<{ readers: Reader[]; next: Reader | undefined }> {
  const sessionIds = ids.slice(0, SESSIONS_AT_A_TIME);
  const { rows } = await queries.execute<{ account_id: string; object_id: string }>(sql`
    SELECT found.id AS object_id, account_id FROM (${theseSessions(sessionIds)}) AS found CROSS JOIN LATERAL (${READERS}) AS readers
    WHERE (found.id, account_id) > (${after.sessionId}::bigint, ${after.accountId}::bigint) AND ${canRead(sql`account_id`)}
    ORDER BY found.id, account_id LIMIT ${limit}`);
  const readers = rows.map((row) => ({
    accountId: Number(row.account_id),
    sessionId: Number(row.object_id),
  }));
  if (readers.length === limit) return { readers, next: readers.at(-1) };
  const last = isAll && sessionIds.length === ids.length ? undefined : sessionIds.at(-1);
  return { readers, next: last === undefined ? undefined : { sessionId: last + 1, accountId: 0 } };
}

/** Records that sessions, or only their figures, have changed for these readers. */
export const recordReaders = (
  unit: UnitOfWork,
  kind: "session" | "figures",
  readers: readonly Reader[],
): Promise<void> =>
  recordPairs(
    unit,
    kind,
    readers.map(({ accountId, sessionId }) => ({ accountId, objectId: sessionId })),
  );
