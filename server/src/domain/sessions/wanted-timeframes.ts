import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { type Interval, intervalsFor, type SessionPeriod, united } from "asi-convert/squad";
import { and, asc, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { assignments, ownerships } from "../../store/schema.js";
import { groupBy } from "../lists/group-by.js";
import { isValidBetween } from "../lists/times.js";
import { grantsOf } from "../permissions/coverage.js";
import { idAsName, periodRowsOf, periodsOfRows } from "./period-rows.js";
import { playersOf, requireAtMost, type SessionPlayer } from "./players.js";
import type { Session } from "./rules.js";

/** The name of the period for the whole session. */
export const WHOLE = "";

/** A time frame that a session should have. Both times are inclusive. */
export interface WantedTimeframe {
  athleteId: number;
  deviceId: number;
  period: string;
  startTime: Date;
  endTime: Date;
  params: Record<string, unknown>;
}

/** The reason why a player has no samples in a period. */
export type LeftOutReason = "no_device" | "no_permission";

export interface LeftOut {
  athleteId: number;
  period: string;
  reason: LeftOutReason;
}

/** The parts of a session. */
export interface SessionPlan {
  players: SessionPlayer[];
  periods: SessionPeriod[];
  wanted: WantedTimeframe[];
  /** The number of all time frames of each player, including those beyond `most`. */
  numbers: ReadonlyMap<number, number>;
  leftOut: LeftOut[];
}

/**
 * Returns the times of a player by period: the whole session first; empty for a period in which the player does not take part.
 */
export const timesOf = (
  { startTime, endTime }: Pick<Session, "startTime" | "endTime">,
  periods: readonly SessionPeriod[],
  athleteId: number,
): { period: string; intervals: readonly Interval[] }[] => [
  { period: WHOLE, intervals: [{ startMs: startTime.getTime(), endMs: endTime.getTime() }] },
  ...periods.map((period) => ({
    period: period.name,
    intervals: intervalsFor(period, idAsName(athleteId)),
  })),
];

/** Maximum number of rows of the table of a session, including those of periods in which a player does not take part. */
const MAX_ROWS = 10_000;

/** Maximum number of assignments in one session, because one transaction derives its time frames. */
const MAX_ASSIGNMENTS = 1_000;

/** Product of periods and assignments above which a session takes long to derive. */
const MANY_TIMES = 5_000;

type Times = { startTime: Date; endTime: Date };

/** Returns the intersection of two intervals; ends are exclusive. */
const common = (interval: Interval, { startTime, endTime }: Times): Interval => ({
  startMs: Math.max(interval.startMs, startTime.getTime()),
  endMs: Math.min(interval.endMs, endTime.getTime()),
});

/**
 * Returns the time frames derived from a session, its periods, the players and the assignments, and the players whose samples the
 * owner cannot read.
 * @param options.lock prevents permissions from changing until the transaction ends
 * @param options.most if more time frames than this are required, the plan contains at least one more; default: none are counted
 * @throws ServiceError `session_too_large`
 */
export async function planOf(
  queries: Queries,
  session: Session,
  { lock = false, most = 0 } = {},
): Promise<SessionPlan> {
  const players = await playersOf(queries, session);
  const periods = periodsOfRows(await periodRowsOf(queries, session.id));
  requireAtMost(MAX_ROWS, players.length * (1 + periods.length), "rows of players and periods");
  const athletes = players.map(({ athleteId }) => athleteId);
  const { startTime, endTime } = session;
  const needed = athletes.map((athleteId) => ({ athleteId, startTime, endTime }));
  const grants = await grantsOf(queries, session.ownerId, "WRITE", needed, { lock });
  const worn = athletes.length === 0 ? [] : await assignmentsIn(queries, session, athletes);
  requireAtMost(MAX_ASSIGNMENTS, worn.length, "assignments");
  const isOwned = ownedIn(worn.length === 0 ? [] : await ownershipsIn(queries, session, worn));
  const wanted: WantedTimeframe[] = [];
  const numbers = new Map<number, number>();
  const leftOut: LeftOut[] = [];
  for (const { athleteId, params } of players) {
    // Let other requests run, because there may be 200 periods and 1,000 assignments.
    if (periods.length * worn.length > MANY_TIMES) await nextEventLoopTurn();
    const own = worn.filter((one) => one.athleteId === athleteId);
    for (const { period, intervals } of timesOf(session, periods, athleteId)) {
      const frames = own.flatMap((assignment) =>
        intervals
          .map((interval) => common(interval, assignment))
          // The end of a time frame is inclusive.
          .filter(({ startMs, endMs }) => endMs - 1 > startMs)
          .filter((time) => isOwned(assignment.deviceId, time))
          .map(({ startMs, endMs }) => ({
            athleteId,
            deviceId: assignment.deviceId,
            period,
            startTime: new Date(startMs),
            endTime: new Date(endMs - 1),
            params,
          })),
      );
      const allowed = frames.filter(({ startTime, endTime }) => grants.cover(athleteId, startTime, endTime));
      numbers.set(athleteId, (numbers.get(athleteId) ?? 0) + allowed.length);
      // Further time frames are not needed, and there may be 200,000.
      if (wanted.length <= most) wanted.push(...allowed);
      if (intervals.length === 0) continue;
      if (frames.length === 0) leftOut.push({ athleteId, period, reason: "no_device" });
      else if (allowed.length < frames.length) leftOut.push({ athleteId, period, reason: "no_permission" });
    }
  }
  return { players, periods, wanted, numbers, leftOut };
}

const assignmentsIn = (
  queries: Queries,
  { ownerId, startTime, endTime }: Session,
  athletes: readonly number[],
) =>
  queries
    .select()
    .from(assignments)
    .where(
      and(
        inArray(assignments.athleteId, [...athletes]),
        eq(assignments.ownerId, ownerId),
        isValidBetween(assignments, startTime, endTime),
      ),
    )
    .orderBy(asc(assignments.id))
    .limit(MAX_ASSIGNMENTS + 1);

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
        isValidBetween(ownerships, startTime, endTime),
      ),
    );

/** Whether a device was owned at some instant of an interval. There may be thousands of ownerships and as many calls. */
function ownedIn(
  owned: readonly (Times & { deviceId: number })[],
): (deviceId: number, interval: Interval) => boolean {
  const intervalOf = ({ startTime, endTime }: Times) => ({
    startMs: startTime.getTime(),
    endMs: endTime.getTime(),
  });
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
