import { type LowPass, lowPassZeroPhase, TWO_HZ } from "./butterworth.js";
import { durationOf, type PreparedSignal, type Segment } from "./prepare.js";
import { doubleMedianAround, GAP, stepMs } from "./segments.js";
import { shared } from "./shared.js";

/** Sampling interval of the resampled signal, for 10 Hz. */
export const RESAMPLED_STEP_MS = 100;

/** A recording with a longer median interval (slower than 5 Hz) does not contain enough information about accelerations. */
const SLOWEST_STEP_MS = 200;

/**
 * A part of a recording is slower than 5 Hz if the median of the steps around a step is longer than this. The limit allows for
 * clock jitter of receivers *(choice)*.
 */
const SLOWEST_STEP_OF_PART_MS = 220;

/** With fewer samples per second in more of the time, numbers of accelerations would be too low *(choice)*. */
const LEAST_FAST_SHARE = 0.95;

/** Minimum duration of a part with an acceleration signal. */
const SHORTEST_SEGMENT_MS = 1000;

const NONE = new Float64Array(0);

/** Speed and acceleration of one segment at 10 Hz. */
export interface AccelerationSignal {
  /** Time of the first value, ms since 1970 UTC; value i is i * 100 ms later. */
  readonly startMs: number;
  /** Resampled, unfiltered speed in mm/s. */
  readonly speedMmPerS: Float64Array;
  /** Speed after the low-pass filter, in mm/s. */
  readonly smoothMmPerS: Float64Array;
  /** Derivative of the low-pass filtered speed, in mm/s2. */
  readonly accelerationMmPerS2: Float64Array;
}

/** Returns whether a recording has enough samples per second for accelerations. */
export function isFastEnough({ doubleMedianStepMs }: PreparedSignal): boolean {
  return doubleMedianStepMs !== null && doubleMedianStepMs <= 2 * SLOWEST_STEP_MS;
}

/** Returns the acceleration signals of all stretches that are long enough; empty if the recording is slower than 5 Hz. */
export function accelerationSignals(signal: PreparedSignal): readonly AccelerationSignal[] {
  if (!isFastEnough(signal)) return [];
  return shared(signal, "accelerations", () => {
    const stretches = resampledSegments(signal, "fast stretches", RESAMPLED_STEP_MS);
    const smooth = lowPassed(stretches, TWO_HZ);
    const accelerations = derivatives(smooth, RESAMPLED_STEP_MS);
    return stretches.map((stretch, i) => ({
      ...stretch,
      smoothMmPerS: smooth[i] ?? NONE,
      accelerationMmPerS2: accelerations[i] ?? NONE,
    }));
  });
}

/** Returns the speeds of each segment after a low-pass filter. Accelerations and recipes with the same filter share them. */
export function lowPassed(segments: readonly ResampledSegment[], filter: LowPass): readonly Float64Array[] {
  const { b0, b1, b2, a1, a2 } = filter;
  return shared(segments, `low-pass ${[b0, b1, b2, a1, a2].join()}`, () =>
    segments.map(({ speedMmPerS }) => lowPassZeroPhase(speedMmPerS, filter)),
  );
}

/** Returns the derivative of each of these speeds. */
export function derivatives(speeds: readonly Float64Array[], stepMs: number): readonly Float64Array[] {
  return shared(speeds, `derivatives ${stepMs}`, () => speeds.map((one) => differentiate(one, stepMs)));
}

/**
 * Returns the parts of the segments that last at least 1 s and have enough samples per second. In a slower part of a recording,
 * or a step of more than 1 s, a straight line through two samples does not show an acceleration.
 */
