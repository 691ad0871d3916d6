import type { SquadColumn } from "./columns.js";
import { daysBetween, type SeasonEntry, type SeasonPlayer, seasonFigure } from "./season.js";
import { type Compared, comparedAt, isAlike, isShort, isWholeEntry, meanOf } from "./season-comparison.js";

/** Keys of rates and means. Those of a few minutes are often the highest, but not comparable. */
const OVER_TIME = /^(rate|hr_mean|metabolic_power)_/;

/**
 * Returns the mean of a figure over the sessions that the player plays almost entirely, and the maximum over all sessions; null if there
 * are no values.
 *
 * @param compared only sessions of the same sport and with the same limit count. Default: those of the last session
 */
export function seasonSummary(
  entries: readonly SeasonEntry[],
  column: SquadColumn,
  compared: Compared = comparedAt(entries),
): { mean: number | null; best: number | null } {
  const alike = entries.filter((entry) => isAlike(entry, column, compared));
  const valuesOf = (some: readonly SeasonEntry[]) =>
    some.map((entry) => seasonFigure(entry, column)).filter((value) => value !== null);
  const whole = valuesOf(alike.filter((entry) => isWholeEntry(entry, column)));
  const all = valuesOf(OVER_TIME.test(column.key) ? alike.filter((entry) => !isShort(entry)) : alike);
  return {
    mean: whole.length === 0 ? null : meanOf(whole),
    best: all.length === 0 ? null : all.reduce((a, b) => Math.max(a, b)),
  };
}

/** Returns the days from the player's last session to the last session of the squad; null for a player without sessions. */
export function daysSinceLast({ entries }: SeasonPlayer): number | null {
  const last = entries.at(-1);
  const own = entries.findLast(({ row }) => row !== null);
  return last === undefined || own === undefined
    ? null
    : daysBetween(own.session.startMs, last.session.startMs);
}
