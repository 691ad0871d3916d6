import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { type Interval, intervalsFor, type SessionPeriod } from "asi-convert/squad";
import type { Queries } from "../../store/connection/database.js";
import { groupBy } from "../change/group-by.js";
import { containingAssignment, wearerOf } from "./containing-assignment.js";
import {
  type Assignment,
  type DerivationInputs,
  derivationInputs,
  intervalOf,
  timesOf,
  WHOLE,
} from "./derivation-inputs.js";
import { idAsName } from "./period-rows.js";
import type { SessionPlayer } from "./players.js";
import type { Session } from "./rules.js";

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
  leftOut: LeftOut[];
}

/** Number of combinations of intervals and assignments, of which a session can have 200,000, between two turns of the event loop. */
const COMBINATIONS_AT_A_TIME = 5_000;

/** Returns a function that counts combinations, and lets other requests run after many of them. */
function takeTurns(): (combinations: number) => Promise<void> {
  let count = 0;
  return async (combinations) => {
    count += combinations;
    if (count < COMBINATIONS_AT_A_TIME) return;
    count = 0;
    await nextEventLoopTurn();
  };
}

/** Yields the time frames of the players one after another, because there may be 200,000. */
export async function* wantedTimeframes(
  inputs: DerivationInputs,
  players: readonly SessionPlayer[] = inputs.players,
): AsyncGenerator<WantedTimeframe> {
  const turn = takeTurns();
  for (const { athleteId, params } of players) {
    for (const { period, intervals } of timesOf(inputs.session, inputs.periods, athleteId)) {
      for (const assignment of inputs.worn.get(athleteId) ?? []) {
        await turn(intervals.length);
        for (const time of timesWith(inputs, assignment, intervals)) {
          const [startTime, endTime] = inclusive(time);
          if (inputs.grants.cover(athleteId, startTime, endTime))
            yield { athleteId, deviceId: assignment.deviceId, period, startTime, endTime, params };
        }
      }
    }
  }
}

/**
 * Returns a function that finds what remains of a time frame of a session, with the params that it should have; undefined if it does
 * not apply. After the permission to write has ended, a time frame keeps its params, and its times in the session, because it states
 * whose samples these are; except one of a period whose samples the time frame of the whole session also contains.
 * @param known the time frames of the session
 */
export function remainderIn<Frame extends WantedTimeframe>(
  inputs: DerivationInputs,
  known: readonly Frame[],
): (frame: Frame) => Frame | undefined {
  const { session, players, periods, worn, grants } = inputs;
  const paramsOf = new Map(players.map(({ athleteId, params }) => [athleteId, params]));
  const named = new Map(periods.map((period) => [period.name, period]));
  const assignmentOf = containingAssignment(worn);
  const remainderOf = (frame: Frame, wholes?: ReadonlyMap<string, readonly Frame[]>): Frame | undefined => {
    const { athleteId, period, startTime, endTime } = frame;
    const params = paramsOf.get(athleteId);
    if (params === undefined) return undefined;
    const ofName = named.get(period);
    const whole = [intervalOf(session)];
    const intervals =
      period === WHOLE ? whole : ofName === undefined ? [] : intervalsFor(ofName, idAsName(athleteId));
    const assignment = assignmentOf(frame);
    const timesIn = (wanted: readonly Interval[]) =>
      assignment === undefined ? [] : timesWith(inputs, assignment, wanted);
    const isSame = ({ startMs, endMs }: Interval) =>
      startMs === startTime.getTime() && endMs - 1 === endTime.getTime();
    const isPermitted = (time: Interval) => grants.cover(athleteId, ...inclusive(time));
    const found = timesIn(intervals).find(isSame);
    if (found !== undefined) return isPermitted(found) ? { ...frame, params } : frame;
    // The assignments of a device do not overlap, so only one contains the time frame.
    const [inSession] = timesIn(whole);
    if (inSession === undefined) return undefined;
    const common = commonOf(frame, inSession);
    const isInWhole =
      period !== WHOLE && wholes?.get(wearerOf(frame))?.some((one) => contains(one, common)) === true;
    if (isInWhole || !isLongEnough(common) || isPermitted(period === WHOLE ? inSession : common))
      return undefined;
    const [start, end] = inclusive(common);
    return { ...frame, startTime: start, endTime: end };
  };
  // Those that do not remain contain no samples of a period.
  const wholes = groupBy(
    known.filter(({ period }) => period === WHOLE).flatMap((one) => remainderOf(one) ?? []),
    wearerOf,
  );
  return (frame) => remainderOf(frame, wholes);
}

