import { daysSinceLast, isPlayedMatch, type SeasonPlayer, seasonSummary } from "../squad/index.js";
import { comparedAt } from "../squad/season-comparison.js";
import { cellText } from "./cells.js";
import { comparisonOf, comparisonText, type PanelFrame } from "./season-panel.js";

/** The headers of the columns after the name of the player. */
export const SEASON_HEADS = [
  "This session",
  "Against the last 5 matches",
  "Mean of these matches",
  "Mean of all sessions",
  "Best",
  "Sessions",
  "Matches",
  "Days since the last session",
] as const;

/** Returns the texts under these headers: the figure of a player in the compared session, in earlier ones, and in all of them. */
export function seasonCells(player: SeasonPlayer, frame: PanelFrame): string[] {
  const { column } = frame;
  const own = player.entries.filter(({ row }) => row !== null);
  const comparison = comparisonOf(player, frame);
  const { mean, best } = seasonSummary(player.entries, column, comparedAt(player.entries, frame.now));
  const figure = (value: number | null) => cellText(column, value);
  return [
    comparison.text,
    comparisonText(comparison),
    figure(comparison.normal?.mean ?? null),
    figure(mean),
    figure(best),
    String(own.length),
    String(own.filter(isPlayedMatch).length),
    String(daysSinceLast(player) ?? "–"),
  ];
}
