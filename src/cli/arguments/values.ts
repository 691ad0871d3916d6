import { InvalidArgumentError } from "commander";
import type { Column } from "../../rows/csv-layout.js";
import { parseIsoTime } from "../../rows/iso-time.js";

// Parses the values of options. An invalid value is a usage error.

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/**
 * Parses a duration: `5`, `5s`, `1500ms`, `90min`, `1.5h`. Without a unit, it is in seconds.
 * @returns whole ms
 */
export function parseTimeSpan(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)?$/.exec(text);
  const ms = Number(match?.[1] ?? Number.NaN) * (UNIT_MS[match?.[2] ?? "s"] ?? Number.NaN);
  const whole = Math.round(ms);
  if (!Number.isSafeInteger(whole) || Math.abs(ms - whole) > 1e-6) {
    throw new InvalidArgumentError("Give a time in whole milliseconds, such as 5s, 1500ms, 90min or 2h.");
  }
  return whole;
}

/** Parses names of columns, separated by commas. The layout checks whether they exist. */
export function parseColumns(text: string): Column[] {
  return text.split(",").map((name) => name.trim()) as Column[];
}

export function parseDelimiter(text: string): string {
  return text === "tab" || text === "\\t" ? "\t" : text;
}

/** Parses the name of a file or folder. Refuses an empty text, such as the value of an unset variable. */
export function parsePath(text: string): string {
  if (text === "") throw new InvalidArgumentError("The name is empty; specify a name.");
  return text;
}

/** Creates a parser for whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

const DAY_MS = 86_400_000;

/**
 * Parses a date: `2025-05-17`.
 * @returns days since 1 January 1970
 */
export function parseDate(text: string): number {
  const time = parseIsoTime(text);
  if (time?.form !== "date") throw new InvalidArgumentError("Give a date such as 2025-05-17.");
  return time.localMs / DAY_MS;
}

/** Collects the values of an option that can be given several times. */
export function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}
