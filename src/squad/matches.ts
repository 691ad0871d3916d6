import { canBeHalf, isNamedHalf } from "./half-names.js";
import { type Interval, united } from "./interval.js";
import { intervalsFor, type SessionPeriod, timesOf } from "./periods.js";
import { nameKey } from "./roster.js";
import { isAsLongAsHalf, type SuggestedPeriod } from "./suggest-periods.js";

/** A longer pause is not that between halves: for example, it contains a quarter *(choice)*. */
const LONGEST_PAUSE_MS = 40 * 60_000;

/**
 * Finds the halves of a match: the two periods of 30 to 70 minutes, if there are exactly two, with a pause of 0 to 40 minutes *(choice)*. If a
 * period has the name of a half, only periods with such names count, otherwise all but those with the name of a warm-up, a drill or extra
 * time. A session without halves, such as a training session, is not a match.
 *
 * @param periods from `readPeriods`
 * @returns the halves in chronological order; null if the session is not a match
 */
export function halvesOf(periods: readonly SessionPeriod[]): [SessionPeriod, SessionPeriod] | null {
  const named = periods.filter(isNamedHalf);
  const [first, second, third] = (named.length > 0 ? named : periods.filter(canBeHalf))
    .map((period) => ({ period, ...extentOf(period) }))
    .filter(isAsLongAsHalf)
    .sort((a, b) => a.startMs - b.startMs);
  if (!first || !second || third) return null;
  const pauseMs = second.startMs - first.endMs;
  return pauseMs >= 0 && pauseMs <= LONGEST_PAUSE_MS ? [first.period, second.period] : null;
}

/** Converts suggested periods to the form of periods from a file, for all players. */
export function asSessionPeriods(suggested: readonly SuggestedPeriod[]): SessionPeriod[] {
  return suggested.map(({ name, startMs, endMs }) => ({
    name,
    all: { startMs, endMs },
    own: new Map(),
    line: 0,
  }));
}

/**
 * Joins several periods into one, for example the halves into the match. Each player has the intervals of all of them.
 *
 * @param players names of all players of the session
 */
export function joinedPeriods(
  name: string,
  periods: readonly SessionPeriod[],
  players: readonly string[],
): SessionPeriod {
  const intervals = (player: string) => united(periods.flatMap((period) => intervalsFor(period, player)));
  return {
    name,
    all: null,
    own: new Map(players.map((player) => [nameKey(player), intervals(player)])),
    line: 0,
  };
}

/** Name of the joined halves in tables. */
export const MATCH = "Match";

/**
 * Returns the halves of a match as one period for tables, because the session also contains the warm-up and the break.
 *
 * @param players names of all players of the session
 * @returns null if the session is not a match, or if one of its periods already has that name
 */
export function matchOf(periods: readonly SessionPeriod[], players: readonly string[]): SessionPeriod | null {
  const halves = halvesOf(periods);
  const isNamed = periods.some(({ name }) => nameKey(name) === nameKey(MATCH));
  return halves === null || isNamed ? null : joinedPeriods(MATCH, halves, players);
}

/** Returns the interval from the first start of any player to the last end. */
function extentOf(period: SessionPeriod): Interval {
  const intervals = timesOf(period);
  return {
    startMs: Math.min(...intervals.map(({ startMs }) => startMs)),
    endMs: Math.max(...intervals.map(({ endMs }) => endMs)),
  };
}
