import type { Zone } from "./settings.js";
import { elapsed, tickLabel, ticks, timeOfDay } from "./times.js";
import { decimal } from "./values.js";
import type { TimeWindow } from "./window.js";

/**
 * The quantity of the horizontal axis. It is the time of day, the time since the first row, or the distance covered. Positions are in ms;
 * on the distance axis they are in mm, because both then use the same steps and limits.
 */
export type Axis = "clock" | "start" | "distance";

const METRE_MM = 1000;
const KILOMETRE_MM = 1e6;

/** Returns at most `count` round positions in the visible part, with labels. */
export function axisTicks(
  axis: Axis,
  { startMs, stopMs }: TimeWindow,
  count: number,
  zone: Zone,
): { at: number[]; labels: string[] } {
  if (axis === "distance") {
    const stepMm = roundStep((stopMs - startMs) / Math.max(1, count), METRE_MM);
    const at: number[] = [];
    for (let i = Math.ceil(startMs / stepMm); i * stepMm <= stopMs; i++) at.push(i * stepMm);
    const inKilometres = stopMs >= KILOMETRE_MM;
    const decimals = Math.max(0, Math.ceil(-Math.log10(stepMm / (inKilometres ? KILOMETRE_MM : 1000))));
    return { at, labels: at.map((mm) => distanceText(mm, inKilometres, decimals)) };
  }
  const { at, stepMs } = ticks(startMs, stopMs, count, axis === "clock" ? zone : "utc");
  return { at, labels: at.map((ms) => (axis === "clock" ? tickLabel(ms, stepMs, zone) : elapsed(ms))) };
}

/** Returns a position as text, such as 14:30:05, 12:34 or 3.21 km. */
export function axisText(axis: Axis, position: number, zone: Zone, decimals: 0 | 1 = 0): string {
  switch (axis) {
    case "clock":
      return timeOfDay(position, zone, decimals);
    case "start":
      return elapsed(position);
    case "distance":
      return distanceText(position, position >= KILOMETRE_MM, position >= KILOMETRE_MM ? 2 : 0);
  }
}

function distanceText(mm: number, inKilometres: boolean, decimals: number): string {
  return inKilometres ? `${decimal(mm / KILOMETRE_MM, decimals)} km` : `${decimal(mm / 1000, decimals)} m`;
}

/** Returns the smallest of 1, 2, 5, 10, … that is at least `least` and at least `smallest`, which is a power of 10. */
export function roundStep(least: number, smallest: number): number {
  const unit = Math.max(smallest, 10 ** Math.floor(Math.log10(least)));
  return [1, 2, 5].map((factor) => factor * unit).find((step) => step >= least) ?? 10 * unit;
}
