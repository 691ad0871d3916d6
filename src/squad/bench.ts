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
 * The time off the pitch of a player; for a whole session only within the halves of a match, because a training has drills
 * for some players.
 *
 * @param played the periods of `playedPeriods`
 * @returns function that returns the time, ms, within intervals, ascending and disjoint; null for the whole session
 */
export function benchTimeOf(
  played: readonly SessionPeriod[],
  player: string,
): (intervals: readonly Interval[] | null) => number {
  const off = offIntervals(played, player);
  return (intervals) =>
    intervals === null
      ? lengthOf(offIntervals(halvesOf(played) ?? [], player))
      : lengthOf(intervals) - lengthOf(without(intervals, off));
}
