import { figureOf, type SquadColumn, type SquadRow, summaryOf } from "../squad/index.js";
import { cellText } from "./cells.js";

/**
 * Returns the number of players in a mean, if it is smaller than the number of players who play nearly the whole period.
 *
 * @param whole the result of `wholeRows` for all rows of the period
 * @returns null if all of these players have a value, or none has one
 */
export function smallerCount(
  rows: readonly SquadRow[],
  column: SquadColumn,
  whole: ReadonlySet<SquadRow>,
): number | null {
  const own = rows.filter((row) => whole.has(row));
  const count = own.filter((row) => figureOf(row, column) !== null).length;
  return count > 0 && count < own.length ? count : null;
}

/** Formats the mean of a column, with the number of players in it if some have no value: `150 of 24`. */
export function meanText(
  rows: readonly SquadRow[],
  column: SquadColumn,
  whole: ReadonlySet<SquadRow>,
): string {
  const text = cellText(column, summaryOf(rows, column, whole).mean);
  const count = smallerCount(rows, column, whole);
  return count === null ? text : `${text} of ${count}`;
}
