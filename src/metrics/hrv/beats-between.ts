import type { Beats } from "./heart-rate-variability.js";

/**
 * Returns the beats between two times, both inclusive. The interval of the first beat becomes unknown if it began before
 * `fromMs`.
 *
 * @param fromMs ms since 1970 UTC; by default the earliest beat
 * @param toMs by default the latest beat
 */
export function beatsBetween(
  { length, timestampMs, rrMs }: Beats,
  fromMs = Number.NEGATIVE_INFINITY,
  toMs = Number.POSITIVE_INFINITY,
): Beats {
  const inside = Array.from({ length }, (_, i) => i).filter((i) => {
    const ms = timestampMs[i] ?? 0;
    return ms >= fromMs && ms <= toMs;
  });
  const startOf = (i: number) => (timestampMs[i] ?? 0) - (rrMs[i] ?? 0);
  return {
    length: inside.length,
    timestampMs: Float64Array.from(inside, (i) => timestampMs[i] ?? 0),
    rrMs: Float64Array.from(inside, (i) => (startOf(i) >= fromMs ? (rrMs[i] ?? 0) : 0)),
  };
}
