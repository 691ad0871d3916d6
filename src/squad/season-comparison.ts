import { type SquadColumn, WHOLE_PERIOD_SHARE } from "./columns.js";
import { isIncomplete, signalShare } from "./incomplete.js";
import { type SeasonEntry, type SeasonPlayer, seasonFigure } from "./season.js";
import { type FigureLimits, hasSameLimit } from "./season-limits.js";

/** The rule for a player's normal range *(choice)*. */
export const NORMAL_RULE = {
  /** Number of previous matches that are used. */
  matches: 5,
  /** Minimum number of matches. A player with fewer is new, and has no normal range. */
  fewestMatches: 3,
  /** Minimum duration of a player's data in a match that is used, minutes. */
  shortestMinutes: 10,
  /** Half the width of the range, in standard deviations. */
  deviations: 1.5,
  /** Minimum standard deviation, as a share of the mean. Equal matches therefore also result in a range. */
  smallestDeviation: 0.045,
} as const;

/** Mean and normal range of a figure in the matches before a session. */
export interface Normal {
  mean: number;
  /** The normal range. */
  low: number;
  high: number;
}

/** What a session must have in common with the one that is compared. */
export interface Compared {
  sport: string | undefined;
  limits: FigureLimits | null | undefined;
  /** Playing time in a match; null for a training session and without data. */
  minutes: number | null;
}

/** Returns whether the figures of a session are those of a match. Figures that include the warm-up and the break are not comparable with them. */
export const coversHalves = (entry: SeasonEntry | undefined): boolean => entry?.row?.covers === "halves";

/** Returns whether figures include more time on the bench than those in means, as in the table of a squad. */
export const isOnBench = ({ row }: SeasonEntry): boolean =>
  row !== null && 1 - row.benchShare < WHOLE_PERIOD_SHARE;

const isOnPitch = (entry: SeasonEntry): boolean => coversHalves(entry) && !isOnBench(entry);

/** Returns the minutes that a player plays, with and without data; null without data. */
const playedMinutes = ({ row }: SeasonEntry): number | null =>
  row?.figures.minutes ? row.figures.minutes / (row.coverage || 1) : null;

/** Returns what sessions must have in common with one that is compared. Default: the last session */
export function comparedAt(entries: readonly SeasonEntry[], index = entries.length - 1): Compared {
  const entry = entries[index];
  const sport = entry?.session.sport;
  const limited = entries
    .slice(0, index + 1)
    .findLast((one) => one.session.sport === sport && one.row?.limits);
  return {
    sport,
    limits: limited?.row?.limits,
    minutes: entry !== undefined && isOnPitch(entry) ? playedMinutes(entry) : null,
  };
}

/** Returns whether a figure is of the same sport, with the same limit, as that of the session that is compared. */
export const isAlike = ({ row, session }: SeasonEntry, column: SquadColumn, compared: Compared): boolean =>
  session.sport === compared.sport && hasSameLimit(column, row?.limits, compared.limits);

/** Returns whether a figure misses more than a twentieth of its signal. */
export const isPartial = (entry: SeasonEntry | undefined, column: SquadColumn): boolean =>
  !!entry?.row && isIncomplete(signalShare(entry.row, column));

/** Returns whether the figures are of fewer minutes than are compared. */
export const isShort = ({ row }: SeasonEntry): boolean =>
  (row?.figures.minutes ?? Number.POSITIVE_INFINITY) < NORMAL_RULE.shortestMinutes;

/** Returns whether figures can be compared with those of matches. A match must cover the halves, without time on the bench. */
export const isComparable = (entry: SeasonEntry | undefined): boolean =>
  !entry?.row || (!isShort(entry) && (!entry.session.isMatch || isOnPitch(entry)));

/** Returns whether a player took part in a match for long enough to be compared. */
export const isPlayedMatch = (entry: SeasonEntry): boolean =>
  isOnPitch(entry) && (entry.row?.figures.minutes ?? 0) >= NORMAL_RULE.shortestMinutes;

