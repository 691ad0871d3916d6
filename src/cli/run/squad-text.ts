import { figureOf, type SquadColumn, type SquadRow, summaryOf, wholeRows } from "../../squad/index.js";
import { cellText, unitText } from "../../squad-report/cells.js";
import { smallerCount } from "../../squad-report/means.js";
import { marksOf } from "../../squad-report/row-marks.js";

/** Width of a table with its marks if the names are short enough. */
const TABLE_WIDTH = 120;
const POSITION_WIDTH = 5;
/** Width of a name with its number. The label of the mean must fit into the columns for name and position. */
const NAME_WIDTH = { least: "Mean of 25, whole period".length - POSITION_WIDTH, most: 24 };

/**
 * Formats a table for terminals: a row for each player, then the mean and the maximum.
 *
 * @param rows rows of one period, in order
 * @param groups names of the groups with their rows, such as positions; null for one group without a name
 */
export function squadText(
  heading: string,
  rows: readonly SquadRow[],
  columns: readonly SquadColumn[],
  groups: readonly { name: string; rows: readonly SquadRow[] }[] | null,
): string {
  const widths = columns.map(({ head, unit }) => Math.max(head.length, unit.length, 6) + 2);
  const nameWidth = nameWidthFor(
    rows,
    widths.reduce((sum, width) => sum + width, 0),
  );
  const line = (label: string, cells: readonly string[], mark = "") =>
    `${label.padEnd(nameWidth + POSITION_WIDTH)}${cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join("")}  ${mark}`.trimEnd();
  const rowLine = (row: SquadRow) =>
    line(
      nameText(row, nameWidth),
      columns.map((column) => cellText(column, figureOf(row, column), row)),
      marksOf(row).join(", "),
    );
  const whole = wholeRows(rows);
  const summaryLine = (label: string, some: readonly SquadRow[], which: "mean" | "highest") =>
    line(
      label,
      columns.map((column) => cellText(column, summaryOf(some, column, whole)[which])),
    );
  // the mean includes players who play almost the whole period; its label contains their number
  const meanLine = (name: string, some: readonly SquadRow[]) =>
    summaryLine(`${name} of ${some.filter((row) => whole.has(row)).length}, whole period`, some, "mean");
  const body =
    groups === null
      ? rows.map(rowLine)
      : groups.flatMap(({ name, rows: own }) => [meanLine(name, own), ...own.map(rowLine)]);
  return `${[
    heading,
    line(
      "",
      columns.map(({ head }) => head),
    ),
    line(
      "",
      columns.map((column) => unitText(column, rows)),
    ),
    ...body,
    meanLine("Mean", rows),
    summaryLine("Highest", rows, "highest"),
    ...meansOfFewer(rows, columns, whole),
  ].join("\n")}\n`;
}

/** Lists the columns whose mean includes fewer players than the label says, because the others have no value. */
function meansOfFewer(
  rows: readonly SquadRow[],
  columns: readonly SquadColumn[],
  whole: ReadonlySet<SquadRow>,
): string[] {
  const fewer = columns.flatMap((column) => {
    const count = smallerCount(rows, column, whole);
    return count === null ? [] : [`${column.head} of ${count}`];
  });
  return fewer.length === 0
    ? []
    : [`Means of fewer players, because the others have no value: ${fewer.join(", ")}`];
}

/** Returns the width for the longest name, reduced if the marks at the ends of the rows need space. */
function nameWidthFor(rows: readonly SquadRow[], cellsWidth: number): number {
  const longestName = Math.max(0, ...rows.map((row) => numberAndName(row).length));
  const longestMarks = Math.max(0, ...rows.map((row) => marksOf(row).join(", ").length));
  const free = TABLE_WIDTH - POSITION_WIDTH - cellsWidth - 2 - longestMarks;
  return Math.max(NAME_WIDTH.least, Math.min(longestName + 1, NAME_WIDTH.most, free));
}

function numberAndName({ member: { name, player } }: SquadRow): string {
  return player?.number == null ? name : `${player.number} ${name}`;
}

function nameText(row: SquadRow, width: number): string {
  const text = numberAndName(row);
  const cut = text.length > width - 1 ? `${text.slice(0, width - 2)}…` : text;
  return `${cut.padEnd(width)}${(row.member.player?.position ?? "").slice(0, POSITION_WIDTH - 1)}`;
}
