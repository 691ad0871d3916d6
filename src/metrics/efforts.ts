import { type AccelerationSignal, RESAMPLED_STEP_MS } from "./acceleration.js";
import type { AccelerationEffort, EffortsByThreshold } from "./metrics.js";
import { inThousandths } from "./parameters.js";
import type { ThresholdPair } from "./presets.js";
import { durationSeconds, fromThousandths } from "./rounding.js";
import { shared } from "./shared.js";

/** An effort lasts while the magnitude of the acceleration is at least 0.5 m/s2 (the cycle limits of SciSports). */
const ONSET_MM_PER_S2 = 500;

/** A value above 9 m/s2 (the artefact limit of SciSports) ends an effort, and belongs to no effort. */
export const ARTEFACT_MM_PER_S2 = 9000;

const SHORTEST_EFFORT_MS = 500;

/** The direction of a change in speed. */
export type Direction = "accelerations" | "decelerations";

/** Instants `first` to `last` (both inclusive) of one acceleration signal. */
interface Effort {
  readonly signal: AccelerationSignal;
  readonly first: number;
  readonly last: number;
  /** Magnitude in mm/s2. */
  readonly peakMmPerS2: number;
}

/**
 * Finds the efforts in one direction. Each effort is listed once, under the highest threshold that its peak reaches.
 *
 * @param thresholds m/s2, positive in both directions, ascending
 */
export function findEfforts(
  signals: readonly AccelerationSignal[],
  direction: Direction,
  thresholds: ThresholdPair,
): EffortsByThreshold {
  const sign = direction === "accelerations" ? 1 : -1;
  const low = inThousandths(thresholds[0]);
  const high = inThousandths(thresholds[1]);
  const belowHigh: AccelerationEffort[] = [];
  const fromHigh: AccelerationEffort[] = [];
  for (const effort of effortsAboveOnset(signals, sign)) {
    if (effort.peakMmPerS2 < low) continue;
    (effort.peakMmPerS2 >= high ? fromHigh : belowHigh).push(describe(effort, sign));
  }
  return {
    threshold_1: { threshold: thresholds[0], values: belowHigh },
    threshold_2: { threshold: thresholds[1], values: fromHigh },
  };
}

/** Returns all efforts that are long enough. Computations with different thresholds share them. */
function effortsAboveOnset(signals: readonly AccelerationSignal[], sign: 1 | -1): readonly Effort[] {
  return shared(signals, `efforts ${sign}`, () => {
    const isLong = ({ first, last }: Effort) => (last - first) * RESAMPLED_STEP_MS >= SHORTEST_EFFORT_MS;
    return signals.flatMap((signal) => runsAboveOnset(signal, sign).filter(isLong));
  });
}

/**
 * Returns the longest possible runs of consecutive values whose acceleration, times `sign`, is between the onset and the artefact
 * limit.
 */
function runsAboveOnset(signal: AccelerationSignal, sign: 1 | -1): Effort[] {
  const { accelerationMmPerS2 } = signal;
  const runs: Effort[] = [];
  let first = -1;
  let peakMmPerS2 = 0;
  for (let i = 0; i < accelerationMmPerS2.length; i++) {
    const a = sign * (accelerationMmPerS2[i] ?? 0);
    if (a >= ONSET_MM_PER_S2 && a <= ARTEFACT_MM_PER_S2) {
      if (first < 0) {
        first = i;
        peakMmPerS2 = 0;
      }
      if (a > peakMmPerS2) peakMmPerS2 = a;
    } else if (first >= 0) {
      runs.push({ signal, first, last: i - 1, peakMmPerS2 });
      first = -1;
    }
  }
  if (first >= 0) runs.push({ signal, first, last: accelerationMmPerS2.length - 1, peakMmPerS2 });
  return runs;
}

function describe({ signal, first, last, peakMmPerS2 }: Effort, sign: 1 | -1): AccelerationEffort {
  const initial = signal.speedMmPerS[first] ?? 0;
  const end = signal.speedMmPerS[last] ?? 0;
  // Trapezoidal rule with equal steps: the sum of all values minus half of the first and of the last.
  let sum = -(initial + end) / 2;
  for (let i = first; i <= last; i++) sum += signal.speedMmPerS[i] ?? 0;
  return {
    start_time: signal.startMs + first * RESAMPLED_STEP_MS,
    max_value: sign * fromThousandths(peakMmPerS2),
    duration: durationSeconds((last - first) * RESAMPLED_STEP_MS),
    distance: fromThousandths((sum * RESAMPLED_STEP_MS) / 1000),
    initial_speed: fromThousandths(initial),
    end_speed: fromThousandths(end),
  };
}
