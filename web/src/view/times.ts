import type { Zone } from "./settings.js";
import { negated } from "./values.js";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const two = (value: number) => String(value).padStart(2, "0");

/**
 * Returns a duration with units, because it must not look like a time of day. Examples: `16 s`, `32:05 min`. Durations of an hour or more
 * have no seconds, such as `1 h 32 min`.
 */
export function duration(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)} min`;
  const minutes = Math.round(ms / MINUTE_MS);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** Returns a difference of two durations, with a minus sign if it is negative. */
export function durationDifference(ms: number): string {
  return negated(duration(Math.abs(ms)), ms < 0);
}

/** Returns a position on an axis that begins with the recording, in the format of a stopwatch, such as `1:02:03` or `2:03`. */
export function elapsed(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS);
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest.replace(/^0/, "");
}

/** Returns the offset of the zone from UTC at an instant, ms. */
function offsetMs(ms: number, zone: Zone): number {
  return zone === "utc" ? 0 : -new Date(ms).getTimezoneOffset() * MINUTE_MS;
}

/** Returns the time of day, such as 14:30:05, optionally with tenths of a second. */
export function timeOfDay(ms: number, zone: Zone, decimals: 0 | 1 = 0): string {
  const unit = decimals === 1 ? 100 : SECOND_MS;
  // rounds before splitting, because 59.97 s must not become 60.0
  const date = new Date(Math.round(ms / unit) * unit + offsetMs(ms, zone));
  const text = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return decimals === 1 ? `${text}.${Math.floor(date.getUTCMilliseconds() / 100)}` : text;
}

/** Returns the day, such as Sat, 17 May 2025. */
export function day(ms: number, zone: Zone): string {
  return new Date(ms).toLocaleDateString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    ...(zone === "utc" ? { timeZone: "UTC" } : {}),
  });
}

/** Returns the name of the zone, such as UTC or Europe/Zurich. */
export function zoneName(zone: Zone): string {
  return zone === "utc" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 30, 91, 365, 3652, 36525, 365_250].map((days) => days * DAY_MS),
];

/** Returns at most `count` round instants of a zone between two instants. */
export function ticks(
  startMs: number,
  stopMs: number,
  count: number,
  zone: Zone,
): { at: number[]; stepMs: number } {
  const least = (stopMs - startMs) / Math.max(1, count);
  const stepMs = STEPS_MS.find((step) => step >= least) ?? (STEPS_MS.at(-1) as number);
  const offset = offsetMs(startMs, zone);
  const at: number[] = [];
  for (let ms = Math.ceil((startMs + offset) / stepMs) * stepMs - offset; ms <= stopMs; ms += stepMs)
    at.push(ms);
  return { at, stepMs };
}

/** Returns the label of a tick, with the precision of the step between ticks. */
export function tickLabel(ms: number, stepMs: number, zone: Zone): string {
  if (stepMs < MINUTE_MS) return timeOfDay(ms, zone);
  if (stepMs < DAY_MS) return timeOfDay(ms, zone).slice(0, 5);
  return new Date(ms + offsetMs(ms, zone))
    .toISOString()
    .replace(/T.*/, "")
    .replace(/^[+-]0*/, "");
}
