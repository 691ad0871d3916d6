/** Cut-off frequencies of the band of QRS complexes, Hz. */
const HIGH_PASS_HZ = 4.5;
const LOW_PASS_HZ = 13;

/**
 * Coefficients of two second-order Butterworth filters, a high-pass and a low-pass (bilinear transform):
 * u[n] = x[n] - 2 x[n-1] + x[n-2] - highA2 u[n-2] - highA1 u[n-1], y[n] = gain (u[n] + 2 u[n-1] + u[n-2]) - lowA2 y[n-2] - lowA1 y[n-1].
 */
export interface BandPass {
  readonly highA1: number;
  readonly highA2: number;
  readonly lowA1: number;
  readonly lowA2: number;
  /** Product of the gains of both filters. */
  readonly gain: number;
}

/** Computes the coefficients for a sample rate in Hz, at least 100. */
export function bandPass(rateHz: number): BandPass {
  const high = tangent((Math.PI * HIGH_PASS_HZ) / rateHz);
  const low = tangent((Math.PI * LOW_PASS_HZ) / rateHz);
  const highDivisor = 1 + Math.SQRT2 * high + high * high;
  const lowDivisor = 1 + Math.SQRT2 * low + low * low;
  return {
    highA1: (2 * (high * high - 1)) / highDivisor,
    highA2: (1 - Math.SQRT2 * high + high * high) / highDivisor,
    lowA1: (2 * (low * low - 1)) / lowDivisor,
    lowA2: (1 - Math.SQRT2 * low + low * low) / lowDivisor,
    gain: (low * low) / (highDivisor * lowDivisor),
  };
}

/**
 * Returns the tangent of an angle from 0 to 0.5 rad, as a continued fraction. `Math.tan` may differ in the last bit between
 * platforms, but all engines must find the same beats.
 */
function tangent(angle: number): number {
  const square = angle * angle;
  let divisor = 17;
  for (let odd = 15; odd > 0; odd -= 2) divisor = odd - square / divisor;
  return angle / divisor;
}
