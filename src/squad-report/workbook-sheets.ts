import { offsetIn } from "../rows/instant-format.js";
import type { Cell, FileColumn } from "./cell-files.js";

/** A sheet of a workbook, which contains texts, numbers and times. */
export interface CellSheet {
  name: string;
  columns: readonly { title: string; decimals: number }[];
  /** Times are local times represented as UTC, because Excel cells have no time zone. */
  rows: readonly (readonly (Cell | Date)[])[];
}

/**
 * Creates a sheet with a row for each of `rows`.
 *
 * @param timeZone zone of the times; the titles of their columns name it. Default: UTC
 */
export function sheetOf<R>(
  name: string,
  columns: readonly FileColumn<R>[],
  rows: readonly R[],
  timeZone: string | undefined,
): CellSheet {
  return {
    name,
    columns: columns.map(({ title, decimals, kind }) => ({
      title: kind === "instant" ? `${title} (${timeZone ?? "UTC"})` : title,
      decimals,
    })),
    rows: rows.map((row) =>
      columns.map(({ kind, cell }) => {
        const value = cell(row);
        const isInstant = kind === "instant" && typeof value === "number";
        return isInstant ? new Date(value + offsetIn(timeZone, value)) : value;
      }),
    ),
  };
}

/**
 * Returns the columns of a sheet for one period. Columns for the session and the period are omitted, because the name of the sheet contains
 * both.
 */
export const periodSheetColumns = <C extends { key: string }>(columns: readonly C[]): C[] =>
  columns.filter(({ key }) => key !== "session" && key !== "period");

/** Excel refuses longer sheet names, and names with any of the characters below. */
const NAME_LENGTH = 31;
const NOT_IN_NAMES = /[[\]:*?/\\]/g;

/** Minimum and maximum width of a column, in characters. */
const WIDTH = { least: 8, most: 28 };

/** A sheet in the format of write-excel-file. */
export interface WorkbookSheet {
  sheet: string;
  data: (WorkbookCell | null)[][];
  columns: { width: number }[];
  stickyRowsCount: number;
  stickyColumnsCount: number;
}

type WorkbookCell =
  | { value: string; type?: typeof String; fontWeight?: "bold" }
  | { value: number; type: typeof Number; format: string }
  | { value: Date; type: typeof Date; format: string };

/** Date and time with seconds, in the order of ISO 8601. */
const TIME_FORMAT = "yyyy-mm-dd hh:mm:ss";

/**
 * Converts sheets to the format of the workbook writer (.xlsx). The header and the first column are frozen. Numbers are numeric cells with
 * the decimals of their column; missing figures are empty cells.
 */
export function workbookSheets(sheets: readonly CellSheet[]): WorkbookSheet[] {
  const names = sheetNames(sheets.map(({ name }) => name));
  return sheets.map((sheet, i) => toSheet(sheet, names[i] ?? sheet.name));
}

function toSheet({ columns, rows }: CellSheet, sheet: string): WorkbookSheet {
  return {
    sheet,
    data: [
      columns.map(({ title }) => ({ value: title, fontWeight: "bold" as const })),
      ...rows.map((row) => row.map((value, i) => toCell(value, columns[i]?.decimals ?? 0))),
    ],
    columns: columns.map(({ title }, i) => ({
      width: widthOf([title, ...rows.map((row) => row[i] ?? null)]),
    })),
    stickyRowsCount: 1,
    // the first column is the name of the player
    stickyColumnsCount: 1,
  };
}

function toCell(value: Cell | Date, decimals: number): WorkbookCell | null {
  if (value === null) return null;
  if (value instanceof Date) return { value, type: Date, format: TIME_FORMAT };
  if (typeof value === "string") return { value, type: String };
  return { value, type: Number, format: decimals === 0 ? "#,##0" : `#,##0.${"0".repeat(decimals)}` };
}

function widthOf(values: readonly (Cell | Date)[]): number {
  const lengthOf = (value: Cell | Date) =>
    value instanceof Date ? TIME_FORMAT.length : typeof value === "string" ? value.length : 0;
  const longest = Math.max(...values.map(lengthOf));
  return Math.min(Math.max(longest + 1, WIDTH.least), WIDTH.most);
}

/** Converts names to names that Excel accepts: without special characters, not too long, and unique. */
export function sheetNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain =
      name
        .replace(NOT_IN_NAMES, " ")
        .replace(/^'+|'+$/g, "")
        .trim() || "Period";
    for (let n = 1; ; n++) {
      const suffix = n === 1 ? "" : ` (${n})`;
      const free = plain.slice(0, NAME_LENGTH - suffix.length).trim() + suffix;
      if (taken.has(free.toLowerCase())) continue;
      taken.add(free.toLowerCase());
      return free;
    }
  });
}
