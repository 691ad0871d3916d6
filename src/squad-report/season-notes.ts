import { count, namesText } from "../pictures/figure-text.js";
import type { Season, SquadColumn } from "../squad/index.js";
import { isOnBench, seasonFigure } from "../squad/season.js";
import { type FigureLimits, hasLimit, limitOf, limitsAt } from "../squad/season-limits.js";
import { matchNotes } from "./match-notes.js";

const LIMIT_NAMES: Readonly<Record<keyof FigureLimits, string>> = {
  high_speed_from_m_per_s: "high-speed threshold",
  sprint_from_m_per_s: "sprint threshold",
  max_hr: "maximum heart rate",
};

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

/** Returns a sentence for each limit that differs from that of the compared session in other sessions of a player. */
export function limitNotes(
  { players }: Pick<Season, "players">,
  columns: readonly SquadColumn[],
  now?: number,
): string[] {
  return Object.entries(LIMIT_NAMES).flatMap(([limit, what]) => {
    const own = columns.filter((column) => limitOf(column) === limit);
    const others = players.flatMap(({ name, entries }) => {
      const limits = limitsAt(entries, now);
      const { length } = entries.filter((entry) =>
        own.some((column) => seasonFigure(entry, column) !== null && !hasLimit(entry, column, limits)),
      );
      return length === 0 ? [] : [{ name, length }];
    });
    if (others.length === 0) return [];
    const sessions = others.reduce((sum, { length }) => sum + length, 0);
    const names = namesText(others.map(({ name }) => name));
    return [
      `${namesText(own.map(({ title }) => title))}: ${count(sessions, "session")} of ${names} with a different ${what} than the compared session: in no mean, best value or normal range.`,
    ];
  });
}
