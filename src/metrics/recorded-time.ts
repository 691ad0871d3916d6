import type { Metrics } from "./metrics.js";

/** Returns the time with valid speeds, ms. It includes standing and excludes gaps. */
export function recordedTimeMs({ time_per_speed_ranges }: Pick<Metrics, "time_per_speed_ranges">): number {
  // durations are in seconds with one decimal, so tenths are summed as integers
  return time_per_speed_ranges.reduce((tenths, { duration }) => tenths + Math.round(duration * 10), 0) * 100;
}
