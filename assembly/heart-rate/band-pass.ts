// Second-order Butterworth filters, a high-pass and a low-pass, for the band of QRS complexes. src/engine/heart-rate/ contains
// the same detector. Both must find bitwise equal beats, so the order of all operations matters.

const HIGH_PASS_HZ: f64 = 4.5;
const LOW_PASS_HZ: f64 = 13;

export let highA1: f64 = 0;
export let highA2: f64 = 0;
export let lowA1: f64 = 0;
export let lowA2: f64 = 0;
/** Product of the gains of both filters. */
export let gain: f64 = 0;

export function setBand(rateHz: f64): void {
  const high = tangent((Math.PI * HIGH_PASS_HZ) / rateHz);
  const low = tangent((Math.PI * LOW_PASS_HZ) / rateHz);
  const highDivisor = 1 + Math.SQRT2 * high + high * high;
  const lowDivisor = 1 + Math.SQRT2 * low + low * low;
  highA1 = (2 * (high * high - 1)) / highDivisor;
  highA2 = (1 - Math.SQRT2 * high + high * high) / highDivisor;
  lowA1 = (2 * (low * low - 1)) / lowDivisor;
  lowA2 = (1 - Math.SQRT2 * low + low * low) / lowDivisor;
  gain = (low * low) / (highDivisor * lowDivisor);
}

// Returns the tangent of an angle from 0 to 0.5 rad, as a continued fraction.
function tangent(angle: f64): f64 {
  const square = angle * angle;
  let divisor: f64 = 17;
  for (let odd: f64 = 15; odd > 0; odd -= 2) divisor = odd - square / divisor;
  return angle / divisor;
}
