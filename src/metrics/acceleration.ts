import { lowPassZeroPhase } from "./butterworth.js";
import type { PreparedSignal, Segment } from "./prepare.js";

/** Sampling interval of the resampled signal: 10 Hz. */
export const RESAMPLED_STEP_MS = 100;

/** A recording with a longer median interval (slower than 5 Hz) has too little information about accelerations. */
const SLOWEST_DOUBLE_STEP_MS = 2 * 200;

/** Minimum duration of a segment with an acceleration signal. */
export const SHORTEST_SEGMENT_MS = 1000;

/** Speed and acceleration of one segment at 10 Hz. */
export interface AccelerationSignal {
  /** Time of the first value, ms since 1970 UTC; value i is i * 100 ms later. */
  readonly startMs: number;
  /** Resampled, unfiltered speed in mm/s. */
  readonly speedMmPerS: Float64Array;
  /** The same after the low-pass filter, in mm/s. */
  readonly smoothMmPerS: Float64Array;
  /** Derivative of the low-passed speed in mm/s2. */
  readonly accelerationMmPerS2: Float64Array;
}

/** Whether a recording has enough samples a second for accelerations. */
export function isFastEnough({ doubleMedianStepMs }: PreparedSignal): boolean {
  return doubleMedianStepMs !== null && doubleMedianStepMs <= SLOWEST_DOUBLE_STEP_MS;
}

/** The acceleration signals of all segments that are long enough; none when the recording is slower than 5 Hz. */
export function accelerationSignals(signal: PreparedSignal): AccelerationSignal[] {
  if (!isFastEnough(signal)) return [];
  const signals: AccelerationSignal[] = [];
  for (const segment of signal.segments) {
    const startMs = signal.timestampMs[segment.first] ?? 0;
    const endMs = signal.timestampMs[segment.last] ?? 0;
    if (endMs - startMs < SHORTEST_SEGMENT_MS) continue;
    const speedMmPerS = resample(signal, segment);
    const smoothMmPerS = lowPassZeroPhase(speedMmPerS);
    signals.push({ startMs, speedMmPerS, smoothMmPerS, accelerationMmPerS2: differentiate(smoothMmPerS) });
  }
  return signals;
}

/** Linear interpolation at 10 Hz from the start of the segment; samples at multiples of 100 ms keep their values. */
export function resample(
  signal: PreparedSignal,
  { first, last }: Segment,
  everyMs = RESAMPLED_STEP_MS,
): Float64Array {
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

/** Central differences, one-sided at the ends; mm/s in, mm/s2 out. */
export function differentiate(speeds: Float64Array, stepMs = RESAMPLED_STEP_MS): Float64Array {
  const lastIndex = speeds.length - 1;
  const derivative = new Float64Array(speeds.length);
  for (let i = 0; i <= lastIndex; i++) {
    const before = Math.max(i - 1, 0);
    const after = Math.min(i + 1, lastIndex);
    const differenceMmPerS = (speeds[after] ?? 0) - (speeds[before] ?? 0);
    derivative[i] = (differenceMmPerS * 1000) / ((after - before) * stepMs);
  }
  return derivative;
}
