import { withoutFormula } from "asi-convert/csv";
import { instantFormat, SQUAD_COLUMNS } from "asi-convert/squad";
import {
  cautionsOf,
  csvInFile,
  type FileColumn,
  fileColumns,
  NOTE_COLUMN,
  periodSheetColumns,
  type SquadFileRow,
  sheetOf,
  tableCsv,
  tableNote,
  textLayout,
  workbookSheets,
} from "asi-convert/squad-report";
import { zoneName } from "../view/times.js";
import { type ColumnChoice, headOf, underHead } from "./columns.js";
import { captionOf } from "./scope-words.js";
import { inShownOrder, isChosen, orderOf } from "./shown-order.js";
import type { PlayerRow, SquadSession } from "./squad-session.js";
import { tableModel } from "./table-model.js";
import { tableScopes } from "./table-scopes.js";

/**
 * Returns the visible table for spreadsheets, with fields separated by tabs, followed by the cautions for its figures and the note about
 * extra time. The last column contains what the signs in the table mean, so that all figures are numbers.
 */
export function tableText(session: SquadSession, choice: ColumnChoice): string {
  const order = orderOf(session);
  const columns = choice.shown(order);
  const { rows } = session.figures.peek();
  const table = tableModel(rows, {
    ...order,
    columns,
    isByPosition: session.isByPosition.peek(),
    against: "column",
  });
  const note = session.scope.peek().kind === "match" && tableNote(session.periods.peek());
  const mark = decimalMark();
  const figure = (text: string) => copiedFigure(text, mark);
  const headsAt = (isMarked: (i: number) => boolean | undefined) =>
    columns
      .filter((_, i) => isMarked(i))
      .map(headOf)
      .join(", ");
  const ofFewer = (means: readonly string[]) =>
    columns
      .flatMap((column, i) => / of \d+$/.exec(means[i] ?? "")?.map((of) => headOf(column) + of) ?? [])
      .join(", ");
  const line = (...cells: (string | null | undefined)[]) =>
    cells.map((cell) => copiedCell(cell ?? "")).join("\t");
  return [
    line(
      "Number",
      "Player",
      "Position",
      ...columns.map((column) =>
        `${headOf(column)}, ${underHead(column, rows, order.isPerMinute)}`.replace(/, $/, ""),
      ),
      "Notes",
    ),
    ...table.groups.flatMap(({ name, count, means, lines }) => [
      ...(name === null
        ? []
        : [line("", `${name}, mean of ${count}`, "", ...means.map(figure), ofFewer(means))]),
      ...lines.map(({ row: { member }, cells }) =>
        line(
          member.player?.number,
          member.name,
          member.player?.position,
          ...cells.map(({ text }) => figure(text)),
          headsAt((i) => cells[i]?.isAtLeast).replace(/^./, "At least: $&"),
        ),
      ),
    ]),
    line("", `Mean of ${table.count}`, "", ...table.means.map(figure), ofFewer(table.means)),
    line("", "Highest", "", ...table.highest.map(figure)),
    ...cautionsOf(columns).map((caution) => line(caution)),
    ...(note ? [line(note)] : []),
    "",
  ].join("\n");
}

/** Returns the decimal mark of the browser's language, which spreadsheets use for pasted numbers. */
const decimalMark = () =>
  new Intl.NumberFormat().formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".";

/** Returns a figure as a number for spreadsheets: without separators of thousands, with a hyphen as sign, and without its number of players. */
export const copiedFigure = (text: string, mark: string): string =>
  text
    .replace(/ of \d+$/, "")
    .replace("−", "-")
    .replaceAll(",", "")
    .replace(".", mark);

/**
 * Returns a cell without tabs and line breaks. Only a number can begin with a sign, because a text that begins with a sign could be a
 * formula.
 */
export function copiedCell(text: string): string {
  const line = text.replace(/[\t\r\n]+/g, " ");
  return /^-?[\d.,]+$/.test(line) ? line : withoutFormula(line);
}

/**
 * Returns the columns of files: all figures, the counts of the selected recipes with their hashes, and the selected optional figures with
 * their cautions, and the note about a match with extra time.
 */
function columnsOf(session: SquadSession): readonly FileColumn<SquadFileRow>[] {
  const { columns, named } = session.recipes.peek();
  const note = tableNote(session.periods.peek());
  return [...fileColumns([...SQUAD_COLUMNS, ...columns], named), ...(note === null ? [] : [NOTE_COLUMN])];
}

/** Returns the order of rows, with the counts of the selected recipes. */
const orderOfFile = (session: SquadSession) => ({
  ...orderOf(session),
  counts: session.recipes.peek().columns,
});

/** Returns the rows of the session, of the match, of every period and of the selection, as in `asi squad`. */
async function allRows(session: SquadSession): Promise<{ name: string; rows: PlayerRow[] }[]> {
  const shown = session.scope.peek();
  const scopes = [
    { kind: "session" } as const,
    ...tableScopes(session.periods.peek()),
    ...(shown.kind === "brush" ? [shown] : []),
  ];
  return Promise.all(
    scopes.map(async (scope) => ({ name: captionOf(scope), rows: await session.rowsOf(scope) })),
  );
}

const instantTextOf = (session: SquadSession) => instantFormat(zoneName(session.settings.zone.peek()));

/** Returns a row for a file, with the start of its session and the note about the match. */
function fileRow(session: SquadSession): (row: PlayerRow) => SquadFileRow {
  const start = instantTextOf(session)(session.interval.peek()?.startMs ?? 0);
  const note = tableNote(session.periods.peek());
  return (row) => ({ ...row, session: start, note });
}

/** Returns a file like `asi squad -o match.csv`. It follows the selected sort, like `--sort`, and can have decimal commas. */
export async function csvFile(session: SquadSession, decimalMark: "." | ","): Promise<Blob> {
  const order = orderOfFile(session);
  const columns = columnsOf(session);
  const parts = await allRows(session);
  const ordered = isChosen(order)
    ? parts.flatMap((part) => inShownOrder(part.rows, order))
    : // the rows are grouped by player
      session.players.peek().flatMap((_, i) => parts.flatMap((part) => part.rows[i] ?? []));
  const rows = ordered.map(fileRow(session));
  const text = tableCsv(columns, rows, textLayout(decimalMark, instantTextOf(session)));
  return new Blob([csvInFile(text, decimalMark)], { type: "text/csv" });
}

/** Returns a workbook with a sheet for the session and each period. */
export async function xlsxFile(session: SquadSession): Promise<Blob> {
  const { default: writeExcelFile } = await import("write-excel-file/browser");
  const columns = periodSheetColumns(columnsOf(session));
  const order = orderOfFile(session);
  const sheets = (await allRows(session)).map(({ name, rows }) =>
    sheetOf(
      name,
      columns,
      inShownOrder(rows, order).map(fileRow(session)),
      zoneName(session.settings.zone.peek()),
    ),
  );
  return await writeExcelFile(workbookSheets(sheets)).toBlob();
}

/** Returns the beginning of file names, such as `match-2026-05-16`. */
export function fileTitle(session: SquadSession, name: string): string {
  const instantText = instantFormat(zoneName(session.settings.zone.peek()));
  return `${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")}-${instantText(session.interval.peek()?.startMs ?? 0).slice(0, 10)}`;
}
