import type { Span } from "./engine.js";

/**
 * Name of the CSV of a recording: `{serial}_{start}_{end}.csv`, start and end as `YYYYMMDDTHHMMSS` in UTC, seconds cut,
 * not rounded (docs/recording-format.md, "CSV").
 *
 * @param startMs earliest row, ms since 1970 UTC
 * @param endMs latest row, ms since 1970 UTC
 */
export function csvFileName(serial: string, startMs: number, endMs: number): string {
  return `${serial}_${compactInstant(startMs)}_${compactInstant(endMs)}.csv`;
}

function compactInstant(ms: number): string {
  // Date floors to whole milliseconds itself, and toISOString writes years outside 0 to 9999 with a sign.
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const year = date.getUTCFullYear();
  const day = `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())}`;
  return `${day}T${two(date.getUTCHours())}${two(date.getUTCMinutes())}${two(date.getUTCSeconds())}`;
}

/** Name of the CSV that holds the rows of these spans; null when there are none. */
export function csvFileNameOfSpans(serial: string, spans: readonly Span[]): string | null {
  if (spans.length === 0) return null;
  const start = spans.reduce((earliest, span) => Math.min(earliest, span.start), Number.POSITIVE_INFINITY);
  const end = spans.reduce((latest, span) => Math.max(latest, span.end), Number.NEGATIVE_INFINITY);
  return csvFileName(serial, start, end);
}
