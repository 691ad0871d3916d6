import { type Interval, intervalsFor, type SessionPeriod, united } from "asi-convert/squad";
import { and, asc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { assignments, ownerships, sessionTimeframes, timeframes } from "../../store/schema.js";
import { groupBy } from "../change/group-by.js";
import { type Grants, grantsOf } from "../permissions/coverage.js";
import { idAsName, periodRowsOf, periodsOfRows } from "./period-rows.js";
import { playersOf, requireAtMost, type SessionPlayer } from "./players.js";
import type { Session } from "./rules.js";

/** The name of the period for the whole session. */
export const WHOLE = "";

/** Maximum number of rows of its table, including those of periods in which a player does not take part. */
const MAX_ROWS = 10_000;

/** Maximum number of assignments in one session, because one transaction derives its time frames. */
const MAX_ASSIGNMENTS = 1_000;

type Times = { startTime: Date; endTime: Date };

export type Assignment = typeof assignments.$inferSelect;

/** What determines the time frames of a session. */
export interface DerivationInputs {
  session: Session;
  players: SessionPlayer[];
  periods: SessionPeriod[];
  /** The assignments of each player. */
  worn: ReadonlyMap<number, Assignment[]>;
  /** Whether the owner of the session owned a device at some instant of an interval. */
  isOwned(deviceId: number, interval: Interval): boolean;
  grants: Grants;
}

/** The times of a player by period: the whole session first; empty for a period in which the player does not take part. */
export const timesOf = (
  session: Times,
  periods: readonly SessionPeriod[],
  athleteId: number,
): { period: string; intervals: readonly Interval[] }[] => [
  { period: WHOLE, intervals: [intervalOf(session)] },
  ...periods.map((period) => ({
    period: period.name,
    intervals: intervalsFor(period, idAsName(athleteId)),
  })),
];

export const intervalOf = ({ startTime, endTime }: Times): Interval => ({
  startMs: startTime.getTime(),
  endMs: endTime.getTime(),
});

/**
 * Reads what determines the time frames of a session.
 * @param options.lock prevents permissions from changing until the transaction ends
 * @throws ServiceError `session_too_large`
 */
export async function derivationInputs(
  queries: Queries,
  session: Session,
  { lock = false } = {},
): Promise<DerivationInputs> {
  const players = await playersOf(queries, session);
  const periods = periodsOfRows(await periodRowsOf(queries, session.id));
  requireAtMost(MAX_ROWS, players.length * (1 + periods.length), "rows of players and periods");
  const ofPlayers = inArray(
    assignments.athleteId,
    players.map(({ athleteId }) => athleteId),
  );
  const worn =
    players.length === 0 ? [] : await assignmentsIn(queries, session, ofPlayers).limit(MAX_ASSIGNMENTS + 1);
  requireAtMost(MAX_ASSIGNMENTS, worn.length, "assignments");
  return { session, players, periods, ...(await rightsTo(queries, session, players, worn, lock)) };
}

/**
 * Reads only what determines whether the existing time frames of a session still apply, in a session of any size.
 * @param athletes those of the time frames
 */
export async function inputsOfExisting(
  queries: Queries,
  session: Session,
  athletes: readonly number[],
): Promise<DerivationInputs> {
  const players = await playersOf(queries, session, athletes);
  const periods = periodsOfRows(await periodRowsOf(queries, session.id));
  // Assignments of a device do not overlap, so only the first one that ends later can contain a time frame.
  const ofFrames = sql`${assignments.id} IN (
    SELECT (SELECT next.id FROM ${assignments} AS next
      WHERE next.device_id = ${timeframes.deviceId} AND next.owner_id = ${session.ownerId} AND next.end_time > ${timeframes.endTime}
      ORDER BY next.end_time LIMIT 1)
    FROM ${sessionTimeframes} JOIN ${timeframes} ON ${timeframes.id} = ${sessionTimeframes.timeframeId}
    WHERE ${sessionTimeframes.sessionId} = ${session.id})`;
  const worn = athletes.length === 0 ? [] : await assignmentsIn(queries, session, ofFrames);
  return { session, players, periods, ...(await rightsTo(queries, session, players, worn, true)) };
}

async function rightsTo(
  queries: Queries,
  session: Session,
  players: readonly SessionPlayer[],
  worn: readonly Assignment[],
  lock: boolean,
): Promise<Pick<DerivationInputs, "worn" | "isOwned" | "grants">> {
  const { startTime, endTime } = session;
  const needed = players.map(({ athleteId }) => ({ athleteId, startTime, endTime }));
  const grants = await grantsOf(queries, session.ownerId, "WRITE", needed, { lock });
  const owned = worn.length === 0 ? [] : await ownershipsIn(queries, session, worn);
  return { worn: groupBy(worn, ({ athleteId }) => athleteId), isOwned: ownedIn(owned), grants };
}

/** Assignments in a session. */
const assignmentsIn = (queries: Queries, { ownerId, startTime, endTime }: Session, matching: SQL) =>
  queries
    .select()
    .from(assignments)
    .where(
      and(
        matching,
        eq(assignments.ownerId, ownerId),
        lt(assignments.startTime, endTime),
        gt(assignments.endTime, startTime),
      ),
    )
    .orderBy(asc(assignments.id))
    .$dynamic();

const ownershipsIn = (
  queries: Queries,
  { ownerId, startTime, endTime }: Session,
  worn: readonly { deviceId: number }[],
) =>
  queries
    .select({
      deviceId: ownerships.deviceId,
      startTime: ownerships.startTime,
      endTime: ownerships.endTime,
    })
    .from(ownerships)
    .where(
      and(
        inArray(ownerships.deviceId, [...new Set(worn.map(({ deviceId }) => deviceId))]),
        eq(ownerships.managerId, ownerId),
        lt(ownerships.startTime, endTime),
        gt(ownerships.endTime, startTime),
      ),
    );

/** Whether a device was owned at some instant of an interval. There may be thousands of ownerships and as many calls. */
function ownedIn(owned: readonly (Times & { deviceId: number })[]): DerivationInputs["isOwned"] {
  const byDevice = groupBy(owned, ({ deviceId }) => deviceId);
  const unitedByDevice = new Map(
    [...byDevice].map(([deviceId, times]) => [deviceId, united(times.map(intervalOf))]),
  );
  return (deviceId, { startMs, endMs }) => {
    const intervals = unitedByDevice.get(deviceId) ?? [];
    let [from, to] = [0, intervals.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((intervals[middle]?.endMs ?? 0) > startMs) to = middle;
      else from = middle + 1;
    }
    return (intervals[from]?.startMs ?? Number.POSITIVE_INFINITY) < endMs;
  };
}
