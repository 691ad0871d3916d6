import { accelerationSignals } from "./acceleration.js";
import type { ComputedData } from "./computed-data.js";
import { findEfforts } from "./efforts.js";
import { athleteMaxHeartRate, isValidHeartRate, summariseHeartRate } from "./heart-rate.js";
import { distancePerSlice } from "./intensity.js";
import { maxSpeedOf, prepareSignal, totalsOf } from "./prepare.js";
import type { AnalysisParameters } from "./presets.js";
import { divideRoundingHalfUp, fromThousandths, metres } from "./rounding.js";
import { type AnalysisFrame, type SampleColumns, selectSamples } from "./samples.js";
import { divideAmongSpeedRanges } from "./speed-ranges.js";
import { findHighIntensityRuns, findSprints } from "./speed-runs.js";

/** Version of the rules in this folder. Increment it when a rule changes, so that every stored result is recomputed. */
export const DEFINITION_VERSION = 1;

/**
 * Computes the data of a time frame. Pure: the same arguments always give the same object and order of keys.
 *
 * @param samples of the frame's device, in strictly ascending order of time; samples outside the frame or the
 *   ownership are ignored, so the caller may pass whole chunks
 * @param parameters from `effectiveParameters`
 * @param computedAtMs the time of this computation, ms since 1970 UTC
 * @returns values in SI units, see the schema of the computed data
 * @throws RangeError when the samples are not in strictly ascending order
 */
export function analyse(
  samples: SampleColumns,
  frame: AnalysisFrame,
  parameters: AnalysisParameters,
  computedAtMs: number,
): ComputedData {
  const selected = selectSamples(samples, frame);
  const signal = prepareSignal(selected, parameters);
  const used = usedPeriod(selected, signal.timestampMs);
  const totals = totalsOf(signal);
  const maxSpeedMmPerS = maxSpeedOf(signal);
  const acceleration = accelerationSignals(signal);
  const speedRanges = divideAmongSpeedRanges(signal, parameters);
  const athleteMaxHr = athleteMaxHeartRate(parameters.max_hr, frame.athleteBirthDate, frame.startMs);
  const heartRate = summariseHeartRate(selected, used?.lastMs ?? frame.startMs, athleteMaxHr);
  return {
    first_timestamp: used?.firstMs ?? null,
    last_timestamp: used?.lastMs ?? null,
    last_computation: computedAtMs,
    total_distance: maxSpeedMmPerS === null ? null : metres(totals.distanceHalfUm),
    max_speed: maxSpeedMmPerS === null ? null : fromThousandths(maxSpeedMmPerS),
    // Half micrometres per ms equal half mm/s.
    average_speed:
      totals.durationMs === 0
        ? null
        : divideRoundingHalfUp(totals.distanceHalfUm, 2000 * totals.durationMs, 4),
    accelerations: findEfforts(acceleration, "accelerations", parameters.acceleration_thresholds),
    decelerations: findEfforts(acceleration, "decelerations", parameters.deceleration_thresholds),
    sprint: { threshold_1: findSprints(signal, parameters.sprint_threshold) },
    hid: {
      threshold_1: findHighIntensityRuns(signal, parameters.hid_thresholds[0]),
      threshold_2: findHighIntensityRuns(signal, parameters.hid_thresholds[1]),
    },
    time_per_speed_ranges: speedRanges.time,
    distance_per_speed_ranges: speedRanges.distance,
    intensity: distancePerSlice(signal, frame, parameters.intensity_span),
    hr_max: heartRate.max,
    hr_min: heartRate.min,
    hr_avg: heartRate.average,
    hr_plot: heartRate.last,
    athlete_max_hr: athleteMaxHr,
    timePerHrZone: heartRate.zones,
    definition: { version: DEFINITION_VERSION, parameters },
  };
}

/** Times of the first and last samples whose speed or heart rate is used; null when there are none. */
function usedPeriod(
  selected: SampleColumns,
  speedTimestampMs: Float64Array,
): { firstMs: number; lastMs: number } | null {
  let firstMs = speedTimestampMs[0] ?? Number.POSITIVE_INFINITY;
  let lastMs = speedTimestampMs.at(-1) ?? Number.NEGATIVE_INFINITY;
  const hasHeartRate = (bpm: number) => isValidHeartRate(bpm);
  const firstHeard = selected.heartRateBpm.findIndex(hasHeartRate);
  if (firstHeard >= 0) {
    firstMs = Math.min(firstMs, selected.timestampMs[firstHeard] ?? firstMs);
    lastMs = Math.max(
      lastMs,
      selected.timestampMs[selected.heartRateBpm.findLastIndex(hasHeartRate)] ?? lastMs,
    );
  }
  return firstMs <= lastMs ? { firstMs, lastMs } : null;
}
