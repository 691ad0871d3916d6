import { inThousandths } from "./parameters.js";
import type { MetricParameters } from "./presets.js";
import type { OrderedSamples } from "./samples.js";
import { doubleMedianStep, GAP, type GapRule, gapsAfter, stepMs } from "./segments.js";
import { shared } from "./shared.js";

/** Samples `first` to `last` (both inclusive), without a gap. */
export interface Segment {
  readonly first: number;
  readonly last: number;
}

/**
 * The signal for all figures about speed and distance: samples with a plausible speed, divided into segments, without isolated
 * spikes and without noise at standstill.
 *
 * Exactness: a speed is at most 100 m/s (the limit for `max_valid_speed`), so the sum of two speeds is at most 2e5 mm/s. The
 * samples cover at most 366 days = 3.17e10 ms. Sums of `speed sum * dt` are therefore integers of at most 6.33e15 half
 * micrometres, below 2^53 = 9.007e15, so adding them in double precision is exact in any order.
 */
export interface PreparedSignal {
  /** Times of the samples, ms since 1970 UTC. */
  readonly timestampMs: Float64Array;
  /** Speed after the median filter, mm/s. */
  readonly speedMmPerS: Int32Array;
  /** The segments in ascending order. Together, they contain every sample. */
  readonly segments: readonly Segment[];
  /**
   * Entry i is twice the mean speed in mm/s of the interval from sample i to sample i + 1, or zero at standstill. Multiplied by
   * the duration in ms, it is the distance in half micrometres. The entry for the last sample of a segment is zero, because no
   * interval follows.
   */
  readonly intervalSpeedSum: Int32Array;
  /** Twice the median interval between successive samples in ms; null with fewer than two samples. */
  readonly doubleMedianStepMs: number | null;
  /** Samples above the highest valid speed, and the duration of the intervals that begin or end with one of them. */
  readonly tooFast: { readonly samples: number; readonly durationMs: number };
}

/** Distance and recorded time of a prepared signal. */
export interface Totals {
  readonly distanceHalfUm: number;
  /** Duration in ms. It includes standing, and excludes gaps. */
  readonly durationMs: number;
}

/** The parameters of the preparation. */
export interface PreparationRules {
  readonly maxValidMmPerS: number;
  readonly standstillMmPerS: number;
  /** The definition of a gap. Default: more than 1 s and more than 5 median steps. */
  readonly gap?: GapRule;
  /** Whether the median of three values removes spikes. Default true. */
  readonly withoutSpikes?: boolean;
  /** Times of all samples with a speed, if some samples were dropped. They determine the sample rate. */
  readonly recordedMs?: Float64Array;
}

/** Rejects implausible speeds, splits samples at gaps, removes spikes, and sets speeds at standstill to zero. */
export function prepareSignal(samples: OrderedSamples, parameters: MetricParameters): PreparedSignal {
  return prepareBy(samples, {
    maxValidMmPerS: inThousandths(parameters.max_valid_speed),
    standstillMmPerS: inThousandths(parameters.standstill_speed),
  });
}

/** The samples with a plausible speed, split at gaps: steps 1 to 3 of "The signal" in docs/metrics.md. */
export type ValidSpeeds = Omit<PreparedSignal, "intervalSpeedSum">;

type SelectionRules = Pick<PreparationRules, "maxValidMmPerS" | "gap" | "recordedMs">;

/** Rejects implausible speeds, and splits samples at gaps. */
export function validSpeeds(
  samples: OrderedSamples,
  { maxValidMmPerS, gap = GAP, recordedMs }: SelectionRules,
): ValidSpeeds {
  return shared(samples, `valid ${[maxValidMmPerS, gap.minMs, gap.steps].join()}`, () => {
    const withSpeed = samplesBetween(samples, 0, Number.POSITIVE_INFINITY);
    const { timestampMs, speedMmPerS } = samplesBetween(withSpeed, 0, maxValidMmPerS);
    const { startsMs } = samples;
    const splitting = { gap, recordedMs: recordedMs ?? withSpeed.timestampMs, startsMs };
    return {
      timestampMs,
      speedMmPerS,
      segments: splitAtGaps(timestampMs, splitting),
      doubleMedianStepMs: doubleMedianStep(timestampMs),
      tooFast: tooFastOf(withSpeed, timestampMs.length, maxValidMmPerS, startsMs),
    };
  });
}

