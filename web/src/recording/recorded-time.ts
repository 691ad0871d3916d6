import type { Metrics } from "asi-convert/metrics";

/**
 * Returns the time with valid speeds, ms. It includes standing and excludes gaps. The library has the same function for squads, but
 * importing it would add 5 kB to the views of activities.
 */
export function recordedTimeMs({ time_per_speed_ranges }: Metrics): number {
  // durations are in seconds with one decimal, so tenths are summed as integers
  return time_per_speed_ranges.reduce((tenths, { duration }) => tenths + Math.round(duration * 10), 0) * 100;
}
