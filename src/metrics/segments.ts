/** Which steps are gaps: those longer than both. */
export interface GapRule {
  readonly minMs: number;
  /** As a multiple of the median of the neighbouring steps. */
  readonly steps: number;
}

/** The rule of the figures. */
export const GAP: GapRule = { minMs: 1000, steps: 5 };

/**
 * Rows further apart than this are in different ranges (docs/recording-format.md, "Ranges"), and so in different segments. The same
 * constant is in assembly/gnss.ts (MAX_GAP_MS) and server/src/store/samples/bucket.ts (BUCKET_MS).
 */
export const MAX_GAP_MS = 300_000;

/** Steps on each side that say, with the step itself, how fast samples were recorded at a place *(choice)*. */
const NEIGHBOURS = 10;

/** Whether a row has a speed. A row without a speed is not a sample of speed and distance, in the metrics and in the totals of laps. */
export function hasSpeed(speedMmPerS: number): boolean {
  return speedMmPerS >= 0;
}

/**
 * Twice the median of the steps between samples in ascending order of time, so that the mean of the two middle ones stays an integer;
 * null with fewer than two samples.
 */
export function doubleMedianStep(timestampMs: Float64Array): number | null {
  if (timestampMs.length < 2) return null;
  // Integers sort faster. Steps of weeks are not the median of any recording that has accelerations.
  const steps = new Int32Array(timestampMs.length - 1);
  for (let i = 0; i < steps.length; i++) steps[i] = Math.min(stepMs(timestampMs, i), LONGEST_STEP_MS);
  return doubleMedian(steps.sort());
}

/** 24.8 days, the longest step that fits into 32 bits. */
const LONGEST_STEP_MS = 2 ** 31 - 1;

/** Of values in ascending order. */
function doubleMedian(sorted: ArrayLike<number>): number {
  return (sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0);
}

/** Time in ms from sample i to the next. */
export function stepMs(timestampMs: Float64Array, i: number): number {
  return (timestampMs[i + 1] ?? 0) - (timestampMs[i] ?? 0);
}

/**
 * The samples, in ascending order, after which a gap follows: nothing is summed, joined or detected from such a sample to the next.
 * The rule is that of docs/metrics.md, "The signal", step 3; it looks at the steps around a place, so that parts of a recording with
 * different rates do not change each other.
 *
 * @param timestampMs times of the samples, ms since 1970 UTC; where they run backwards, another stretch begins, and there is no gap
 * @param recordedMs times of the samples before some were dropped, ascending: they say at what rate was recorded
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

/** Twice the median of the steps from sample `first` to sample `last`, and of those on both sides. */
export function doubleMedianAround(timestampMs: Float64Array, first: number, last = first + 1): number {
  const around = Array.from({ length: last - first }, (_, i) => stepMs(timestampMs, first + i));
  for (const [direction, start] of [
    [-1, first - 1],
    [1, last],
  ] as const) {
    for (let k = start, left = NEIGHBOURS; left > 0 && k >= 0 && k < timestampMs.length - 1; k += direction) {
      const step = stepMs(timestampMs, k);
      if (step < 0 || step > MAX_GAP_MS) break;
      // of several samples with the same time one counts
      if (step === 0) continue;
      around.push(step);
      left--;
    }
  }
  return doubleMedian(around.sort((a, b) => a - b));
}
