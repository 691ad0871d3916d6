import type { MetricsOptions } from "./options.js";
import { distancesOf } from "./prepare.js";
import type { MetricSamples } from "./samples.js";
import { selectedSignal } from "./selected-signal.js";

/** Distance over time. Both columns have the same length and are in ascending order; times are distinct. */
export interface DistanceCurve {
  /** Times of the samples with a plausible speed, ms since 1970 UTC. */
  timestampMs: Float64Array;
  /** Metres covered since the first of these samples, not rounded. */
  distanceM: Float64Array;
}

const HALF_MICROMETRES_PER_METRE = 2e6;

/**
 * Returns the distance at each sample, according to the rules of `computeMetrics`: standing and gaps add nothing. The last value,
 * rounded, equals `total_distance` for the same samples and options.
 *
 * @param samples a batch of `decode`, or all of them; repeated and unordered times are allowed
 * @throws AsiError `BAD_ARGUMENT` for invalid samples; `BAD_OPTION`
 */
export function distanceCurve(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions = {},
): DistanceCurve {
  const { signal } = selectedSignal(samples, options);
  return {
    timestampMs: signal.timestampMs,
    distanceM: distancesOf(signal).map((distance) => distance / HALF_MICROMETRES_PER_METRE),
  };
}
