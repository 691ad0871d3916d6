import { optionNames, requireBooleans, requireObject, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import type { DecimalMark } from "./row-text/template.js";
import { type CheckedTimes, checkTimes, type TimeLayout } from "./time-layout.js";

/** The columns of a CSV, in their standard order. */
export const COLUMNS = Object.freeze([
  "timestamp",
  "latitude",
  "longitude",
  "altitude",
  "speed",
  "hr",
] as const);

export type Column = (typeof COLUMNS)[number];

/** The layout of a CSV. The default is the standard CSV (docs/recording-format.md, "CSV"). */
export interface CsvLayout extends TimeLayout {
  /** The columns, in this order. */
  columns?: readonly Column[] | undefined;
  /** The character between fields. Default: a comma, or a semicolon if the decimal mark is a comma. */
  delimiter?: string | undefined;
  /** The decimal mark; default a point. */
  decimalMark?: DecimalMark | undefined;
  /** Whether the first line names the columns; default true. */
  header?: boolean | undefined;
  /** The line end; default a line feed. */
  lineEnd?: "\n" | "\r\n" | undefined;
}

/** Every option of a layout. */
export const LAYOUT_OPTIONS = optionNames<CsvLayout>({
  columns: true,
  delimiter: true,
  decimalMark: true,
  header: true,
  lineEnd: true,
  time: true,
  timeZone: true,
});

/** A layout with all defaults filled in. */
export interface CheckedLayout extends CheckedTimes {
  columns: readonly Column[];
  delimiter: string;
  decimalMark: DecimalMark;
  header: boolean;
  lineEnd: "\n" | "\r\n";
  /** Whether the rows have the standard layout, which the core writes directly. */
  hasStandardRows: boolean;
}

/** Checks a layout and fills in the defaults. Throws `BAD_OPTION`. */
export function checkLayout(layout: CsvLayout): CheckedLayout {
  requireObject("options", layout);
  requireBooleans(layout, ["header"]);
  const { columns = COLUMNS, decimalMark = ".", header = true, lineEnd = "\n" } = layout;
  const { delimiter = decimalMark === "," ? ";" : "," } = layout;
  if (!Array.isArray(columns)) {
    throw new AsiError("BAD_OPTION", `columns must be an array of names: ${COLUMNS.join(", ")}.`);
  }
  // `filter` is used instead of `find`, because the unknown column may be undefined
  const unknown = columns.filter((column) => !COLUMNS.includes(column));
  if (unknown.length > 0 || columns.length === 0 || new Set(columns).size !== columns.length) {
    const which = unknown.length === 0 ? "" : `; there is no ${shown(unknown[0])}`;
    throw new AsiError("BAD_OPTION", `columns must name each column once: ${COLUMNS.join(", ")}${which}.`);
  }
  checkDelimiter(delimiter);
  const times = checkTimes(layout, "unix");
  if (times.time !== "unix" && " :+".includes(delimiter)) {
    throw new AsiError(
      "BAD_OPTION",
      `delimiter is ${shown(delimiter)}, which occurs in times; use another one.`,
    );
  }
  if (decimalMark !== "." && decimalMark !== ",") {
    throw new AsiError("BAD_OPTION", `decimalMark is ${shown(decimalMark)}; it must be "." or ",".`);
  }
  if (decimalMark === delimiter) {
    throw new AsiError("BAD_OPTION", "decimalMark and delimiter are both a comma; use another delimiter.");
  }
  if (lineEnd !== "\n" && lineEnd !== "\r\n") {
    throw new AsiError("BAD_OPTION", 'lineEnd must be "\\n" or "\\r\\n".');
  }
  const hasStandardColumns = columns.join() === COLUMNS.join() && decimalMark === ".";
  const hasStandardRows =
    hasStandardColumns && times.time === "unix" && delimiter === "," && lineEnd === "\n";
  return { ...times, columns, delimiter, decimalMark, header, lineEnd, hasStandardRows };
}

/** Returns the header line of a layout; empty if it has none. */
export function headerText({ header, columns, delimiter, lineEnd }: CheckedLayout): string {
  return header ? columns.join(delimiter) + lineEnd : "";
}

/** Throws `BAD_OPTION` for an invalid delimiter. */
export function checkDelimiter(delimiter: string): void {
  // Fields contain digits, signs and dots, and the header line contains letters, so the delimiter must be a different character.
  if (typeof delimiter !== "string" || !/^[^\da-z.\-"\r\n]$/i.test(delimiter)) {
    throw new AsiError(
      "BAD_OPTION",
      `delimiter is ${shown(delimiter)}; it must be one character that is not a digit, a letter from a to z, a dot, a minus sign, a quote or a line end.`,
    );
  }
}
