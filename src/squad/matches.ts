import { type Interval, united } from "./interval.js";
import { intervalsFor, type SessionPeriod } from "./periods.js";
import { nameKey } from "./roster.js";
import { PLAY_RULE, type SuggestedPeriod } from "./suggest-periods.js";

/** With a period of at least this length between them, two periods are not halves, but for example quarters *(choice)*. */
const LONG_BETWEEN_MS = 20 * 60_000;

/**
 * Finds the halves of a match: the two periods of 30 to 70 minutes, if there are exactly two, they do not overlap, and no period of at least
 * 20 minutes is between them *(choice)*. A session without halves, such as a training session, is not a match.
 *
 * @param periods from `readPeriods`
 * @returns the halves in chronological order; null if the session is not a match
 */
export function halvesOf(periods: readonly SessionPeriod[]): [SessionPeriod, SessionPeriod] | null {
  const { shortest, longest } = PLAY_RULE.halfMs;
  const all = periods.map((period) => ({ period, extent: extentOf(period) }));
  const long = all
    .filter(({ extent: { startMs, endMs } }) => endMs - startMs >= shortest && endMs - startMs <= longest)
    .sort((a, b) => a.extent.startMs - b.extent.startMs);
  const [first, second] = long;
  if (first === undefined || second === undefined || long.length > 2) return null;
  const pause = { startMs: first.extent.endMs, endMs: second.extent.startMs };
  if (pause.startMs > pause.endMs) return null;
  const isBetween = ({ extent: { startMs, endMs } }: (typeof all)[number]) =>
    startMs >= pause.startMs && endMs <= pause.endMs && endMs - startMs >= LONG_BETWEEN_MS;
  return all.some(isBetween) ? null : [first.period, second.period];
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
function extentOf({ all, own }: SessionPeriod): Interval {
  const intervals = [...(all === null ? [] : [all]), ...[...own.values()].flat()];
  return {
    startMs: Math.min(...intervals.map(({ startMs }) => startMs)),
    endMs: Math.max(...intervals.map(({ endMs }) => endMs)),
  };
}
