import { isBound, isIncomplete, type SeasonEntry, type SquadColumn, seasonFigure } from "../squad/index.js";
import { cellText } from "./cells.js";

const isPart = (entry: SeasonEntry | undefined): boolean => entry?.row != null && isIncomplete(entry.row);

/** Returns the mark of a figure that is a lower bound, because a part of the data is missing. */
export const markOf = (entry: SeasonEntry | undefined, column: SquadColumn): "≥" | "" =>
  isPart(entry) && isBound(column) ? "≥" : "";

/** Formats a figure of a session: `–` if it is unknown, preceded by `≥` if it is a lower bound. */
export const entryText = (entry: SeasonEntry | undefined, column: SquadColumn): string =>
  cellText(column, entry === undefined ? null : seasonFigure(entry, column), isPart(entry));

/** Formats the share of the time with data after a figure: `, 52 % with data`; empty if the data are nearly complete. */
export const shareText = ({ row }: SeasonEntry): string =>
  row !== null && isIncomplete(row) ? `, ${Math.floor((row.coverage ?? 0) * 100)} % with data` : "";

/**
 * Returns the reason why an entry has no figure. A player who did not play has neither minutes nor a share with data; in the service, the
 * share may also be unknown because the figures of other players are missing.
 */
export function absenceOf(entry: SeasonEntry | undefined): string {
  if (entry === undefined || entry.row === null) return "no recording";
  const { coverage, figures } = entry.row;
  return coverage === null && (figures.minutes ?? null) === null ? "did not play" : "no figure";
}
