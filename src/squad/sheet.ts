import { unguarded } from "../rows/csv-text.js";
import { textIn } from "../text-encoding.js";

/** A table from a spreadsheet, saved as CSV by the user. */
export interface Sheet {
  rows: SheetRow[];
  /** Names of the columns in order, normalized by {@link columnName}. */
  columns: string[];
  /** Original column names in the file. */
  headers: string[];
  headerLine: number;
  /** Problems found while reading: cells without a header, and unclosed quotes. */
  problems: SheetProblem[];
  /** Whether the file has more rows or columns than the limits, so that its end was not read. */
  isTooLarge: boolean;
}

/** Maximum number of rows and columns of a roster or of periods. A larger table is assumed to be a different file *(choice)*. */
const MOST = { rows: 10_000, columns: 1_000 };

export interface SheetRow {
  /** Line where the row starts, counted from 1. */
  line: number;
  /** Trimmed texts in the order of the columns. */
  fields: readonly string[];
  /** Returns the trimmed text in a column; an empty text if the row has no cell for it. */
  cell(column: string): string;
}

/** A problem in a user's file, and its remedy. */
export interface SheetProblem {
  /** Line of the file, counted from 1. */
  line: number;
  message: string;
}

/**
 * Reads a table from Excel, LibreOffice or Numbers. Supports commas, semicolons or tabs; UTF-8 with or without a byte order mark, UTF-16,
 * or Windows-1252; a first line `sep=;`; and quoted fields (RFC 4180). Empty rows are skipped. Reads at most 10,001 rows, and no row after
 * one with more than 1,000 cells.
 *
 * @returns a sheet without columns for an empty file
 */
export function readSheet(file: Uint8Array | string): Sheet {
  const text = textIn(file);
  const [, hint] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const delimiter = hint ?? delimiterOf(text);
  const rowsBefore = hint === undefined ? 1 : 2;
  const { records, openQuoteLine, isTooLarge } = recordsOf(text, delimiter, rowsBefore + MOST.rows);
  const [header, ...rest] = records.slice(rowsBefore - 1);
  if (header === undefined)
    return { columns: [], headers: [], headerLine: 1, rows: [], problems: [], isTooLarge };
  const columns = header.fields.map(columnName);
  return {
    columns,
    headers: header.fields,
    headerLine: header.line,
    rows: rest.map(({ line, fields }) => ({
      line,
      fields,
      cell: (column) => fields[columns.indexOf(column)] ?? "",
    })),
    problems: [
      ...(openQuoteLine === null
        ? []
        : [
            {
              line: openQuoteLine,
              message: "A quote begins here and is not closed. Close it, or remove it.",
            },
          ]),
      ...rest.flatMap((record) => withoutHeader(record, header, delimiter)),
    ],
    isTooLarge,
  };
}

/** Maximum number of headers in a message, and maximum length of each, because the file may be of another kind. */
const MOST_SHOWN = { headers: 12, letters: 30 };

/** Lists the headers of a table, for messages about missing headers. */
export function headersText(headers: readonly string[]): string {
  if (headers.length === 0) return "The file is empty.";
  const shown = headers
    .slice(0, MOST_SHOWN.headers)
    .map(
      (header) =>
        `"${header.length > MOST_SHOWN.letters ? `${header.slice(0, MOST_SHOWN.letters)}…` : header}"`,
    );
  const more = headers.length - shown.length;
  return `The headers of this line are ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

const DECIMAL_COMMA =
  "If a comma is a decimal mark here, put the number in quotes or separate the columns by semicolons.";

/** Reports cells to the right of the headers. The row may be shifted, and the cells would otherwise be ignored. */
function withoutHeader(
  { line, fields }: SheetRecord,
  { fields: headers }: SheetRecord,
  delimiter: string,
): SheetProblem[] {
  const index = fields.findIndex((field, i) => field !== "" && (headers[i] ?? "") === "");
  // A decimal comma leaves two cells of digits, and shifts those after it, of which the last can be blank. A comma at the end of each row
  // is ordinary.
  const isDigits = (field = "") => /^\d+$/.test(field);
  const hasComma = fields.some((field, i) => isDigits(field) && isDigits(fields[i + 1]));
  if (index < 0 && fields.length > headers.length && delimiter === "," && hasComma)
    return [
      {
        line,
        message: `The row has ${fields.length} cells, but there are ${headers.length} headers. ${DECIMAL_COMMA}`,
      },
    ];
  if (index < 0) return [];
  const advice = delimiter === "," ? `Give it a header. ${DECIMAL_COMMA}` : "Give it a header, or remove it.";
  return [
    { line, message: `The cell "${fields[index]}" has no header: it is in column ${index + 1}. ${advice}` },
  ];
}

/**
 * Normalizes a header: `High-speed [km/h]` becomes `high_speed_km/h`. The result is in lower case, without accents and brackets, with
 * underscores for spaces and hyphens.
 */
export function columnName(header: string): string {
  return header
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/[()[\]]/g, " ")
    .trim()
    .replace(/[\s_-]+/g, "_");
}

// Detects the delimiter from the header. Names of columns do not contain semicolons or tabs.
function delimiterOf(text: string): string {
  const [header = ""] = text.trimStart().split(/[\r\n]/, 1);
  return [";", "\t"].find((delimiter) => header.includes(delimiter)) ?? ",";
}

interface SheetRecord {
  line: number;
  fields: string[];
}

/**
 * Yields the rows with text. A squad's file has at most hundreds of rows, and pages and services also read it, so it is not streamed.
 * Another kind of text can have millions of rows or cells, so reading ends at the first one beyond the limit.
 */
function recordsOf(
  text: string,
  delimiter: string,
  mostRows: number,
): { records: SheetRecord[]; openQuoteLine: number | null; isTooLarge: boolean } {
  const records: SheetRecord[] = [];
  let quoteLine = 1;
  let line = 1;
  let record: SheetRecord = { line, fields: [] };
  let field = "";
  // Updated for each character, because trimming the field at each quote would take quadratic time.
  let isBlank = true;
  let isQuoted = false;
  let isTooWide = false;
  const add = (character: string) => {
    field += character;
    isBlank &&= character.trim() === "";
  };
  const beginField = () => {
    field = "";
    isBlank = true;
  };
  const endField = () => {
    record.fields.push(unguarded(field.trim()));
    isTooWide ||= record.fields.length > MOST.columns;
    beginField();
  };
  const endRecord = () => {
    if (!isTooWide) endField();
    if (record.fields.some((one) => one !== "")) records.push(record);
  };
  const isTooLarge = () => isTooWide || records.length > mostRows;
  for (let i = 0; i < text.length && !isTooLarge(); i++) {
    const character = text[i] ?? "";
    if (character === "\n" || (character === "\r" && text[i + 1] !== "\n")) line += 1;
    if (isQuoted) {
      if (character !== '"') add(character);
      else if (text[i + 1] === '"') {
        add('"');
        i += 1;
      } else isQuoted = false;
    } else if (character === '"' && isBlank) {
      beginField();
      isQuoted = true;
      quoteLine = line;
    } else if (character === delimiter) endField();
    else if (character === "\n" || character === "\r") {
      if (character === "\r" && text[i + 1] === "\n") continue;
      endRecord();
      record = { line, fields: [] };
    } else add(character);
  }
  endRecord();
  return { records, openQuoteLine: isQuoted ? quoteLine : null, isTooLarge: isTooLarge() };
}
