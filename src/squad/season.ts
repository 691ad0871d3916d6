import type { ProfilePoint } from "../metrics/person/acceleration-speed.js";
import { figureOf, longestMs, SQUAD_COLUMNS, type SquadColumn, WHOLE_PERIOD_SHARE } from "./columns.js";
import { type DataShares, isIncomplete, signalShare } from "./incomplete.js";
import { nameKey } from "./roster.js";
import { type FigureLimits, hasLimit, limitsAt, limitsOf } from "./season-limits.js";
import type { SquadRow } from "./squad-table.js";

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

/** The speeds of a player in a session, from which the speeds of the season are derived. */
export interface SessionSpeeds {
  /** The maximum speed held for 0.5 s, m/s; null below 5 Hz. */
  readonly maxSpeed: number | null;
  /** The points of the acceleration-speed profile. */
  readonly points: readonly ProfilePoint[];
}

/** A session of the squad. */
export interface SeasonSession {
  /** For example the name of the folder. */
  name: string;
  /** First and last time, ms since 1970 UTC. */
  startMs: number;
  endMs: number;
  isMatch: boolean;
  /** What the figures of a match lack, from `matchNote`; null if they lack nothing, and for other sessions. */
  note: string | null;
}

/** The part of a session that figures cover: the time on the pitch in the two halves of a match, or the whole session. */
export type Covers = "halves" | "session";

/** The figures of a player in a session. */
export interface SeasonRow extends DataShares {
  player: { name: string; number: string | null; position: string | null };
  /** Values by the keys of the columns; null for an unknown figure. */
  figures: Readonly<Record<string, number | null>>;
  covers: Covers;
  /** Null without data. */
  limits: FigureLimits | null;
  /** Share of the time that the figures cover in which the player seems to be on the bench, 0 to 1. */
  benchShare: number;
  /** Time of the player divided by the longest one of any player, 0 to 1. */
  playedShare: number;
  /** Speeds of the whole session; absent if they were not requested. */
  speeds?: SessionSpeeds;
}

/** A session with its rows. It can be stored as JSON. */
export interface PlayedSession extends SeasonSession {
  rows: readonly SeasonRow[];
}

/** A session of a player. */
export interface SeasonEntry {
  session: SeasonSession;
  /** Null if the player has no recording. */
  row: SeasonRow | null;
  /** Days of 24 hours since the player's previous session; null for the first session and without a recording. */
  daysSince: number | null;
}

/** A player with all sessions of the squad, in chronological order. */
export interface SeasonPlayer {
  name: string;
  /** The shirt number in the last session. */
  number: string | null;
  position: string | null;
  entries: readonly SeasonEntry[];
}

export interface Season {
  /** In chronological order. */
  sessions: readonly SeasonSession[];
  /** Sorted by number, then by name. */
  players: readonly SeasonPlayer[];
}

/** Mean and normal range of a figure in the matches before a session. */
export interface Normal {
  mean: number;
  /** The normal range. */
  low: number;
  high: number;
}

const DAY_MS = 86_400_000;

// `localeCompare` would create a collator for each comparison of thousands of names
const ORDER = /* @__PURE__ */ Intl.Collator("en", { numeric: true });

/** Keys of rates and means. Those of a few minutes are often the highest, but not comparable. */
const OVER_TIME = /^(rate|hr_mean|metabolic_power)_/;

/**
 * Converts a row of the squad's table to a row of a season.
 *
 * @param all the rows of all players
 * @param covers "halves" for rows of the joined halves
 * @param added the columns of the recipes and optional figures with which the row was computed
 */
export function seasonRow(
  row: SquadRow,
  all: readonly SquadRow[],
  covers: Covers,
  added: readonly SquadColumn[],
): SeasonRow {
  const { name, player } = row.member;
  const figures = [...SQUAD_COLUMNS, ...added].map((column) => [column.key, figureOf(row, column)] as const);
  return {
    player: { name, number: player?.number ?? null, position: player?.position ?? null },
    figures: Object.fromEntries(figures),
    covers,
    limits: limitsOf(row.metrics?.definition),
    benchShare: row.periodMs === 0 ? 0 : row.benchMs / row.periodMs,
    playedShare: row.periodMs === 0 ? 0 : row.periodMs / longestMs(all),
    coverage: row.coverage,
    hrCoverage: row.hrCoverage,
  };
}

/** Combines the sessions of a season by player. The comparison of names ignores case and spaces. */
export function seasonOf(played: readonly PlayedSession[]): Season {
  const sessions = [...played].sort((a, b) => a.startMs - b.startMs);
  const rows = sessions.map((session) => new Map(session.rows.map((row) => [nameKey(row.player.name), row])));
  const latest = new Map(
    sessions.flatMap((session) => session.rows.map(({ player }) => [nameKey(player.name), player] as const)),
  );
  const players = [...latest].map(([key, player]): SeasonPlayer => {
    let lastMs: number | null = null;
    const entries = sessions.map((session, i) => {
      const row = rows[i]?.get(key) ?? null;
      const daysSince = row === null || lastMs === null ? null : daysBetween(lastMs, session.startMs);
      if (row !== null) lastMs = session.startMs;
      return { session, row, daysSince };
    });
    return { ...player, entries };
  });
  players.sort((a, b) => numberOf(a) - numberOf(b) || ORDER.compare(a.name, b.name));
  return { sessions, players };
}

