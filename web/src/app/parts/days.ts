import type { Zone } from "../../view/settings.js";
import type { TimeWindow } from "../../view/window.js";

/** Number of days that the calendar shows. */
export const SHOWN_DAYS = 14;

const civilOf = (ms: number, zone: Zone): [year: number, month: number, day: number] => {
  const date = new Date(ms);
  return zone === "utc"
    ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
    : [date.getFullYear(), date.getMonth(), date.getDate()];
};

const midnight = (year: number, month: number, day: number, zone: Zone): number =>
  zone === "utc" ? Date.UTC(year, month, day) : new Date(year, month, day).getTime();

/** Returns the beginning of the day `days` after the day of an instant. A day in a zone has 23 to 25 hours. */
export function dayAfter(ms: number, days: number, zone: Zone): number {
  const [year, month, day] = civilOf(ms, zone);
  return midnight(year, month, day + days, zone);
}

/** Returns the Monday of the week that contains an instant. */
export function mondayOf(ms: number, zone: Zone): number {
  const [year, month, day] = civilOf(ms, zone);
  const weekday = new Date(Date.UTC(year, month, day)).getUTCDay();
  return midnight(year, month, day - ((weekday + 6) % 7), zone);
}

/** Returns the Monday before the week of an instant. */
export const weeksUpTo = (ms: number, zone: Zone): number => dayAfter(mondayOf(ms, zone), -7, zone);

/** Returns a day in the format for addresses, such as `2024-03-01`. */
export function dateText(ms: number, zone: Zone): string {
  const [year, month, day] = civilOf(ms, zone);
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}

/** Returns the beginning of a day in an address, or null if the text is not a day. */
export function readDate(text: string | null, zone: Zone): number | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? "") ?? [];
  if (year === undefined) return null;
  const ms = midnight(Number(year), Number(month) - 1, Number(day), zone);
  return dateText(ms, zone) === text ? ms : null;
}

/**
 * Returns the ranges of a day, and the first range of each other day.
 * @param ranges in chronological order
 */
export function aroundDay<Range extends TimeWindow>(
  ranges: readonly Range[],
  dayMs: number,
  zone: Zone,
): { ofDay: Range[]; otherDays: number[] } {
  const end = dayAfter(dayMs, 1, zone);
  const isOfDay = ({ startMs, stopMs }: TimeWindow) => startMs < end && stopMs >= dayMs;
  const days = new Map<string, number>();
  for (const range of ranges) {
    const date = dateText(range.startMs, zone);
    if (!isOfDay(range) && !days.has(date)) days.set(date, range.startMs);
  }
  return { ofDay: ranges.filter(isOfDay), otherDays: [...days.values()] };
}