/** Works like `prepareSignal`, but with other rules. */
export function prepareBy(samples: OrderedSamples, rules: PreparationRules): PreparedSignal {
  const { maxValidMmPerS, standstillMmPerS, gap = GAP, withoutSpikes = true } = rules;
  const valid = validSpeeds(samples, rules);
  const key = [maxValidMmPerS, gap.minMs, gap.steps, standstillMmPerS, withoutSpikes].join();
  return shared(samples, `signal ${key}`, () => {
    const { timestampMs, speedMmPerS, segments, doubleMedianStepMs, tooFast } = valid;
    const filtered = withoutSpikes ? medianOfThree(speedMmPerS, segments) : speedMmPerS;
    // spreading `valid` here would slow down every access to the fields
    return {
      timestampMs,
      speedMmPerS: filtered,
      segments,
      intervalSpeedSum: sumIntervalSpeeds(filtered, segments, standstillMmPerS),
      doubleMedianStepMs,
      tooFast,
    };
  });
}

/** Returns the total time within the segments, ms. */
export function durationOf({ timestampMs, segments }: ValidSpeeds): number {
  return segments.reduce(
    (sum, { first, last }) => sum + (timestampMs[last] ?? 0) - (timestampMs[first] ?? 0),
    0,
  );
}

/** @param validCount number of samples up to the limit */
function tooFastOf(
  { timestampMs, speedMmPerS }: Speeds,
  validCount: number,
  maxValidMmPerS: number,
  startsMs: OrderedSamples["startsMs"],
): PreparedSignal["tooFast"] {
  const samples = timestampMs.length - validCount;
  if (samples === 0) return { samples, durationMs: 0 };
  const isTooFast = (i: number) => (speedMmPerS[i] ?? 0) > maxValidMmPerS;
  return { samples, durationMs: durationAround(timestampMs, isTooFast, { startsMs }) };
}

/** Returns the total duration of the intervals that begin or end with a dropped sample and are not gaps. */
export function durationAround(
  timestampMs: Float64Array,
  isLeftOut: (i: number) => boolean,
  splitting: { gap?: GapRule; startsMs?: readonly number[] | undefined },
): number {
  let durationMs = 0;
  for (const { first, last } of splitAtGaps(timestampMs, splitting)) {
    for (let i = first; i < last; i++) {
      if (isLeftOut(i) || isLeftOut(i + 1)) durationMs += stepMs(timestampMs, i);
    }
  }
  return durationMs;
}

/** Sums the intervals of a signal. The sums are exact; see {@link PreparedSignal}. */
export function totalsOf(signal: PreparedSignal): Totals {
  return shared(signal, "totals", () => sumOf(signal, signal.segments));
}

/** Sums the intervals within parts of the segments of a signal. */
export function totalsWithin(signal: PreparedSignal, parts: readonly Segment[]): Totals {
  const { segments } = signal;
  const areWhole =
    parts.length === segments.length &&
    parts.every(({ first, last }, i) => first === segments[i]?.first && last === segments[i]?.last);
  return areWhole ? totalsOf(signal) : sumOf(signal, parts);
}

function sumOf({ timestampMs, intervalSpeedSum }: PreparedSignal, segments: readonly Segment[]): Totals {
  let distanceHalfUm = 0;
  let durationMs = 0;
  for (const { first, last } of segments) {
    for (let i = first; i < last; i++) {
      const dt = stepMs(timestampMs, i);
      distanceHalfUm += (intervalSpeedSum[i] ?? 0) * dt;
      durationMs += dt;
    }
  }
  return { distanceHalfUm, durationMs };
}

/** Returns the distance from the first sample to each one, in half micrometres; gaps add nothing. */
export function distancesOf({ timestampMs, segments, intervalSpeedSum }: PreparedSignal): Float64Array {
  const distances = new Float64Array(timestampMs.length);
  let distanceHalfUm = 0;
  for (const { first, last } of segments) {
    for (let i = first; i <= last; i++) {
      distances[i] = distanceHalfUm;
      if (i < last) distanceHalfUm += (intervalSpeedSum[i] ?? 0) * stepMs(timestampMs, i);
    }
  }
  return distances;
}

