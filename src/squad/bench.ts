import { type Interval, united, without } from "./interval.js";
import { halvesOf } from "./matches.js";
import { intervalsFor, type SessionPeriod } from "./periods.js";

/** Returns the times when a player is off the pitch, in a period for all players in which the player has individual times. */
export function offIntervals(periods: readonly SessionPeriod[], player: string): Interval[] {
  return united(
    periods.flatMap((period) =>
      period.all === null ? [] : without([period.all], intervalsFor(period, player)),
    ),
  );
}

/**
 * Creates a function that returns the times off the pitch of a player. For a whole session, only the halves of a match count, because a
 * training session has drills for some players.
 *
 * @param played the periods from `playedPeriods`
 * @returns a function that returns the times within ascending and disjoint intervals; null means the whole session
 */
export function benchOf(
  played: readonly SessionPeriod[],
  player: string,
): (intervals: readonly Interval[] | null) => Interval[] {
  const off = offIntervals(played, player);
  return (intervals) =>
    intervals === null
      ? offIntervals(halvesOf(played) ?? [], player)
      : without(intervals, without(intervals, off));
}
