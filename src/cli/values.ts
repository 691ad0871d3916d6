import { InvalidArgumentError } from "commander";
import type { Column } from "../csv-layout.js";

// What the options of the command say, as text, and what it means. Wrong texts are wrong usage.

const DAY_MS = 86_400_000;

/**
 * An instant: RFC 3339 date and time (without an offset UTC; a space may stand for the T), a date alone, the compact form
 * of the file names, or seconds since 1970 as in the CSV.
 *
 * @param dateMeans which end of the day a date alone stands for
 * @returns ms since 1970 UTC
 */
export function parseInstant(text: string, dateMeans: "start" | "end"): number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return millisecondsOfSeconds(text);
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text) ??
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\.\d+)?(Z)?$/i.exec(text);
  const ms = match === null ? Number.NaN : instantOf(match.slice(1), dateMeans);
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError(
      'Give a date and time such as 2025-05-17T14:30:00Z or "2025-05-17 14:30", a date, or seconds since 1970.',
    );
  }
  return ms;
}

type DateParts = readonly (string | undefined)[];

// NaN for a day or time that does not exist.
function instantOf(
  [year, month, day, hour, minute, second, fraction, offset]: DateParts,
  dateMeans: "start" | "end",
): number {
  const iso = `${year}-${month}-${day}T${hour ?? "00"}:${minute ?? "00"}:${second ?? "00"}Z`;
  const civilMs = Date.parse(iso);
  // Date takes the 30th of February for a day in March.
  if (Number.isNaN(civilMs) || !new Date(civilMs).toISOString().startsWith(iso.slice(0, -1)))
    return Number.NaN;
  if (hour === undefined) return dateMeans === "start" ? civilMs : civilMs + DAY_MS - 1;
  return civilMs + Number(`0${fraction ?? ""}`) * 1000 - offsetMs(offset ?? "Z");
}

function offsetMs(offset: string): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(offset);
  if (match === null) return 0;
  const [, sign, hours, minutes] = match;
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

// Digit by digit: 0.001 s times 1000 is not always a whole number.
function millisecondsOfSeconds(text: string): number {
  const [whole = "", fraction = ""] = text.split(".");
  const milliseconds = `${whole}${fraction.slice(0, 3).padEnd(3, "0")}`;
  return Number(fraction.length > 3 ? `${milliseconds}.${fraction.slice(3)}` : milliseconds);
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** A length of time: `5`, `5s`, `1500ms`, `90min`, `1.5h`; without a unit seconds. @returns whole ms */
export function parseTimeSpan(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)?$/.exec(text);
  const ms = Number(match?.[1] ?? Number.NaN) * (UNIT_MS[match?.[2] ?? "s"] ?? Number.NaN);
  const whole = Math.round(ms);
  if (!Number.isSafeInteger(whole) || Math.abs(ms - whole) > 1e-6) {
    throw new InvalidArgumentError("Give a time in whole milliseconds, such as 5s, 1500ms, 90min or 2h.");
  }
  return whole;
}

/** Names of columns with commas between; which there are is checked with the layout. */
export function parseColumns(text: string): Column[] {
  return text.split(",").map((name) => name.trim()) as Column[];
}

export function parseDelimiter(text: string): string {
  return text === "tab" || text === "\\t" ? "\t" : text;
}

/** A name that a file or folder can have: the empty one of a variable that is not set is none. */
export function parsePath(text: string): string {
  if (text === "") throw new InvalidArgumentError("Give a name; this one is empty.");
  return text;
}

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}
