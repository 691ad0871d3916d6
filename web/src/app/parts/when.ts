import type { Settings } from "../../view/settings.js";
import { day, timeOfDay } from "../../view/times.js";

type Zoned = Pick<Settings, "zone">;

const MINUTE_MS = 60_000;

/** Day and time, as in Sat, 17 May 2025, 14:30. */
export function dayAndTime(ms: number, { zone }: Zoned): string {
  return `${day(ms, zone.value)}, ${timeOfDay(ms, zone.value).slice(0, 5)}`;
}

/** How long ago an instant was, in words, up to a day; then the day and time. */
export function since(ms: number, nowMs: number, settings: Zoned): string {
  const minutes = Math.floor((nowMs - ms) / MINUTE_MS);
  if (minutes < 0 || minutes >= 24 * 60) return dayAndTime(ms, settings);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return `${Math.floor(minutes / 60)} h ago`;
}

/** An instant as the value of an `<input type="datetime-local">`, in the zone of the settings. */
export function fieldTime(ms: number, { zone }: Zoned): string {
  const offsetMs = zone.value === "utc" ? 0 : -new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(ms + offsetMs).toISOString().slice(0, 16);
}

/** The instant of such a value, as the API takes it; null for an empty field. */
export function timeOfField(value: string, { zone }: Zoned): string | null {
  const date = new Date(zone.value === "utc" ? `${value}Z` : value);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
