import { namesText } from "../pictures/figure-text.js";
import { halvesNote } from "../squad/halves-note.js";
import { halvesOf, matchOf } from "../squad/matches.js";
import type { SessionPeriod } from "../squad/periods.js";
import type { SeasonSession } from "../squad/season.js";

/** Returns what limits the rows of the match in a table; null if nothing does, and without such rows. */
export const tableNote = (periods: readonly SessionPeriod[]): string | null =>
  matchOf(periods, []) && halvesNote(halvesOf(periods), periods);

/** Returns the sentence about a match of a season whose halves are not known, or what limits the halves; null for other matches. */
export function matchNote(periods: readonly SessionPeriod[]): string | null {
  const halves = halvesOf(periods);
  return halves === null
    ? "The halves are not known, so the figures are of the whole session and do not count as those of a match. Add a period for each half: exactly two of 30 to 70 minutes, at most 40 minutes apart."
    : halvesNote(halves, periods);
}

/** Returns each note about matches of a season, with the names of these matches. */
export function matchNotes(sessions: readonly SeasonSession[]): string[] {
  const names = new Map<string, string[]>();
  for (const { note, name } of sessions)
    if (note !== null) names.set(note, [...(names.get(note) ?? []), name]);
  return [...names].map(([note, own]) => `${namesText(own)}: ${note}`);
}
