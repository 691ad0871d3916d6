import { type SQL, sql } from "drizzle-orm";
import { type Interval, millisecondsOf } from "../../store/samples/index.js";
import { type ChangeKind, changes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/*
 * The change log lists what each account must read again (docs/warehouse.md). A row contains no data. It only means
 * "read this object again": an unnecessary row costs the reader a request, and a missing row is an error.
 *
 * Rows are written in the transaction of the change, for the accounts that can read the object or lose access to it.
 * They contain the id of the transaction, because a number from a sequence can become visible after a higher one; see
 * `read-log.ts`.
 */

/** Columns of a change to an object, beside `account_id` and `object_id`. */
const OBJECT = sql`0 AS day, NULL::bigint AS from_ms, NULL::bigint AS to_ms`;

/** @param rows the columns `account_id`, `object_id`, `day`, `from_ms`, `to_ms`; each object once for an account */
async function record({ queries, now }: UnitOfWork, kind: ChangeKind, rows: SQL): Promise<void> {
  // Write in the order of the key, because concurrent changes would otherwise deadlock.
  await queries.execute(sql`
    INSERT INTO ${changes} AS known (account_id, kind, object_id, day, from_ms, to_ms, xid, changed_at)
    SELECT account_id, ${kind}::text, object_id, day, from_ms, to_ms, pg_current_xact_id(), ${now}::timestamptz FROM (${rows}) AS changed
    ORDER BY account_id, object_id, day
    ON CONFLICT (account_id, kind, object_id, day) DO UPDATE SET xid = excluded.xid, seq = excluded.seq,
      changed_at = excluded.changed_at, from_ms = least(known.from_ms, excluded.from_ms), to_ms = greatest(known.to_ms, excluded.to_ms)`);
}

const recordObjects = (unit: UnitOfWork, kind: ChangeKind, rows: SQL): Promise<void> =>
  record(unit, kind, sql`SELECT DISTINCT account_id, object_id, ${OBJECT} FROM (${rows}) AS concerned`);

/** Use a literal, which takes the type of the other operand. */
const DAY_MS = sql.raw("86400000::bigint");

const msOf = (time: SQL) => sql`(extract(epoch FROM ${time}) * 1000)::bigint`;

/** A device, and closed intervals with changed samples. */
interface ChangedSamples {
  deviceId: number;
  times: readonly Interval[];
}

/** Records one row for each day. @param parts the columns `account_id`, `object_id` and `part`, a range of ms */
const recordParts = (unit: UnitOfWork, parts: SQL): Promise<void> =>
  record(
    unit,
    "samples",
    sql`SELECT account_id, object_id, day, min(greatest(lower(part), day * ${DAY_MS})) AS from_ms,
        max(least(upper(part), (day + 1) * ${DAY_MS})) AS to_ms
      FROM (${parts}) AS parts CROSS JOIN LATERAL
        generate_series(floor(lower(part) / ${DAY_MS}::numeric)::integer, floor((upper(part) - 1) / ${DAY_MS}::numeric)::integer) AS day
      GROUP BY account_id, object_id, day`,
  );

/**
 * Records that samples were stored or removed. Every manager must read again the times during which the manager owned
 * the device. A device may have been taken ten thousand times, so the times of each manager are united before they are compared.
 */
export async function recordSamples(unit: UnitOfWork, { deviceId, times }: ChangedSamples): Promise<void> {
  if (times.length === 0) return;
  await recordParts(
    unit,
    sql`SELECT account_id, ${deviceId}::bigint AS object_id, unnest(times * range_agg(owned)) AS part
      FROM (SELECT manager_id AS account_id, int8range(${msOf(sql`start_time`)}, ${msOf(sql`end_time`)}) AS owned
        FROM ownerships WHERE device_id = ${deviceId}) AS ownerships
      CROSS JOIN (SELECT ${millisecondsOf(times)} AS times) AS changed WHERE times && owned
      GROUP BY account_id, times`,
  );
}

/** Records that samples were removed from times that the manager no longer owns. */
export async function recordLostSamples(
  unit: UnitOfWork,
  managerId: number,
  { deviceId, times }: ChangedSamples,
): Promise<void> {
  if (times.length === 0) return;
  await recordParts(
    unit,
    sql`SELECT ${managerId}::bigint AS account_id, ${deviceId}::bigint AS object_id, unnest(${millisecondsOf(times)}) AS part`,
  );
}

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

/** Selects the sessions during the memberships. */
export const sessionsOfMembers = (members: readonly Memberships[]): SessionIds =>
  sql`SELECT activity_id AS id FROM (
      SELECT squad_id, start_time AS joined, end_time AS ended FROM unnest(
        ${sql.param(members.map(({ athleteId }) => athleteId))}::bigint[], ${sql.param(members.map(({ managerId }) => managerId ?? null))}::bigint[]
      ) AS one (athlete_id, manager_id) JOIN squad_members USING (athlete_id)
      JOIN squads ON squads.id = squad_id AND owner_id = coalesce(manager_id, owner_id)
    ) AS member JOIN sessions USING (squad_id) WHERE ${isDuring(sql`joined`, sql`ended`)}`;

/** Selects the sessions with a period that gives the athlete separate times. */
export const sessionsWithTimesOf = (athleteId: number): SessionIds =>
  sql`SELECT session_id AS id FROM session_periods WHERE athlete_id = ${athleteId}`;

/** Selects everyone who can read the sessions of the statement `ids`, as `account_id` and `object_id`. */
const READERS = sql`
  SELECT owner_id AS account_id, activities.id AS object_id FROM activities
    JOIN sessions ON activity_id = activities.id WHERE activities.id = ANY(ARRAY(SELECT id FROM ids))
  UNION ALL SELECT guest_id, activity_id FROM sessions JOIN squad_grants USING (squad_id)
    WHERE activity_id = ANY(ARRAY(SELECT id FROM ids)) AND accepted_at IS NOT NULL
  UNION ALL SELECT athlete_id, session_id FROM session_timeframes JOIN timeframes ON timeframes.id = timeframe_id
    WHERE session_id = ANY(ARRAY(SELECT id FROM ids))`;

/**
 * Records that sessions, or only their figures, have changed for everyone who can read them.
 * @param alsoFor a further
 * account, which loses access to them
 */
export async function recordSessions(
  unit: UnitOfWork,
  kind: "session" | "figures",
  ids: SessionIds,
  alsoFor?: number,
): Promise<void> {
  const lost = alsoFor === undefined ? sql`` : sql`UNION ALL SELECT ${alsoFor}::bigint, id FROM ids`;
  await recordObjects(unit, kind, sql`WITH ids AS MATERIALIZED (${ids}) ${READERS} ${lost}`);
}

/** A session, and an account that can read it. */
export interface Reader {
  accountId: number;
  sessionId: number;
}

/** Returns the first readers after a reader of the sessions, in the order of sessions and accounts. */
export async function nextReaders(
  { queries }: UnitOfWork,
  ids: SessionIds,
  after: Reader,
  limit: number,
): Promise<Reader[]> {
  // Each session has at least one reader, its owner. Only the first session may have no further readers.
  const { rows } = await queries.execute<{ account_id: string; object_id: string }>(sql`
    WITH ids AS MATERIALIZED (
      SELECT DISTINCT id FROM (${ids}) AS found WHERE id >= ${after.sessionId} ORDER BY id LIMIT ${limit + 1}
    )
    SELECT DISTINCT object_id, account_id FROM (${READERS}) AS readers
    WHERE (object_id, account_id) > (${after.sessionId}::bigint, ${after.accountId}::bigint)
    ORDER BY object_id, account_id LIMIT ${limit}`);
  return rows.map((row) => ({ accountId: Number(row.account_id), sessionId: Number(row.object_id) }));
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

/** Records that squads have changed for everyone who can read them. @param condition in a statement with `squads` */
export const recordSquads = (unit: UnitOfWork, condition: SQL): Promise<void> =>
  recordObjects(
    unit,
    "squad",
    sql`WITH ids AS MATERIALIZED (SELECT id FROM squads WHERE ${condition})
      SELECT owner_id AS account_id, id AS object_id FROM squads WHERE id = ANY(ARRAY(SELECT id FROM ids))
      UNION ALL SELECT guest_id, squad_id FROM squad_grants
        WHERE squad_id = ANY(ARRAY(SELECT id FROM ids)) AND accepted_at IS NOT NULL
      UNION ALL SELECT athlete_id, squad_id FROM squad_members WHERE squad_id = ANY(ARRAY(SELECT id FROM ids))`,
  );

async function recordPairs(
  unit: UnitOfWork,
  kind: ChangeKind,
  pairs: readonly { accountId: number; objectId: number }[],
): Promise<void> {
  if (pairs.length === 0) return;
  await recordObjects(
    unit,
    kind,
    sql`SELECT * FROM unnest(${sql.param(pairs.map(({ accountId }) => accountId))}::bigint[],
      ${sql.param(pairs.map(({ objectId }) => objectId))}::bigint[]) AS pair (account_id, object_id)`,
  );
}

/** Records that the role of accounts in a squad has changed. */
export const recordRoles = (
  unit: UnitOfWork,
  roles: readonly { accountId: number; squadId: number }[],
): Promise<void> =>
  recordPairs(
    unit,
    "squad",
    roles.map(({ accountId, squadId }) => ({ accountId, objectId: squadId })),
  );

/**
 * Permissions that begin within this time count as begun, because the clocks of processes differ, and a transaction ends after its
 * time.
 */
const BEGINS_SOON = sql`interval '1 hour'`;

/**
 * Records that an athlete has changed, for the athlete and everyone who can read the account. See also `clockChanges`.
 */
export const recordAthlete = (unit: UnitOfWork, id: number): Promise<void> =>
  recordObjects(
    unit,
    "athlete",
    sql`SELECT manager_id AS account_id, athlete_id AS object_id FROM permissions WHERE athlete_id = ${id} AND permission = 'READ'
        AND start_time <= ${unit.now}::timestamptz + ${BEGINS_SOON} AND expiration_time > ${unit.now}::timestamptz
      UNION ALL SELECT id, id FROM accounts WHERE id = ${id}
      UNION ALL SELECT managed_by, id FROM accounts WHERE id = ${id} AND managed_by IS NOT NULL`,
  );

/** Records that permissions were given or withdrawn, which changes the athletes that the managers see. */
export const recordPermitted = (
  unit: UnitOfWork,
  permitted: readonly { athleteId: number; managerId: number }[],
): Promise<void> =>
  recordPairs(
    unit,
    "athlete",
    permitted.map(({ athleteId, managerId }) => ({ accountId: managerId, objectId: athleteId })),
  );
