import { type CellColumn, cellTable } from "../formats/parquet/cell-table.js";
import { csvField } from "../rows/csv-text.js";

/** A cell of a file; null for an empty cell. Instants are in ms since 1970 UTC. */
export type Cell = string | number | null;

/** A column of a file with a row for each `R`. */
export interface FileColumn<R> {
  key: string;
  /** Name for readers, with the unit. */
  title: string;
  kind: "text" | "number" | "instant";
  /** Number of decimals in a workbook; cells have all digits. */
  decimals: number;
  cell(row: R): Cell;
}

/** A column of texts. */
export function textColumn<R>(key: string, title: string, cell: (row: R) => string | null): FileColumn<R> {
  return { key, title, kind: "text", decimals: 0, cell };
}

/** A column of numbers. */
export function numberColumn<R>(
  key: string,
  title: string,
  decimals: number,
  cell: (row: R) => number | null,
): FileColumn<R> {
  return { key, title, kind: "number", decimals, cell };
}

/** A column of instants, ms since 1970 UTC. */
export function instantColumn<R>(key: string, title: string, cell: (row: R) => number | null): FileColumn<R> {
  return { key, title, kind: "instant", decimals: 0, cell };
}

/** Format of decimals and instants in text files. */
export interface TextLayout {
  delimiter: string;
  decimalMark: string;
  instantText(ms: number): string;
}

/** If the decimal mark is a comma, semicolons separate the fields, as Excel expects in countries with decimal commas. */
export function textLayout(decimalMark: string | undefined, instantText: (ms: number) => string): TextLayout {
  return decimalMark === ","
    ? { delimiter: ";", decimalMark, instantText }
    : { delimiter: ",", decimalMark: ".", instantText };
}

/** A table as CSV (RFC 4180) with a header line. */
export function tableCsv<R>(
  columns: readonly FileColumn<R>[],
  rows: readonly R[],
  layout: TextLayout,
): string {
  const lines = rows.map((row) => columns.map((column) => shown(column, row, layout)));
  return [columns.map(({ key }) => key), ...lines].map((cells) => lineOf(cells, layout)).join("");
}

/**
 * A CSV as it is saved in a file. A file with decimal commas is assumed to be for Excel, which reads a file without a byte
 * order mark as Windows-1252 and shows wrong letters for umlauts.
 */
export function csvInFile(csv: string, decimalMark: string | undefined): string {
  return decimalMark === "," ? `\uFEFF${csv}` : csv;
}

/** The rows as JSON lines, with the same keys. */
export function tableJsonLines<R>(
  columns: readonly FileColumn<R>[],
  rows: readonly R[],
  layout: Pick<TextLayout, "instantText">,
): string {
  return rows
    .map((row) => Object.fromEntries(columns.map((column) => [column.key, shown(column, row, layout)])))
    .map((object) => `${JSON.stringify(object)}\n`)
    .join("");
}

/** The rows as Parquet, with instants as timestamps. */
export function tableParquet<R>(columns: readonly FileColumn<R>[], rows: readonly R[]): Uint8Array {
  return cellTable(
    "figures/1",
    columns.map(({ key, kind, cell }): CellColumn => {
      const cells = rows.map(cell);
      return kind === "text"
        ? { name: key, kind, values: cells.map((value) => (value === null ? null : String(value))) }
        : { name: key, kind, values: cells.map((value) => (typeof value === "number" ? value : null)) };
    }),
  );
}

/** A cell with its instant as text. */
export function shown<R>(
  { kind, cell }: FileColumn<R>,
  row: R,
  { instantText }: Pick<TextLayout, "instantText">,
): Cell {
  const value = cell(row);
  return kind === "instant" && typeof value === "number" ? instantText(value) : value;
}

/** A line of a CSV. */
export function lineOf(cells: readonly Cell[], layout: TextLayout): string {
  return `${cells.map((cell) => fieldOf(cell, layout)).join(layout.delimiter)}\n`;
}

function fieldOf(cell: Cell, { delimiter, decimalMark }: TextLayout): string {
  if (cell === null) return "";
  // with a decimal comma, the delimiter is a semicolon, so numbers need no quotes
  return typeof cell === "number" ? String(cell).replace(".", decimalMark) : csvField(cell, delimiter);
}