export function fastStretches(signal: PreparedSignal): readonly Segment[] {
  return shared(signal, "fast stretches", () => {
    const { timestampMs, segments } = signal;
    const stretches = segments.flatMap(({ first, last }) => {
      const ends: number[] = [];
      for (let i = first; i < last; i++) if (isTooSlow(timestampMs, i)) ends.push(i);
      return [...ends, last].map(
        (end, k): Segment => ({ first: k === 0 ? first : (ends[k - 1] ?? 0) + 1, last: end }),
      );
    });
    const isLong = ({ first, last }: Segment) =>
      (timestampMs[last] ?? 0) - (timestampMs[first] ?? 0) >= SHORTEST_SEGMENT_MS;
    return stretches.filter(isLong);
  });
}

/** Returns whether nearly all of the recorded time has enough samples per second, so that the numbers of accelerations are complete. */
export const hasAllAccelerations = (signal: PreparedSignal): boolean =>
  isFastEnough(signal) &&
  durationOf({ ...signal, segments: fastStretches(signal) }) >= LEAST_FAST_SHARE * durationOf(signal);

function isTooSlow(timestampMs: Float64Array, sample: number): boolean {
  const step = stepMs(timestampMs, sample);
  if (step <= SLOWEST_STEP_OF_PART_MS) return false;
  return step > GAP.minMs || doubleMedianAround(timestampMs, sample) > 2 * SLOWEST_STEP_OF_PART_MS;
}

/** The speed of a segment in equal steps. */
export interface ResampledSegment {
  /** Time of the first value, ms since 1970 UTC. */
  readonly startMs: number;
  /** mm/s */
  readonly speedMmPerS: Float64Array;
}

/** Returns the speeds of the segments, or of their fast stretches, in equal steps. */
export function resampledSegments(
  signal: PreparedSignal,
  parts: "segments" | "fast stretches",
  everyMs: number,
): readonly ResampledSegment[] {
  return shared(signal, `resampled ${parts} ${everyMs}`, () => {
    const segments = parts === "segments" ? signal.segments : fastStretches(signal);
    return segments.map((segment) => ({
      startMs: signal.timestampMs[segment.first] ?? 0,
      speedMmPerS: resample(signal, segment, everyMs),
    }));
  });
}

/** Interpolates linearly from the start of the segment. Samples at multiples of the step keep their values. */
function resample(signal: PreparedSignal, { first, last }: Segment, everyMs: number): Float64Array {
  const { timestampMs, speedMmPerS } = signal;
  const startMs = timestampMs[first] ?? 0;
  const length = Math.floor(((timestampMs[last] ?? 0) - startMs) / everyMs) + 1;
  const resampled = new Float64Array(length);
  let right = first;
  for (let k = 0; k < length; k++) {
    const t = startMs + k * everyMs;
    while (right < last && (timestampMs[right] ?? t) < t) right++;
    const rightMs = timestampMs[right] ?? t;
    const rightSpeed = speedMmPerS[right] ?? 0;
    if (rightMs === t) {
      resampled[k] = rightSpeed;
    } else {
      const leftMs = timestampMs[right - 1] ?? t;
      const leftSpeed = speedMmPerS[right - 1] ?? 0;
      resampled[k] = leftSpeed + ((rightSpeed - leftSpeed) * (t - leftMs)) / (rightMs - leftMs);
    }
  }
  return resampled;
}

/** Differentiates speeds in mm/s to accelerations in mm/s2, by central differences, which are one-sided at the ends. */
export function differentiate(speeds: Float64Array, stepMs = RESAMPLED_STEP_MS): Float64Array {
  const derivative = new Float64Array(speeds.length);
  for (let i = 0; i < speeds.length; i++) derivative[i] = derivativeAt(speeds, i, stepMs);
  return derivative;
}

/** Returns the value of `differentiate` at an index. */
export function derivativeAt(speeds: Float64Array, i: number, stepMs = RESAMPLED_STEP_MS): number {
  const before = Math.max(i - 1, 0);
  const after = Math.min(i + 1, speeds.length - 1);
  const differenceMmPerS = (speeds[after] ?? 0) - (speeds[before] ?? 0);
  return (differenceMmPerS * 1000) / ((after - before) * stepMs);
}
