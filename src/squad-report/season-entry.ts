import { count } from "../pictures/figure-text.js";
import { signalShare } from "../squad/incomplete.js";
import { isAtLeast, isIncomplete, type SeasonEntry, type SquadColumn, seasonFigure } from "../squad/index.js";
import { cellText } from "./cells.js";

/** Returns the mark of a figure that is a lower bound, because a part of the data is missing. */
export const markOf = (entry: SeasonEntry | undefined, column: SquadColumn): "≥" | "" =>
  entry?.row && isAtLeast(entry.row, column) ? "≥" : "";

/** Formats a figure of a session: `–` if it is unknown, preceded by `≥` if it is a lower bound. */
export const entryText = (entry: SeasonEntry | undefined, column: SquadColumn): string =>
  cellText(column, entry === undefined ? null : seasonFigure(entry, column), entry?.row);

/** Formats what limits a figure after it: `, 52 % with data, 3 rows too fast`; empty if the data are nearly complete. */
export function limitsText({ row }: SeasonEntry, column: SquadColumn): string {
  const share = row && signalShare(row, column);
  const withData = isIncomplete(share) ? `, ${Math.floor(share * 100)} % with data` : "";
  return row?.tooFast?.samples ? `${withData}, ${count(row.tooFast.samples, "row")} too fast` : withData;
}

/**
 * Returns the reason why an entry has no figure. A player who did not play has neither minutes nor a share with data; in the service, the
 * share may also be unknown because the figures of other players are missing.
 */
export function absenceOf(entry: SeasonEntry | undefined): string {
  if (entry === undefined || entry.row === null) return "no recording";
  const { coverage, figures } = entry.row;
  return coverage === null && (figures.minutes ?? null) === null ? "did not play" : "no figure";
}
