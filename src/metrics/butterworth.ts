/**
 * Second-order Butterworth low-pass filter for 10 Hz, corrected so that a forward and a backward pass together have half
 * power at 2 Hz. The cut-off is that of Linke et al. 2018 (PLoS ONE 13:e0199519), who use it to remove gait from speed.
 * Dual-pass gain: 0.9991 at 0.5 Hz, 0.9837 at 1, 0.9089 at 1.5, 0.7071 at 2, 0.1579 at 3.
 */
const B0 = 0.264493773259;
const B1 = 0.528987546517;
const B2 = 0.264493773259;
const A1 = -0.115976527133;
const A2 = 0.173951620167;

/** Gain at 0 Hz: with the digits above it is 1 + 1e-12. */
const GAIN_AT_REST = (B0 + B1 + B2) / (1 + A1 + A2);

/** Number of samples that are mirrored at each end before filtering. */
const PADDING = 9;

/**
 * Low-pass filters a 10 Hz signal without shifting it in time: forward, then backward (fourth order, zero phase).
 *
 * @param signal at least 2 values, in any unit
 * @returns the same number of values, in the same unit
 */
export function lowPassZeroPhase(signal: Float64Array): Float64Array {
  const padding = Math.min(PADDING, signal.length - 1);
  const padded = padByOddReflection(signal, padding);
  filterInPlace(padded);
  padded.reverse();
  filterInPlace(padded);
  padded.reverse();
  return padded.slice(padding, padding + signal.length);
}

/** Extends the signal at each end by a copy that is rotated by 180 degrees about the end. */
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

/** One pass in transposed direct form II, starting in the steady state for the first value. */
function filterInPlace(values: Float64Array): void {
  const first = values[0] ?? 0;
  let state1 = (GAIN_AT_REST - B0) * first;
  let state2 = (B2 - A2 * GAIN_AT_REST) * first;
  for (let i = 0; i < values.length; i++) {
    const x = values[i] ?? 0;
    const y = B0 * x + state1;
    state1 = B1 * x - A1 * y + state2;
    state2 = B2 * x - A2 * y;
    values[i] = y;
  }
}
