import { lowPassed, type ResampledSegment } from "../acceleration.js";
import { butterworth } from "../butterworth.js";
import type { RecipeSmoothing } from "./recipe.js";

/** Smooths the speeds of each segment. */
export function smoothedBy(
  smooth: RecipeSmoothing | null,
  segments: readonly ResampledSegment[],
  everyMs: number,
): readonly Float64Array[] {
  switch (smooth?.type) {
    case undefined:
      return segments.map(({ speedMmPerS }) => speedMmPerS);
    case "butterworth":
      return lowPassed(segments, butterworth(smooth.cutoff_mhz / 1000, 1000 / everyMs, smooth.corrected));
    case "mean":
      return segments.map(({ speedMmPerS }) => movingMean(speedMmPerS, smooth.samples));
  }
}

/** Computes the moving mean. The first and last values repeat beyond the ends. */
function movingMean(values: Float64Array, samples: number): Float64Array {
  const half = (samples - 1) / 2;
  const padded = new Float64Array(values.length + 2 * half);
  padded.fill(values[0] ?? 0, 0, half);
  padded.set(values, half);
  padded.fill(values.at(-1) ?? 0, half + values.length);
  return values.map((_, k) => {
    let sum = 0;
    for (let j = k; j < k + samples; j++) sum += padded[j] ?? 0;
    return sum / samples;
  });
}