/** Returns the maximum speed in mm/s; null if there are no samples. */
export function maxSpeedOf(signal: PreparedSignal): number | null {
  let max = -1;
  for (let i = 0; i < signal.speedMmPerS.length; i++) {
    const speed = signal.speedMmPerS[i] ?? -1;
    if (speed > max) max = speed;
  }
  return max < 0 ? null : max;
}

type Speeds = Pick<OrderedSamples, "timestampMs" | "speedMmPerS">;

/** Selects samples with a speed between two limits, both inclusive. The arrays are not copied if all samples are selected. */
function samplesBetween(samples: Speeds, leastMmPerS: number, mostMmPerS: number): Speeds {
  const { length } = samples.timestampMs;
  let count = 0;
  while (count < length && isBetween(samples.speedMmPerS[count], leastMmPerS, mostMmPerS)) count++;
  if (count === length) return samples;
  const timestampMs = samples.timestampMs.slice();
  const speedMmPerS = samples.speedMmPerS.slice();
  for (let i = count + 1; i < length; i++) {
    const speed = samples.speedMmPerS[i];
    if (!isBetween(speed, leastMmPerS, mostMmPerS)) continue;
    timestampMs[count] = samples.timestampMs[i] ?? 0;
    speedMmPerS[count] = speed;
    count++;
  }
  return { timestampMs: timestampMs.subarray(0, count), speedMmPerS: speedMmPerS.subarray(0, count) };
}

const isBetween = (speed: number | undefined, least: number, most: number): speed is number =>
  speed !== undefined && speed >= least && speed <= most;

function splitAtGaps(
  timestampMs: Float64Array,
  {
    gap,
    recordedMs,
    startsMs = [],
  }: { gap?: GapRule; recordedMs?: Float64Array; startsMs?: readonly number[] | undefined },
): Segment[] {
  if (timestampMs.length === 0) return [];
  const gaps = gapsAfter(timestampMs, gap, recordedMs);
  const ends = [...withEndsBefore(startsMs, timestampMs, gaps), timestampMs.length - 1];
  return ends.map((last, i) => ({ first: (ends[i - 1] ?? -1) + 1, last }));
}

/** Adds the indexes of the last samples before the given times to a list of indexes. Both lists are in ascending order. */
function withEndsBefore(
  startsMs: readonly number[],
  timestampMs: Float64Array,
  gaps: readonly number[],
): readonly number[] {
  if (startsMs.length === 0) return gaps;
  const ends = new Set(gaps);
  let sample = 0;
  for (const startMs of startsMs) {
    while (sample < timestampMs.length && (timestampMs[sample] ?? 0) < startMs) sample++;
    if (sample > 0 && sample < timestampMs.length) ends.add(sample - 1);
  }
  return [...ends].sort((a, b) => a - b);
}

/** Replaces each sample by the median of it and its two neighbours (Varley et al. 2017). The ends of a segment do not change. */
function medianOfThree(speeds: Int32Array, segments: readonly Segment[]): Int32Array {
  const filtered = speeds.slice();
  for (const { first, last } of segments) {
    for (let i = first + 1; i < last; i++) {
      const before = speeds[i - 1] ?? 0;
      const here = speeds[i] ?? 0;
      const after = speeds[i + 1] ?? 0;
      filtered[i] = Math.max(Math.min(before, here), Math.min(Math.max(before, here), after));
    }
  }
  return filtered;
}

/**
 * Computes `intervalSpeedSum`. Below the limit for standing, the distance is 0, because rectified Doppler noise of 0.08 m/s would
 * add up to 344 m in 90 minutes of standing.
 */
function sumIntervalSpeeds(
  speeds: Int32Array,
  segments: readonly Segment[],
  standstillMmPerS: number,
): Int32Array {
  const sums = new Int32Array(speeds.length);
  for (const { first, last } of segments) {
    for (let i = first; i < last; i++) {
      const sum = (speeds[i] ?? 0) + (speeds[i + 1] ?? 0);
      sums[i] = sum < 2 * standstillMmPerS ? 0 : sum;
    }
  }
  return sums;
}
