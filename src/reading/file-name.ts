import { shown } from "../arguments.js";
import type { Produced } from "../engine/engine.js";
import { AsiError } from "../errors.js";
import { checkGivenSerial } from "../recording/header.js";

/**
 * Returns the name of the CSV for a recording: `{serial}_{start}_{end}.csv`, with start and end as `YYYYMMDDTHHMMSS` in UTC,
 * truncated to seconds (docs/recording-format.md, "CSV").
 *
 * @param startMs earliest row, ms since 1970 UTC
 * @param endMs latest row, ms since 1970 UTC
 * @throws AsiError `BAD_OPTION` for the serial number, `BAD_ARGUMENT` for a time that a Date cannot represent
 */
export function csvFileName(serial: string, startMs: number, endMs: number): string {
  checkGivenSerial(serial);
  return `${serial}_${compactInstant(startMs)}_${compactInstant(endMs)}.csv`;
}

/** Formats a time as `20250517T143000` in UTC. Throws `BAD_ARGUMENT` for a time that a Date cannot represent. */
export function compactInstant(ms: number): string {
  // Date rounds down to whole milliseconds itself, and toISOString writes years outside 0 to 9999 with a sign.
  const date = new Date(typeof ms === "number" ? ms : Number.NaN);
  if (Number.isNaN(date.getTime())) {
    throw new AsiError(
      "BAD_ARGUMENT",
      `The instant ${shown(ms)} is invalid; it must be a number of ms since 1970.`,
    );
  }
  const two = (value: number) => String(value).padStart(2, "0");
  const year = date.getUTCFullYear();
  const day = `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())}`;
  return `${day}T${two(date.getUTCHours())}${two(date.getUTCMinutes())}${two(date.getUTCSeconds())}`;
}

/** Replaces the extension in the name of a CSV by that of another format. */
export function withExtension(csvName: string, { extension }: { extension: string }): string {
  return csvName.slice(0, -".csv".length) + extension;
}

/** Returns the name of a CSV with the produced rows; null if there are no such rows. */
export function csvFileNameOf(serial: string, { start, end }: Produced): string | null {
  return start === null || end === null ? null : csvFileName(serial, start, end);
}