type Times = Pick<WantedTimeframe, "startTime" | "endTime">;

/** The part of a time that a time frame contains. */
const commonOf = ({ startTime, endTime }: Times, { startMs, endMs }: Interval): Interval => ({
  startMs: Math.max(startTime.getTime(), startMs),
  endMs: Math.min(endTime.getTime() + 1, endMs),
});

const contains = (frame: Times, time: Interval): boolean => {
  const { startMs, endMs } = commonOf(frame, time);
  return startMs === time.startMs && endMs === time.endMs;
};

/**
 * The parts of a session, and the players without time frames.
 * @param frames the time frames of the session
 * @throws ServiceError `session_too_large`
 */
export async function planOf(
  queries: Queries,
  session: Session,
  frames: readonly Omit<WantedTimeframe, "params">[],
): Promise<SessionPlan> {
  const inputs = await derivationInputs(queries, session);
  const { players, periods, worn, grants } = inputs;
  const keyOf = ({
    athleteId,
    deviceId,
    period,
  }: Omit<WantedTimeframe, "params" | "startTime" | "endTime">) => `${athleteId} ${deviceId} ${period}`;
  const known = groupBy(frames, keyOf);
  const turn = takeTurns();
  const leftOut: LeftOut[] = [];
  for (const { athleteId } of players) {
    const isAllPermitted = grants.cover(athleteId, session.startTime, session.endTime);
    for (const { period, intervals } of timesOf(session, periods, athleteId)) {
      let hasDevice = false;
      let isPermitted = true;
      for (const assignment of worn.get(athleteId) ?? []) {
        // The other assignments change nothing.
        if (hasDevice && (isAllPermitted || !isPermitted)) break;
        await turn(intervals.length);
        const times = timesWith(inputs, assignment, intervals);
        hasDevice ||= times.length > 0;
        const own = known.get(keyOf({ athleteId, deviceId: assignment.deviceId, period })) ?? [];
        isPermitted &&=
          isAllPermitted ||
          times.every(
            (time) =>
              grants.cover(athleteId, ...inclusive(time)) || own.some((frame) => contains(frame, time)),
          );
      }
      if (intervals.length === 0) continue;
      if (!hasDevice) leftOut.push({ athleteId, period, reason: "no_device" });
      else if (!isPermitted) leftOut.push({ athleteId, period, reason: "no_permission" });
    }
  }
  return { players, periods, leftOut };
}

/** The times in which a player wears a device of the owner. Their ends are exclusive. */
const timesWith = (
  { isOwned }: Pick<DerivationInputs, "isOwned">,
  { deviceId, ...assignment }: Assignment,
  intervals: readonly Interval[],
): Interval[] => {
  const worn = intervalOf(assignment);
  return intervals
    .map(({ startMs, endMs }) => ({
      startMs: Math.max(startMs, worn.startMs),
      endMs: Math.min(endMs, worn.endMs),
    }))
    .filter(isLongEnough)
    .filter((time) => isOwned(deviceId, time));
};

/** The end of a time frame is inclusive, and later than its start. */
const isLongEnough = ({ startMs, endMs }: Interval): boolean => endMs - 1 > startMs;

const inclusive = ({ startMs, endMs }: Interval): [start: Date, end: Date] => [
  new Date(startMs),
  new Date(endMs - 1),
];
