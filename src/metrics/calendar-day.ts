import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";

const DAY_MS = 86_400_000;

/** Returns the number of a day from 1 January 1970; null if the value is not an existing date as `YYYY-MM-DD`. */
export function dayNumberOf(day: unknown): number | null {
  if (typeof day !== "string" || !/^\d{4}-\d\d-\d\d$/.test(day)) return null;
  const ms = Date.parse(day);
  // Date.parse interprets 30 February as a day in March
  if (Number.isNaN(ms) || dayText(ms / DAY_MS) !== day) return null;
  return ms / DAY_MS;
}

/** Returns the number of a day from 1 January 1970. Throws `BAD_ARGUMENT` if it is not an existing date as `YYYY-MM-DD`. */
export function dayNumber(day: string): number {
  const number = dayNumberOf(day);
  if (number !== null) return number;
  throw new AsiError(
    "BAD_ARGUMENT",
    `The day ${shown(day)} is invalid; it must be a date such as "2025-05-17".`,
  );
}

/** Formats the number of a day as `YYYY-MM-DD`. */
export const dayText = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10);
