import type { SessionPeriod } from "asi-convert/squad";
import type { Zone } from "../../view/settings.js";
import { duration, timeOfDay } from "../../view/times.js";
import type { PlayerRow } from "../squad-session.js";
import { changesOf, onIntervals } from "./on-pitch.js";

/** Returns a time, without seconds if they are 0. */
function minuteText(ms: number, zone: Zone): string {
  return timeOfDay(ms, zone).replace(/:00$/, "");
}

/** Describes a strip for screen readers, such as `On 15:00 to 15:47 and 16:02 to 16:51, 9 sprints`. */
export function stripText(
  { member: { name, recordings } }: PlayerRow,
  periods: readonly SessionPeriod[],
  sprints: number | null,
  zone: Zone,
): string {
  if (recordings.length === 0) return "No recording";
  const on = onIntervals(periods, name);
  const times = (
    on ?? recordings.map(({ startMs, endMs }) => ({ startMs, endMs })).sort((a, b) => a.startMs - b.startMs)
  ).map(({ startMs, endMs }) => `${minuteText(startMs, zone)} to ${minuteText(endMs, zone)}`);
  const what = on === null ? "Recorded" : "On";
  const changes = changesOf(periods, name).map(
    ({ atMs, kind }) => `${kind === "on" ? "comes on" : "goes off"} at ${minuteText(atMs, zone)}`,
  );
  return [
    times.length === 0 ? "Recorded but never on the pitch" : `${what} ${listed(times)}`,
    ...changes,
    ...(recordings.length > 1 ? [`${recordings.length} trackers`] : []),
    ...(recordings.some(({ isDamaged }) => isDamaged) ? ["damaged"] : []),
    ...(sprints === null ? [] : [`${sprints} ${sprints === 1 ? "sprint" : "sprints"}`]),
  ].join(", ");
}

/** Joins texts, such as `a, b and c`. */
export function listed(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} and ${last}`;
}

/** Describes an interval, such as `15:20:00 to 15:30:00, 10:00 min`. */
export function intervalText({ startMs, endMs }: { startMs: number; endMs: number }, zone: Zone): string {
  return `${timeOfDay(startMs, zone)} to ${timeOfDay(endMs, zone)}, ${duration(endMs - startMs)}`;
}
