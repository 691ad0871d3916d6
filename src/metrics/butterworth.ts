/** Coefficients of one pass: y[n] = b0 x[n] + b1 x[n-1] + b2 x[n-2] - a1 y[n-1] - a2 y[n-2]. */
export interface LowPass {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

/**
 * Second-order Butterworth low-pass filter for 10 Hz, corrected so that a forward and a backward pass together have half power at
 * 2 Hz. The cut-off is from Linke et al. 2018 (PLoS ONE 13:e0199519), who use it to remove the effect of gait from the speed.
 * Dual-pass gain: 0.9991 at 0.5 Hz, 0.9837 at 1, 0.9089 at 1.5, 0.7071 at 2, 0.1579 at 3.
 */
export const TWO_HZ: LowPass = {
  b0: 0.264493773259,
  b1: 0.528987546517,
  b2: 0.264493773259,
  a1: -0.115976527133,
  a2: 0.173951620167,
};

/** Coefficients are rounded to this number of decimals, so that they are equal on all platforms. */
const COEFFICIENT_DECIMALS = 12;

/**
 * Computes a second-order Butterworth low-pass filter with the bilinear transform.
 *
 * @param cutoffHz below half of the rate
 * @param rateHz number of values per second
 * @param corrected whether both passes together have half power at the cut-off (Winter), or each of the two passes
 */
export function butterworth(cutoffHz: number, rateHz: number, corrected: boolean): LowPass {
  const forBothPasses = corrected ? (Math.SQRT2 - 1) ** 0.25 : 1;
  const k = Math.tan((Math.PI * cutoffHz) / rateHz) / forBothPasses;
  const norm = 1 / (1 + Math.SQRT2 * k + k * k);
  const rounded = (x: number) => Number(x.toFixed(COEFFICIENT_DECIMALS));
  return {
    b0: rounded(k * k * norm),
    b1: rounded(2 * k * k * norm),
    b2: rounded(k * k * norm),
    a1: rounded(2 * (k * k - 1) * norm),
    a2: rounded((1 - Math.SQRT2 * k + k * k) * norm),
  };
}

/** Number of samples that are mirrored at each end before filtering. */
const PADDING = 9;

/**
 * Applies a low-pass filter to a signal forward, then backward, so that it is not shifted in time (fourth order, zero phase).
 *
 * @param signal at least one value, in any unit; for the default filter at 10 Hz
 * @returns the same number of values, in the same unit
 */
export function lowPassZeroPhase(signal: Float64Array, filter = TWO_HZ): Float64Array {
  const padding = Math.min(PADDING, signal.length - 1);
  const padded = padByOddReflection(signal, padding);
  filterInPlace(padded, filter);
  padded.reverse();
  filterInPlace(padded, filter);
  padded.reverse();
  return padded.subarray(padding, padding + signal.length);
}

/** Extends the signal at each end by a copy that is rotated by 180 degrees around the end. */
function padByOddReflection(signal: Float64Array, padding: number): Float64Array {
  const padded = new Float64Array(signal.length + 2 * padding);
  padded.set(signal, padding);
  const lastIndex = signal.length - 1;
  const first = signal[0] ?? 0;
  const last = signal[lastIndex] ?? 0;
  for (let i = 1; i <= padding; i++) {
    padded[padding - i] = 2 * first - (signal[i] ?? 0);
    padded[padding + lastIndex + i] = 2 * last - (signal[lastIndex - i] ?? 0);
  }
  return padded;
}

/** Filters values in one pass, in transposed direct form II. It starts in the steady state for the first value. */
function filterInPlace(values: Float64Array, { b0, b1, b2, a1, a2 }: LowPass): void {
  // Gain at 0 Hz. It is not exactly 1, because the coefficients are rounded.
  const gainAtRest = (b0 + b1 + b2) / (1 + a1 + a2);
  const first = values[0] ?? 0;
  let state1 = (gainAtRest - b0) * first;
  let state2 = (b2 - a2 * gainAtRest) * first;
  for (let i = 0; i < values.length; i++) {
    const x = values[i] ?? 0;
    const y = b0 * x + state1;
    state1 = b1 * x - a1 * y + state2;
    state2 = b2 * x - a2 * y;
    values[i] = y;
  }
}