/** Returns whether a figure depends on the playing time. Minutes are excluded, because they are the playing time. */
const growsWithTime = ({ key, kind }: SquadColumn): boolean => kind === "sum" && key !== "minutes";

/** Returns whether a player plays about as long as in the match that is compared; a training session is compared with whole matches. */
function isAsLong(entry: SeasonEntry, { minutes }: Compared): boolean {
  if (minutes === null) return isWholeEntry(entry);
  const own = playedMinutes(entry) ?? 0;
  return Math.min(own, minutes) >= WHOLE_PERIOD_SHARE * Math.max(own, minutes);
}

/**
 * Returns the value of a match that counts in the normal range; null if there is none. The sum of another playing time, a figure of another
 * sport or with another limit, and a figure that misses a part of its signal do not count: a rate or a mean of a few minutes is not that
 * of a match.
 */
export const matchFigure = (entry: SeasonEntry, column: SquadColumn, compared: Compared): number | null =>
  isPlayedMatch(entry) &&
  isAlike(entry, column, compared) &&
  !isPartial(entry, column) &&
  (!growsWithTime(column) || isAsLong(entry, compared))
    ? seasonFigure(entry, column)
    : null;

/** Returns the comparable values of a figure in the last five matches before a session; none if it is not comparable itself. */
function matchesBefore({ entries }: SeasonPlayer, index: number, column: SquadColumn): number[] {
  if (!isComparable(entries[index])) return [];
  const compared = comparedAt(entries, index);
  const values: number[] = [];
  for (const entry of entries.slice(0, index).reverse()) {
    const value = matchFigure(entry, column, compared);
    if (value !== null) values.push(value);
    if (values.length === NORMAL_RULE.matches) break;
  }
  return values.reverse();
}

/**
 * Returns the normal range of a player's figure before a session: the mean of the last five matches and the range around it.
 *
 * @param index index of the session; only earlier sessions are used
 * @returns null with fewer than three comparable matches, and for a match that is not comparable
 */
export function normalBefore(player: SeasonPlayer, index: number, column: SquadColumn): Normal | null {
  const { fewestMatches, deviations, smallestDeviation } = NORMAL_RULE;
  const values = matchesBefore(player, index, column);
  if (values.length < fewestMatches) return null;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.max(Math.sqrt(squares / (values.length - 1)), smallestDeviation * mean);
  return { mean, low: mean - deviations * deviation, high: mean + deviations * deviation };
}

/** Returns why there is no normal range before a comparable session: too few matches, or too few with about the same minutes. */
export function newnessOf(player: SeasonPlayer, index: number, column: SquadColumn): string {
  const { minutes } = comparedAt(player.entries, index);
  const isNew = minutes === null || normalBefore(player, index, { ...column, kind: "level" }) === null;
  return isNew ? "new" : `new at ${Math.round(minutes)} min`;
}

/**
 * Divides a figure of a session by its mean over the previous five matches.
 *
 * @returns null if the figure is missing, if there is no previous match, if the match is not comparable, or if that mean is 0
 */
export function shareOfMatches(player: SeasonPlayer, index: number, column: SquadColumn): number | null {
  const entry = player.entries[index];
  const value = entry === undefined ? null : seasonFigure(entry, column);
  const before = matchesBefore(player, index, column);
  const mean = meanOf(before);
  return value === null || before.length === 0 || mean === 0 ? null : value / mean;
}

/** Returns whether a player plays nearly the whole session and has data. Means include only these sessions, as in the table of a squad. */
export function isWholeEntry({ row }: SeasonEntry, column?: SquadColumn): boolean {
  if (row === null) return false;
  const share = column === undefined ? row.coverage : signalShare(row, column);
  // the service does not know the share while figures of other players are missing; players who do not take part have no minutes
  if (share === null && (row.figures.minutes ?? null) === null) return false;
  return ((share ?? 1) - (row.benchRecordedShare ?? 0)) * row.playedShare >= WHOLE_PERIOD_SHARE;
}

/** Returns the mean of some values. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
