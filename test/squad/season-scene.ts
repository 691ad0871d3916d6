import { expect } from "vitest";
import { SQUAD_COLUMNS } from "../../src/squad/columns.js";
import { type PlayedSession, type SeasonRow, seasonOf } from "../../src/squad/season.js";

export const DAY_MS = 86_400_000;
export const START_MS = Date.UTC(2026, 3, 12, 13);
export const column = (key: string) =>
  SQUAD_COLUMNS.find((one) => one.key === key) ?? expect.fail(`There is no ${key}.`);
export const distance = column("distance_m");
export const LIMITS = {
  high_speed_from_m_per_s: 5.5,
  sprint_from_m_per_s: 7,
  max_hr: null as number | null,
};

export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** A session of Kunz with a distance in a number of minutes; null for no recording. */
export function session(day: number, metres: number | null, isMatch = true, minutes = 90): PlayedSession {
  const startMs = START_MS + day * DAY_MS;
  const figures = { minutes, distance_m: metres };
  const player = { name: "Kunz", number: "11", position: "FW" };
  const row = {
    player,
    figures,
    covers: isMatch ? "halves" : "session",
    limits: LIMITS,
    benchShare: 0,
    playedShare: 1,
    tooFast: null,
    coverage: 1,
    hrCoverage: 1,
  } as const;
  const rows = metres === null ? [] : [row];
  return {
    name: `day ${day}`,
    startMs,
    endMs: startMs + 90 * 60_000,
    isMatch,
    sport: "soccer",
    note: null,
    rows,
  };
}

/** The session with other shares with data, or other figures. */
export const withRow = (one: PlayedSession, changes: Partial<SeasonRow>): PlayedSession => ({
  ...one,
  rows: one.rows.map((row) => ({ ...row, ...changes, figures: { ...row.figures, ...changes.figures } })),
});

export function kunzIn(...sessions: PlayedSession[]) {
  return seasonOf(sessions).players[0] ?? expect.fail("nobody played");
}
