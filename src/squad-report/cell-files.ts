import { type CellColumn, cellTable } from "../formats/parquet/cell-table.js";
import { csvField } from "../rows/csv-text.js";

/** A cell of a file; null for an empty cell. Instants are in ms since 1970 UTC. */
export type Cell = string | number | null;

/** A column of a file with a row for each `R`. */
export interface FileColumn<R> {
  key: string;
  /** Name that readers see, with the unit. */
  title: string;
  kind: "text" | "number" | "instant";
  /** Number of decimals in a workbook. The cells contain all digits. */
  decimals: number;
  cell(row: R): Cell;
}

/** Creates a column of texts. */
export function textColumn<R>(key: string, title: string, cell: (row: R) => string | null): FileColumn<R> {
  return { key, title, kind: "text", decimals: 0, cell };
}

/** Creates a column of numbers. */
export function numberColumn<R>(
  key: string,
  title: string,
  decimals: number,
  cell: (row: R) => number | null,
): FileColumn<R> {
  return { key, title, kind: "number", decimals, cell };
}

/** Creates a column of instants, ms since 1970 UTC. */
export function instantColumn<R>(key: string, title: string, cell: (row: R) => number | null): FileColumn<R> {
  return { key, title, kind: "instant", decimals: 0, cell };
}

/** The format of decimals and instants in text files. */
export interface TextLayout {
  delimiter: string;
  decimalMark: string;
  instantText(ms: number): string;
}

/**
 * Returns the layout for a decimal mark. With a decimal comma, semicolons separate the fields, as Excel expects in countries with decimal
 * commas.
 */
export function textLayout(decimalMark: string | undefined, instantText: (ms: number) => string): TextLayout {
  return decimalMark === ","
    ? { delimiter: ";", decimalMark, instantText }
    : { delimiter: ",", decimalMark: ".", instantText };
}

/** Writes a table as CSV (RFC 4180) with a header line. */
export function tableCsv<R>(
  columns: readonly FileColumn<R>[],
  rows: readonly R[],
  layout: TextLayout,
): string {
  const lines = rows.map((row) => columns.map((column) => shown(column, row, layout)));
  return [columns.map(({ key }) => key), ...lines].map((cells) => lineOf(cells, layout)).join("");
}

/**
 * Converts a CSV to the content of a file. A file with decimal commas is assumed to be for Excel, which reads a file without a byte order
 * mark as Windows-1252 and shows wrong letters for umlauts.
 */
export function csvInFile(csv: string, decimalMark: string | undefined): string {
  return decimalMark === "," ? `\uFEFF${csv}` : csv;
}

/** Writes the rows as JSON lines, with the same keys. */
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

/** Writes the rows as Parquet, with instants as timestamps. */
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

/** Returns the value of a cell, with an instant as text. */
export function shown<R>(
  { kind, cell }: FileColumn<R>,
  row: R,
  { instantText }: Pick<TextLayout, "instantText">,
): Cell {
  const value = cell(row);
  return kind === "instant" && typeof value === "number" ? instantText(value) : value;
}

/** Writes a line of a CSV. */
export function lineOf(cells: readonly Cell[], layout: TextLayout): string {
  return `${cells.map((cell) => fieldOf(cell, layout)).join(layout.delimiter)}\n`;
}

function fieldOf(cell: Cell, { delimiter, decimalMark }: TextLayout): string {
  if (cell === null) return "";
  // with a decimal comma, the delimiter is a semicolon, so that numbers need no quotes
  return typeof cell === "number" ? String(cell).replace(".", decimalMark) : csvField(cell, delimiter);
}