/** Returns the number of 24-hour days, rounded, so that a session on the next evening is one day later. */
function daysBetween(fromMs: number, toMs: number): number {
  return Math.round((toMs - fromMs) / DAY_MS);
}

const numberOf = ({ number }: SeasonPlayer) =>
  number !== null && /^\d+$/.test(number) ? Number(number) : Number.POSITIVE_INFINITY;

/** Returns a figure of a player in a session; null if there is no value. */
export function seasonFigure({ row }: SeasonEntry, { key }: SquadColumn): number | null {
  return row?.figures[key] ?? null;
}

/** Returns whether a figure misses more than a twentieth of its signal. */
export const isPartial = (entry: SeasonEntry | undefined, column: SquadColumn): boolean =>
  !!entry?.row && isIncomplete(signalShare(entry.row, column));

/**
 * Returns a figure of a player in a session; null if there is no value, if a part of its signal is missing, or if it has other limits than
 * the session that is compared. A rate or a mean of a few minutes is not that of a match.
 */
export function comparableFigure(
  entry: SeasonEntry,
  column: SquadColumn,
  limits: FigureLimits | null | undefined,
): number | null {
  return !isPartial(entry, column) && hasLimit(entry, column, limits) ? seasonFigure(entry, column) : null;
}

/** Returns the days from the player's last session to the last session of the squad; null for a player without sessions. */
export function daysSinceLast({ entries }: SeasonPlayer): number | null {
  const last = entries.at(-1);
  const own = entries.findLast(({ row }) => row !== null);
  return last === undefined || own === undefined
    ? null
    : daysBetween(own.session.startMs, last.session.startMs);
}

/** Returns whether the figures of a session are those of a match. Figures that include the warm-up and the break are not comparable with them. */
export const coversHalves = (entry: SeasonEntry | undefined): boolean => entry?.row?.covers === "halves";

/** Returns whether figures include more time on the bench than those in means, as in the table of a squad. */
export const isOnBench = ({ row }: SeasonEntry): boolean =>
  row !== null && 1 - row.benchShare < WHOLE_PERIOD_SHARE;

const isOnPitch = (entry: SeasonEntry): boolean => coversHalves(entry) && !isOnBench(entry);

/** Returns whether the figures are of fewer minutes than are compared. */
export const isShort = ({ row }: SeasonEntry): boolean =>
  (row?.figures.minutes ?? Number.POSITIVE_INFINITY) < NORMAL_RULE.shortestMinutes;

/** Returns whether figures can be compared with those of matches. A match must cover the halves, without time on the bench. */
export const isComparable = (entry: SeasonEntry | undefined): boolean =>
  !entry?.row || (!isShort(entry) && (!entry.session.isMatch || isOnPitch(entry)));

/** Returns whether a player took part in a match for long enough to be compared. */
export const isPlayedMatch = (entry: SeasonEntry): boolean =>
  isOnPitch(entry) && (entry.row?.figures.minutes ?? 0) >= NORMAL_RULE.shortestMinutes;

/** Returns the value of a match that counts in the normal range. The sum of a short appearance is not that of a match. */
export const matchFigure = (
  entry: SeasonEntry,
  column: SquadColumn,
  limits: FigureLimits | null | undefined,
): number | null =>
  isPlayedMatch(entry) && (column.kind === "level" || isWholeEntry(entry))
    ? comparableFigure(entry, column, limits)
    : null;

/** Returns the comparable values of a figure in the last five matches before a session; none if it is not comparable itself. */
function matchesBefore({ entries }: SeasonPlayer, index: number, column: SquadColumn): number[] {
  if (!isComparable(entries[index])) return [];
  const limits = limitsAt(entries, index);
  const values: number[] = [];
  for (const entry of entries.slice(0, index).reverse()) {
    const value = matchFigure(entry, column, limits);
    if (value !== null) values.push(value);
    if (values.length === NORMAL_RULE.matches) break;
  }
  return values.reverse();
}

/**
 * Returns the normal range of a player's figure before a session: the mean of the last five matches and the range around it.
 *
 * @param index index of the session; only earlier sessions are used
 * @returns null for a player with fewer than three previous matches in which the figure is complete and has the same limits, and for a match
 *   that is not comparable
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
  return ((share ?? 1) - row.benchShare) * row.playedShare >= WHOLE_PERIOD_SHARE;
}

/**
 * Returns the mean of a figure over the sessions that the player plays almost entirely, and the maximum over all sessions; null if there
 * are no values.
 *
 * @param limits only sessions with the same limit count. Default: those of the last session
 */
export function seasonSummary(
  entries: readonly SeasonEntry[],
  column: SquadColumn,
  limits: FigureLimits | null | undefined = limitsAt(entries),
): { mean: number | null; best: number | null } {
  const like = entries.filter((entry) => hasLimit(entry, column, limits));
  const valuesOf = (some: readonly SeasonEntry[]) =>
    some.map((entry) => seasonFigure(entry, column)).filter((value) => value !== null);
  const whole = valuesOf(like.filter((entry) => isWholeEntry(entry, column)));
  const all = valuesOf(OVER_TIME.test(column.key) ? like.filter((entry) => !isShort(entry)) : like);
  return {
    mean: whole.length === 0 ? null : meanOf(whole),
    best: all.length === 0 ? null : all.reduce((a, b) => Math.max(a, b)),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
