import { AsiError } from "../errors.js";
import { accelerationSignals, hasAllAccelerations } from "./acceleration.js";
import { findEfforts } from "./efforts.js";
import { athleteMaxHeartRate, isValidHeartRate, summariseHeartRate } from "./heart-rate.js";
import { distancePerSlice } from "./intensity.js";
import type { Metrics } from "./metrics.js";
import { checkOptions, type MetricsOptions } from "./options.js";
import { maxSpeedOf, prepareSignal, totalsOf } from "./prepare.js";
import { divideRoundingHalfUp, durationSeconds, fromThousandths, metres } from "./rounding.js";
import { type MetricSamples, type OrderedSamples, orderSamples, selectSamples } from "./samples.js";
import { divideAmongSpeedRanges } from "./speed-ranges.js";
import { findHighIntensityRuns, findSprints } from "./speed-runs.js";

/** Version of the rules in this folder. Increment it when a rule changes, so that every stored result is recomputed. */
export const METRICS_VERSION = 5;

const DAY_MS = 86_400_000;

/** Sums are exact up to this number of days; see `PreparedSignal`. */
export const MAX_DAYS = 366;

/**
 * Computes distance, speeds, efforts, speed classes and heart-rate zones from the samples of one device. The function is pure:
 * the same arguments always result in the same object, with the same order of keys. The command and the service use it, so both
 * show the same numbers. docs/metrics.md defines each number.
 *
 * @param samples a batch of `decode`, or all of them; repeated and unordered times are allowed
 * @returns values in SI units, rounded
 * @throws AsiError `BAD_ARGUMENT` for invalid samples, or more than 366 days from the first to the last;
 * `BAD_OPTION`
 */
export function computeMetrics(
  samples: MetricSamples | Iterable<MetricSamples>,
  options: MetricsOptions = {},
): Metrics {
  const { parameters, periods, birthDate, ...limits } = checkOptions(options);
  const ordered = orderSamples(samples);
  const fromMs = limits.fromMs ?? ordered.timestampMs[0] ?? null;
  const toMs = limits.toMs ?? ordered.timestampMs.at(-1) ?? null;
  requireBoundedLength(fromMs, toMs);
  const selected = selectSamples(
    ordered,
    fromMs ?? Number.NEGATIVE_INFINITY,
    toMs ?? Number.POSITIVE_INFINITY,
    periods,
  );
  const signal = prepareSignal(selected, parameters);
  const used = usedPeriod(selected, signal.timestampMs);
  const totals = totalsOf(signal);
  const maxSpeedMmPerS = maxSpeedOf(signal);
  const acceleration = accelerationSignals(signal);
  const sprints = findSprints(signal, parameters.sprint_threshold);
  const [run, fastRun] = parameters.hid_thresholds;
  const intense = findHighIntensityRuns(signal, run);
  const veryIntense = findHighIntensityRuns(signal, fastRun);
  const speedRanges = divideAmongSpeedRanges(signal, parameters);
  const athleteMaxHr = athleteMaxHeartRate(parameters.max_hr, birthDate, fromMs);
  const heartRate = summariseHeartRate(selected, used?.lastMs ?? 0, athleteMaxHr);
  return {
    first_timestamp: used?.firstMs ?? null,
    last_timestamp: used?.lastMs ?? null,
    total_distance: maxSpeedMmPerS === null ? null : metres(totals.distanceHalfUm),
    max_speed: maxSpeedMmPerS === null ? null : fromThousandths(maxSpeedMmPerS),
    // Half micrometres per ms equal half mm/s.
    average_speed:
      totals.durationMs === 0
        ? null
        : divideRoundingHalfUp(totals.distanceHalfUm, 2000 * totals.durationMs, 4),
    accelerations: findEfforts(acceleration, "accelerations", parameters.acceleration_thresholds),
    decelerations: findEfforts(acceleration, "decelerations", parameters.deceleration_thresholds),
    sprint: { threshold_1: sprints.runs },
    hid: { threshold_1: intense.runs, threshold_2: veryIntense.runs },
    time_per_speed_ranges: speedRanges.time,
    distance_per_speed_ranges: speedRanges.distance,
    intensity: distancePerSlice(signal, fromMs, toMs, parameters.intensity_span),
    hr_max: heartRate.max,
    hr_min: heartRate.min,
    hr_avg: heartRate.average,
    hr_plot: heartRate.last,
    athlete_max_hr: athleteMaxHr,
    timePerHrZone: heartRate.zones,
    sprint_distance: sprints.distance,
    hid_distance: { threshold_1: intense.distance, threshold_2: veryIntense.distance },
    has_accelerations: hasAllAccelerations(signal),
    too_fast: { samples: signal.tooFast.samples, duration: durationSeconds(signal.tooFast.durationMs) },
    definition: { version: METRICS_VERSION, parameters },
  };
}

function requireBoundedLength(fromMs: number | null, toMs: number | null): void {
  if (fromMs === null || toMs === null || toMs - fromMs <= MAX_DAYS * DAY_MS) return;
  const days = Math.round((toMs - fromMs) / DAY_MS);
  throw new AsiError(
    "BAD_ARGUMENT",
    `The samples cover ${days} days, but metrics are computed for at most ${MAX_DAYS}. Select a part with from and to.`,
  );
}

/** Returns the times of the first and last sample whose speed or heart rate is used; null if there are none. */
function usedPeriod(
  selected: OrderedSamples,
  speedTimestampMs: Float64Array,
): { firstMs: number; lastMs: number } | null {
  let firstMs = speedTimestampMs[0] ?? Number.POSITIVE_INFINITY;
  let lastMs = speedTimestampMs.at(-1) ?? Number.NEGATIVE_INFINITY;
  const hasHeartRate = (bpm: number) => isValidHeartRate(bpm);
  const firstHeard = selected.hr.findIndex(hasHeartRate);
  if (firstHeard >= 0) {
    firstMs = Math.min(firstMs, selected.timestampMs[firstHeard] ?? firstMs);
    lastMs = Math.max(lastMs, selected.timestampMs[selected.hr.findLastIndex(hasHeartRate)] ?? lastMs);
  }
  return firstMs <= lastMs ? { firstMs, lastMs } : null;
}
