import { namesText } from "../pictures/figure-text.js";
import type { Season, SquadColumn } from "../squad/index.js";
import { isOnBench, seasonFigure } from "../squad/season.js";
import { hasLimit, limitsAt } from "../squad/season-limits.js";
import { matchNotes } from "./match-notes.js";

/**
 * Returns the sentences about sessions of a season that limit its comparisons.
 *
 * @param columns the figures that are shown
 * @param now index of the session that is compared with earlier ones. Default: the last session
 */
export const seasonNotes = (season: Season, columns: readonly SquadColumn[], now?: number): string[] => [
  ...matchNotes(season.sessions),
  ...benchNotes(season),
  ...limitNotes(season, columns, now),
];

/** Returns the sentence about players who seem to be on the bench, with their matches. */
function benchNotes({ sessions, players }: Season): string[] {
  const named = sessions.flatMap(({ name }, i) => {
    const own = players.filter(({ entries }) => entries[i] !== undefined && isOnBench(entries[i]));
    return own.length === 0 ? [] : [`${name} (${namesText(own.map((player) => player.name))})`];
  });
  return named.length === 0
    ? []
    : [
        `Figures with more than 10 % of the time on the bench count in no mean and no normal range: ${namesText(named)}. Add the times of substitutes to the periods.`,
      ];
}

/** Returns the sentence about sessions whose limits differ from those of the session that is compared, with their number for each player. */
export function limitNotes(
  { players }: Pick<Season, "players">,
  columns: readonly SquadColumn[],
  now?: number,
): string[] {
  const named = columns.flatMap((column) => {
    const names = players.flatMap(({ name, entries }) => {
      const limits = limitsAt(entries, now);
      const { length } = entries.filter(
        (entry) => seasonFigure(entry, column) !== null && !hasLimit(entry, column, limits),
      );
      return length === 0 ? [] : [`${name} (${length})`];
    });
    return names.length === 0 ? [] : [`${column.title}: ${namesText(names)}`];
  });
  return named.length === 0
    ? []
    : [
        `Sessions with another threshold or maximum heart rate than the compared one are in no mean, best value or normal range: ${named.join("; ")}.`,
      ];
}
