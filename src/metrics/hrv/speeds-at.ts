import { type MetricSamples, orderSamples } from "../samples.js";
import { hasSpeed } from "../segments.js";

/** Between samples that are further apart, there is no speed, as for accelerations *(choice)*. */
const LONGEST_STEP_MS = 1000;

/**
 * Returns the speed at each of the given times, such as those of beats, by linear interpolation between the samples before and
 * after the time. Rows and beats of a recording have the same clock.
 *
 * @param timesMs ms since 1970 UTC, in any order
 * @returns m/s; NaN before the first and after the last sample, and between two samples with a speed that are more than 1 s apart
 * @throws AsiError `BAD_ARGUMENT` for invalid samples
 */
export function speedsAt(
  samples: MetricSamples | Iterable<MetricSamples>,
  timesMs: ArrayLike<number>,
): Float64Array {
  const { timestampMs, speedMmPerS } = orderSamples(samples);
  const msOf = (row: number) => timestampMs[row] ?? Number.NaN;
  // beyond the ends, there is no row, which ends the search
  const lacksSpeed = (row: number) => !hasSpeed(speedMmPerS[row] ?? 0);
  return Float64Array.from(timesMs, (ms) => {
    const place = firstNotBefore(timestampMs, ms);
    let after = place;
    while (lacksSpeed(after) && msOf(after) - ms <= LONGEST_STEP_MS) after += 1;
    let before = msOf(after) === ms ? after : place - 1;
    while (lacksSpeed(before) && ms - msOf(before) <= LONGEST_STEP_MS) before -= 1;
    const step = msOf(after) - msOf(before);
    if (!(step <= LONGEST_STEP_MS)) return Number.NaN;
    const [from = 0, to = 0] = [speedMmPerS[before], speedMmPerS[after]];
    return (step === 0 ? to : from + ((ms - msOf(before)) / step) * (to - from)) / 1000;
  });
}

function firstNotBefore(timestampMs: Float64Array, ms: number): number {
  let from = 0;
  let to = timestampMs.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((timestampMs[middle] as number) < ms) from = middle + 1;
    else to = middle;
  }
  return from;
}
