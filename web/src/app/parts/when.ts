import type { Zone } from "../../view/settings.js";
import { day, timeOfDay } from "../../view/times.js";
import { dateText, readDate } from "./days.js";

const MINUTE_MS = 60_000;

/** An instant, in ms since 1970 or as a text from the API. */
type Instant = number | string;

const msOf = (instant: Instant) => (typeof instant === "number" ? instant : Date.parse(instant));

/** Returns day and time with seconds, such as Sat, 17 May 2025, 14:30:05. */
export const dayAndSecond = (instant: Instant, zone: Zone): string =>
  `${day(msOf(instant), zone)}, ${timeOfDay(msOf(instant), zone)}`;

/** Returns day and time, such as Sat, 17 May 2025, 14:30. */
export const dayAndTime = (instant: Instant, zone: Zone): string => dayAndSecond(instant, zone).slice(0, -3);

/** Returns the time since an instant in words, or day and time if a day has passed. */
export function since(ms: number, nowMs: number, zone: Zone): string {
  const minutes = Math.floor((nowMs - ms) / MINUTE_MS);
  if (minutes < 0 || minutes >= 24 * 60) return dayAndTime(ms, zone);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return `${Math.floor(minutes / 60)} h ago`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** Returns an instant in the format of form fields, such as 2024-05-18T15:00:00. The fraction is omitted if it is zero. */
export function instantText(ms: number, zone: Zone): string {
  const date = new Date(ms);
  const rest = date.getUTCMilliseconds();
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`;
  const time =
    zone === "utc"
      ? date.toISOString().slice(11, 19)
      : [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${dateText(ms, zone)}T${time}${fraction}`;
}

/**
 * Returns the instant in a field with a day, or with a day and a time. Returns null if the field is incomplete or the day does not exist.
 */
export function instantOf(text: string, zone: Zone): number | null {
  // Date.parse takes 31 February as a day in March
  if (readDate(text.replace(/T.*/, ""), zone) === null) return null;
  // without an offset a date-time is local, but a date without a time is UTC
  const full = text.includes("T") ? text : `${text}T00:00:00`;
  const ms = Date.parse(zone === "utc" ? `${full}Z` : full);
  return Number.isNaN(ms) ? null : ms;
}
