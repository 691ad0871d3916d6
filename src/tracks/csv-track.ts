import { shortened, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import type { EncodableRow } from "../recording/encode.js";
import { COLUMNS, type Column } from "../rows/csv-layout.js";
import { parseIsoTime } from "../rows/iso-time.js";
import type { TimeZone } from "../rows/time-zone.js";

// Reads the columns of a CSV. Other modules divide its text into fields: fast-csv in Node.js (files/encode-csv.ts), csv-fields.ts
// in browsers.

/** Options for reading a CSV. */
export interface CsvTrackOptions {
  /** The delimiter. Default: the one in the header line, which can be a semicolon, a tab, or a comma. */
  delimiter?: string | undefined;
  /**
   * Time zone for times without an offset, which `convert` writes with `time` excel: a name in the tz database, such as
   * `Europe/Zurich`. Default UTC, as in `convert`. If a local time occurs twice, at the end of summer time, it means the first
   * instant that is not earlier than the previous row.
   */
  timeZone?: string | undefined;
}

/**
 * Number of bytes in which the delimiter is searched for. Names of columns contain no delimiter, so the first one is at the start
 * of the header line.
 */
export const DELIMITER_BYTES = 1024;

/** Finds the delimiter of a CSV in its first bytes. */
export function delimiterIn(first: Uint8Array): string {
  const [header = ""] = new TextDecoder()
    .decode(first.subarray(0, DELIMITER_BYTES))
    .trimStart()
    .split(/[\r\n]/, 1);
  return [";", "\t"].find((delimiter) => header.includes(delimiter)) ?? ",";
}

/** Maximum length of a row, which is kept in memory as one text. */
export const MAX_ROW_LENGTH = 1 << 18;

/** The error message for a longer row. */
export const LONG_ROW = `a row is longer than ${MAX_ROW_LENGTH} characters, or a quote is not closed`;

/** The fields of one row. */
export interface CsvFields {
  fields: readonly string[];
  /** Line where the row ends, counted from 1. */
  line: number;
}

const REQUIRED: readonly Column[] = ["timestamp", "latitude", "longitude", "speed"];
const MAX_QUOTE_LENGTH = 120;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const DECIMAL_OR_COMMA = /^-?\d+(?:[.,]\d+)?$/;

/** Reads the rows of one CSV from the fields of its lines. */
export class CsvTrack {
  /** Line where the last row ends, counted from 1. */
  line = 0;
  readonly #zone: TimeZone;
  readonly #decimal: RegExp;
  readonly #delimiter: string;
  #columnCount = 0;
  #indices: Map<Column, number> | null = null;
  #lastMs = Number.NEGATIVE_INFINITY;

  /** @param zone the time zone for times without an offset */
  constructor(delimiter: string, zone: TimeZone) {
    // commas that separate fields are not decimal marks
    this.#decimal = delimiter === "," ? DECIMAL : DECIMAL_OR_COMMA;
    this.#delimiter = delimiter;
    this.#zone = zone;
  }

  /**
   * Converts fields to a row; null for an empty line and for the header line, which is the first non-empty line.
   *
   * @throws AsiError `BAD_CSV` with the line
   */
  read({ fields, line }: CsvFields): EncodableRow | null {
    this.line = line;
    const trimmed = fields.map((field) => field.trim());
    if (trimmed.every((field) => field === "")) return null;
    if (this.#indices !== null) return this.#rowOf(trimmed, this.#indices);
    this.#columnCount = trimmed.length;
    this.#indices = this.#columnsOf(trimmed);
    return null;
  }

  /** Ends the CSV. Throws `BAD_CSV` if it has no header line. */
  end(): void {
    if (this.#indices !== null) return;
    throw new AsiError("BAD_CSV", "The CSV is empty; it needs a header line.", { line: 1 });
  }

  #columnsOf(names: readonly string[]): Map<Column, number> {
    const lower = names.map((name) => name.toLowerCase());
    const indices = new Map<Column, number>();
    for (const column of COLUMNS) {
      const index = lower.indexOf(column);
      if (index >= 0) indices.set(column, index);
    }
    const missing = REQUIRED.filter((column) => !indices.has(column));
    if (missing.length === 0) return indices;
    throw new AsiError(
      "BAD_CSV",
      `The header line lacks ${missing.join(", ")}; it names ${shortened(names.join(", "), MAX_QUOTE_LENGTH)}.`,
      { line: this.line },
    );
  }

  #rowOf(fields: readonly string[], indices: Map<Column, number>): EncodableRow {
    // a number with a decimal comma would become two fields, and shift all later fields to the wrong columns
    if (fields.slice(this.#columnCount).some((field) => field !== "")) {
      const advice =
        this.#delimiter === ","
          ? "If commas are decimal marks, separate the columns by semicolons, or write points."
          : "Remove the extra fields, or name their columns.";
      throw this.#bad(`it has ${fields.length} fields, and the header line ${this.#columnCount}. ${advice}`);
    }
    const text = (column: Column) => fields[indices.get(column) ?? -1] ?? "";
    const number = (column: Column) => this.#number(column, text(column));
    const optional = (column: Column) => (text(column) === "" ? null : number(column));
    const timestamp = this.#time(text("timestamp"));
    this.#lastMs = timestamp;
    return {
      timestamp,
      latitude: number("latitude"),
      longitude: number("longitude"),
      altitude: optional("altitude"),
      speed: number("speed"),
      hr: optional("hr"),
    };
  }

  #number(column: Column, value: string): number {
    if (this.#decimal.test(value)) return Number(value.replace(",", "."));
    throw this.#bad(`${column} is ${shown(value)}; it must be a decimal number.`);
  }

  /** Reads a time, in ms since 1970 UTC. */
  #time(value: string): number {
    if (this.#decimal.test(value)) return Math.round(this.#number("timestamp", value) * 1000);
    const time = parseIsoTime(value);
    if (time?.form !== "seconds") {
      throw this.#bad(
        `timestamp is ${shown(value)}; it must be seconds since 1970, or a date and time such as 2025-05-17T14:30:00.050Z or 2025-05-17 14:30:00.050.`,
      );
    }
    const localMs = time.localMs + Math.round(time.fractionMs);
    return time.offsetMs === undefined ? this.#instantOf(localMs) : localMs - time.offsetMs;
  }

  /** Returns the instant of a local time. If there are two, returns the first one that is not earlier than the previous row. */
  #instantOf(localMs: number): number {
    const earliest = this.#zone.earliestAt(localMs);
    if (earliest >= this.#lastMs) return earliest;
    const latest = this.#zone.latestAt(localMs);
    return latest >= this.#lastMs ? latest : earliest;
  }

  #bad(what: string): AsiError {
    return new AsiError("BAD_CSV", `Line ${this.line}: ${what}`, { line: this.line });
  }
}
