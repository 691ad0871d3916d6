/** When two samples are in different segments. */
export interface GapRule {
  readonly minMs: number;
  /** In median steps. */
  readonly steps: number;
}

/** Two samples are in different segments when they are further apart than this and than 5 median steps. */
export const GAP: GapRule = { minMs: 1000, steps: 5 };

/** Whether a row has a speed. One without is no sample of speed and distance, in the metrics as in the totals of laps. */
export function hasSpeed(speedMmPerS: number): boolean {
  return speedMmPerS >= 0;
}

/** 24.8 days, the longest step that fits into 32 bits. */
const LONGEST_STEP_MS = 2 ** 31 - 1;

/**
 * Twice the median of the steps forward in time, so that the mean of the two middle ones stays an integer; null without one.
 *
 * @param timestampMs columns of times, ms; one continues where the one before ends
 */
export function doubleMedianStep(...timestampMs: readonly Float64Array[]): number | null {
  // Integers sort faster. Steps of weeks are not the median of any recording that has accelerations.
  const steps = new Int32Array(timestampMs.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  let lastMs = Number.POSITIVE_INFINITY;
  for (const column of timestampMs) {
    for (const ms of column) {
      if (ms > lastMs) steps[count++] = Math.min(ms - lastMs, LONGEST_STEP_MS);
      lastMs = ms;
    }
  }
  if (count === 0) return null;
  const sorted = steps.subarray(0, count).sort();
  return (sorted[(count - 1) >> 1] ?? 0) + (sorted[count >> 1] ?? 0);
}

/** Samples further apart than this are in different segments: nothing is summed, joined or detected between them. */
export function gapMs(doubleMedianStepMs: number | null, { minMs, steps }: GapRule = GAP): number {
  return Math.max(minMs, (steps * (doubleMedianStepMs ?? 0)) / 2);
}

/**
 * The longest time between neighbouring samples of one segment, ms: further apart, nothing is summed, joined or detected
 * between them.
 *
 * @param timestampMs times of the samples, ms since 1970 UTC; steps back in time do not count
 */
export const segmentGapMs = (timestampMs: Float64Array): number => gapMs(doubleMedianStep(timestampMs));
