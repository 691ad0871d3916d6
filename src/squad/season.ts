import type { TooFast } from "../metrics/index.js";
import type { ProfilePoint } from "../metrics/person/acceleration-speed.js";
import { figureOf, longestMs, SQUAD_COLUMNS, type SquadColumn } from "./columns.js";
import type { DataShares } from "./incomplete.js";
import { nameKey } from "./roster.js";
import { type FigureLimits, limitsOf } from "./season-limits.js";
import type { SquadRow } from "./squad-table.js";

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
  /** The sport. Figures of different sports are not compared. */
  sport: string;
  /** What limits the figures of a match, from `matchNote`; null if nothing does, and for other sessions. */
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
  /** Its part with data; absent means 0. */
  benchRecordedShare?: number;
  /** Time of the player divided by the longest one of any player, 0 to 1. */
  playedShare: number;
  /** The rows that no figure includes, because they are faster than the sport allows. Null without data. */
  tooFast: TooFast | null;
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

const DAY_MS = 86_400_000;

// `localeCompare` would create a collator for each comparison of thousands of names
const ORDER = /* @__PURE__ */ Intl.Collator("en", { numeric: true });

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
    benchRecordedShare: row.periodMs === 0 ? 0 : row.benchRecordedMs / row.periodMs,
    playedShare: row.periodMs === 0 ? 0 : row.periodMs / longestMs(all),
    tooFast: row.metrics?.too_fast ?? null,
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
export function daysBetween(fromMs: number, toMs: number): number {
  return Math.round((toMs - fromMs) / DAY_MS);
}

const numberOf = ({ number }: SeasonPlayer) =>
  number !== null && /^\d+$/.test(number) ? Number(number) : Number.POSITIVE_INFINITY;

/** Returns a figure of a player in a session; null if there is no value. */
export function seasonFigure({ row }: SeasonEntry, { key }: SquadColumn): number | null {
  return row?.figures[key] ?? null;
}
