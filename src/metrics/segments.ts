/** The definition of a gap: a step that is longer than both limits. */
export interface GapRule {
  readonly minMs: number;
  /** The second limit, as a multiple of the median of the neighbouring steps. */
  readonly steps: number;
}

/** The rule that the figures use. */
export const GAP: GapRule = { minMs: 1000, steps: 5 };

/**
 * Rows further apart than this are in different ranges (docs/recording-format.md, "Ranges"), and so in different segments. The same
 * constant is in assembly/gnss.ts (MAX_GAP_MS) and server/src/store/samples/bucket.ts (BUCKET_MS).
 */
export const MAX_GAP_MS = 300_000;

/** The number of steps on each side of a step that, together with it, determine the sample rate there *(choice)*. */
const NEIGHBOURS = 10;

/**
 * Returns whether a row has a speed. A row without a speed is not used for speed and distance, either in the metrics or in the
 * totals of laps.
 */
export function hasSpeed(speedMmPerS: number): boolean {
  return speedMmPerS >= 0;
}

/**
 * Returns twice the median of the steps between samples in ascending order of time; null with fewer than two samples. Because of
 * the factor, the mean of the two middle steps is an integer, too.
 */
export function doubleMedianStep(timestampMs: Float64Array): number | null {
  if (timestampMs.length < 2) return null;
  // Sorting 32-bit integers is faster. Longer steps are never the median in a recording with accelerations.
  const steps = new Int32Array(timestampMs.length - 1);
  for (let i = 0; i < steps.length; i++) steps[i] = Math.min(stepMs(timestampMs, i), LONGEST_STEP_MS);
  return doubleMedian(steps.sort());
}

/** The longest step that fits into 32 bits: 24.8 days. */
const LONGEST_STEP_MS = 2 ** 31 - 1;

/** Returns twice the median of values in ascending order. */
function doubleMedian(sorted: ArrayLike<number>): number {
  return (sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0);
}

/** Returns the time in ms from sample i to the next. */
export function stepMs(timestampMs: Float64Array, i: number): number {
  return (timestampMs[i + 1] ?? 0) - (timestampMs[i] ?? 0);
}

/**
 * Returns the indexes of the samples that precede a gap, in ascending order. Nothing is summed, connected or detected between
 * such a sample and the next one. The rule is in docs/metrics.md, "The signal", step 3. It uses the neighbouring steps, so parts
 * of a recording with different sample rates do not affect each other.
 *
 * @param timestampMs times of the samples, ms since 1970 UTC; where they go back in time, a new part begins, without a gap
 * @param recordedMs times of all samples in ascending order, if some samples were dropped; they determine the sample rate
 */
export function gapsAfter(
  timestampMs: Float64Array,
  { minMs, steps }: GapRule = GAP,
  recordedMs: Float64Array = timestampMs,
): number[] {
  const gaps: number[] = [];
  let first = 0;
  for (let i = 0; i < timestampMs.length - 1; i++) {
    const step = stepMs(timestampMs, i);
    if (step <= minMs) continue;
    if (step > MAX_GAP_MS) {
      gaps.push(i);
      continue;
    }
    let last = i + 1;
    if (recordedMs === timestampMs) first = i;
    else {
      while ((recordedMs[first] ?? 0) < (timestampMs[i] ?? 0)) first++;
      last = first;
      while ((recordedMs[last] ?? 0) < (timestampMs[i + 1] ?? 0)) last++;
    }
    if (2 * step > steps * doubleMedianAround(recordedMs, first, last)) gaps.push(i);
  }
  return gaps;
}

/** Returns twice the median of the steps from sample `first` to sample `last` and the neighbouring steps on both sides. */
export function doubleMedianAround(timestampMs: Float64Array, first: number, last = first + 1): number {
  const around = Array.from({ length: last - first }, (_, i) => stepMs(timestampMs, first + i));
  for (const [direction, start] of [
    [-1, first - 1],
    [1, last],
  ] as const) {
    for (let k = start, left = NEIGHBOURS; left > 0 && k >= 0 && k < timestampMs.length - 1; k += direction) {
      const step = stepMs(timestampMs, k);
      if (step < 0 || step > MAX_GAP_MS) break;
      // several samples with the same time count as one
      if (step === 0) continue;
      around.push(step);
      left--;
    }
  }
  return doubleMedian(around.sort((a, b) => a - b));
}
