import {
  figureOf,
  SQUAD_COLUMNS,
  type SquadColumn,
  type SquadRow,
  summaryOf,
  wholeRows,
} from "../../squad/index.js";
import { cellText, isIncomplete, marksOf, unitText } from "../../squad-report/cells.js";

/** Longest name of a player in a table of 120 characters. */
const NAME_WIDTH = 24;
const POSITION_WIDTH = 5;

/**
 * A table of the terminal: a row for each player, then the mean and the highest value.
 *
 * @param rows of one period, in order
 * @param groups name the rows that stand together, such as positions; null: all in one group without a name
 */
export function squadText(
  heading: string,
  rows: readonly SquadRow[],
  columns: readonly SquadColumn[],
  groups: readonly { name: string; rows: readonly SquadRow[] }[] | null,
): string {
  const widths = columns.map(({ head, unit }) => Math.max(head.length, unit.length, 6) + 2);
  const line = (label: string, cells: readonly string[], mark = "") =>
    `${label.padEnd(NAME_WIDTH + POSITION_WIDTH)}${cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join("")}  ${mark}`.trimEnd();
  const rowLine = (row: SquadRow) =>
    line(
      nameText(row),
      columns.map((column) => cellText(column, figureOf(row, column), isIncomplete(row))),
      marksOf(row).join(", "),
    );
  const summaryLine = (label: string, some: readonly SquadRow[], which: "mean" | "highest") =>
    line(
      label,
      columns.map((column) => cellText(column, summaryOf(some, column)[which], false)),
    );
  const body =
    groups === null
      ? rows.map(rowLine)
      : groups.flatMap(({ name, rows: own }) => [
          summaryLine(meanLabel(name, own), own, "mean"),
          ...own.map(rowLine),
        ]);
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
    summaryLine(meanLabel("Mean", rows), rows, "mean"),
    summaryLine("Highest", rows, "highest"),
  ].join("\n")}\n`;
}

/** A mean counts the players who have nearly the whole period, and says how many these are. */
function meanLabel(name: string, rows: readonly SquadRow[]): string {
  return `${name} of ${wholeRows(rows).length}, whole period`;
}

function nameText({ member: { name, player } }: SquadRow): string {
  const number = player?.number === null || player === null ? "" : `${player.number} `;
  const text = `${number}${name}`;
  const cut = text.length > NAME_WIDTH - 1 ? `${text.slice(0, NAME_WIDTH - 2)}…` : text;
  return `${cut.padEnd(NAME_WIDTH)}${(player?.position ?? "").slice(0, POSITION_WIDTH - 1)}`;
}

/** The columns that fit a terminal of 120 characters. */
export const DEFAULT_COLUMNS = SQUAD_COLUMNS.filter(({ key }) => key !== "hr_max_bpm" && key !== "sprint_m");
