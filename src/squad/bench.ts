import { type Interval, lengthOf, united, without } from "./interval.js";
import { halvesOf } from "./matches.js";
import { intervalsFor, type SessionPeriod } from "./periods.js";

/** When a player is off: a period is for all, and the player has other times in it. */
export function offIntervals(periods: readonly SessionPeriod[], player: string): Interval[] {
  return united(
    periods.flatMap((period) =>
      period.all === null ? [] : without([period.all], intervalsFor(period, player)),
    ),
  );
}

/**
 * How long a player is off, ms: of a session as a whole, in the halves of a match, because in a training there are drills for some.
 *
 * @param intervals the time that is asked for, ascending and disjoint; null: the whole session
 * @param played those of `playedPeriods`
 */
export function benchTimeMs(
  intervals: readonly Interval[] | null,
  played: readonly SessionPeriod[],
  player: string,
): number {
  if (intervals === null) return lengthOf(offIntervals(halvesOf(played) ?? [], player));
  return lengthOf(intervals) - lengthOf(without(intervals, offIntervals(played, player)));
}
