import { editDistance } from "./edit-distance.js";
import { readSheet, type SheetProblem } from "./sheet.js";

/** A column that the reader of a table supports, with the unit in its header. */
export interface KnownColumn {
  column: string;
  /** For example `km/h`; empty if there is none. */
  unit: string;
}

/** A row of a table with known columns. */
export interface KnownRow {
  /** Line where the row starts, counted from 1. */
  line: number;
  /** Returns the trimmed text; empty if there is none. */
  cell(column: string): string;
  /** Returns the unit in the header of that text. */
  unit(column: string): string;
}

/** Removes signs and spaces from a header in lower case without accents: `max. hr` becomes `maxhr`. */
export const lettersOf = (name: string): string => name.replace(/[^\p{L}\p{N}]/gu, "");

/** Maximum length of the file: bytes, or UTF-16 units of a text *(choice)*. */
export const MAX_SHEET_BYTES = 2 ** 22;
/**
 * Signatures of workbooks. A workbook from Excel, LibreOffice or Numbers is a ZIP archive; an older Excel workbook has the second
 * signature.
 */
const WORKBOOKS = ["PK\x03\x04", "\xd0\xcf\x11\xe0"];
const IS_WORKBOOK = "This is a workbook, not CSV. Save its table as CSV (UTF-8), and use that file.";
const TOO_LARGE = "The table has more than 10,000 rows, 1,000 columns or 4 MiB. Is it the correct file?";

/**
 * Maximum length of a cell, UTF-16 units *(choice)*. Cells are matched with patterns whose time grows with the square of the length. A
 * column with serial numbers may be longer, because it is only split.
 */
const MOST_LETTERS = 200;
const LIST_COLUMN = "serial";

/** Maximum number of columns for one value: more than there are units *(choice)*. Every row searches them. */
const MOST_COLUMNS_OF_VALUE = 8;

/** Maximum length of a header that is checked for misspellings. */
const LONGEST_NEAR = 100;

/**
 * Reads a table like `readSheet`, and refuses data that would otherwise be ignored silently: headers that are similar to known columns, and
 * two columns for one value.
 *
 * @param known the known columns; each key is the header without signs and spaces (`lettersOf`)
 */
export function readKnownColumns(
  file: Uint8Array | string,
  known: ReadonlyMap<string, KnownColumn>,
): {
  columns: ReadonlySet<string>;
  /** The headers in the file. */
  headers: readonly string[];
  rows: KnownRow[];
  headerLine: number;
  problems: SheetProblem[];
  /** The reason why nothing was read; null if the table was read. */
  refusal: string | null;
} {
  const nothing = { columns: new Set<string>(), headers: [], rows: [], headerLine: 1, problems: [] };
  if (file.length > MAX_SHEET_BYTES) return { ...nothing, refusal: TOO_LARGE };
  const start = typeof file === "string" ? file.slice(0, 4) : String.fromCharCode(...file.subarray(0, 4));
  if (WORKBOOKS.includes(start)) return { ...nothing, refusal: IS_WORKBOOK };
  const { columns: names, headers, headerLine, rows, problems: sheetProblems, isTooLarge } = readSheet(file);
  if (isTooLarge) return { ...nothing, headers, headerLine, refusal: TOO_LARGE };
  const problems = [...sheetProblems];
  const found = names.map((name) => known.get(lettersOf(name)) ?? null);
  for (const [i, header] of headers.entries()) {
    const near = header === "" || found[i] !== null ? null : nearest(lettersOf(names[i] ?? ""), known);
    if (near === null) continue;
    problems.push({ line: headerLine, message: unknownText(header, near, known) });
  }
  // done once for all rows, because a table may have a thousand columns and thousands of rows
  const places = new Map<string, number[]>();
  for (const [i, one] of found.entries())
    if (one !== null) places.set(one.column, [...(places.get(one.column) ?? []), i]);
  const repeated = [...places].find(([, own]) => own.length > MOST_COLUMNS_OF_VALUE);
  if (repeated !== undefined) {
    const refusal = `${repeated[1].length} columns give the ${repeated[0]}. Keep one of them.`;
    return { ...nothing, headers, headerLine, refusal };
  }
  const severalTimes = [...places].filter(([, own]) => own.length > 1);
  const twice = new Set<string>();
  const isTooLong = (field: string, i: number) => {
    const column = found[i]?.column;
    return field.length > MOST_LETTERS && column !== undefined && column !== LIST_COLUMN;
  };
  const read = rows.flatMap(({ line, fields }): KnownRow | [] => {
    const long = fields.findIndex(isTooLong);
    // without the cell, the row would have a different meaning: the times of one player would become the times of all
    if (long >= 0) {
      const message = `The ${found[long]?.column} of this row has more than ${MOST_LETTERS} characters. Shorten it.`;
      problems.push({ line, message });
      return [];
    }
    const isFilled = (i: number) => (fields[i] ?? "") !== "";
    const placeOf = (column: string) => {
      const own = places.get(column) ?? [];
      return own.find(isFilled) ?? own[0] ?? -1;
    };
    for (const [column, own] of severalTimes) {
      if (twice.has(column) || own.filter(isFilled).length < 2) continue;
      twice.add(column);
      problems.push({ line, message: `Two columns give the ${column} of this row. Keep one of them.` });
    }
    return {
      line,
      cell: (column) => fields[placeOf(column)] ?? "",
      unit: (column) => found[placeOf(column)]?.unit ?? "",
    };
  });
  return { columns: new Set(places.keys()), headers, rows: read, headerLine, problems, refusal: null };
}

function unknownText(header: string, near: string, known: ReadonlyMap<string, KnownColumn>): string {
  const units = [...known.values()].filter(({ column, unit }) => column === near && unit !== "");
  const withUnit = units.map(({ column, unit }) => `"${column} (${unit})"`);
  return `The column "${header}" is not known. Name it ${[`"${near}"`, ...withUnit].join(" or ")}, or remove it.`;
}

/** Returns the known column with a similar name; null if there is none, because a table may have additional columns. */
function nearest(letters: string, known: ReadonlyMap<string, KnownColumn>): string | null {
  if (letters.length > LONGEST_NEAR) return null;
  let best: { column: string; distance: number } | null = null;
  for (const [name, { column, unit }] of known) {
    const rest = letters.startsWith(name) ? letters.length - name.length : Number.POSITIVE_INFINITY;
    const isFigure =
      unit === "" && [...known.values()].some((one) => one.column === column && one.unit !== "");
    const isSameLength = letters.length === name.length;
    // the distance is at least the difference of the lengths, so other names need not be compared
    const isComparable = Math.abs(letters.length - name.length) < name.length / 3;
    const distance = isComparable ? Math.min(rest, editDistance(letters, name)) : rest;
    const isNear =
      rest <= (isFigure ? letters.length : 2) ||
      distance < name.length / 3 ||
      (isSameLength && sorted(letters) === sorted(name)) ||
      // other terms for a column, such as HFmax
      (isFigure && isSameLength && editDistance(sorted(letters), sorted(name)) <= 2);
    if (isNear && (best === null || distance < best.distance)) best = { column, distance };
  }
  return best?.column ?? null;
}

const sorted = (letters: string) => [...letters].sort().join("");
