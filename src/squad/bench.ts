import { type Interval, lengthOf, united, without } from "./interval.js";
import { halvesOf } from "./matches.js";
import { intervalsFor, type SessionPeriod } from "./periods.js";

/** The times when a player is off the pitch: in a period for all players in which the player has other times. */
export function offIntervals(periods: readonly SessionPeriod[], player: string): Interval[] {
  return united(
    periods.flatMap((period) =>
      period.all === null ? [] : without([period.all], intervalsFor(period, player)),
    ),
  );
}

/**
 * Time off the pitch, ms; for a whole session only within the halves of a match, because a training has drills for some
 * players.
 *
 * @param intervals requested intervals, ascending and disjoint; null for the whole session
 * @param played the periods of `playedPeriods`
 */
export function benchTimeMs(
  intervals: readonly Interval[] | null,
  played: readonly SessionPeriod[],
  player: string,
): number {
  if (intervals === null) return lengthOf(offIntervals(halvesOf(played) ?? [], player));
  return lengthOf(intervals) - lengthOf(without(intervals, offIntervals(played, player)));
}
