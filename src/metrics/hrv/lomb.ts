import { fitLine } from "../least-squares.js";

const SPAN_S = 300;
const FIRST_LOW = 12;
const FIRST_HIGH = 45;
const LAST_HIGH = 120;

/** Power in the low (0.04 to 0.15 Hz) and the high (0.15 to 0.4 Hz) frequencies, ms2; not rounded. */
export interface LowHighPower {
  readonly low: number;
  readonly high: number;
  readonly beats: number;
}

/**
 * Computes Lomb's periodogram of the first 300 s, at k/300 Hz, which requires no resampling, no spline and no window.
 *
 * @param rrMs intervals at rest, without gaps and artefacts
 * @returns null for a shorter series, or one without variation
 */
export function lowHighPower(rrMs: ArrayLike<number>): LowHighPower | null {
  const times: number[] = [];
  let seconds = 0;
  for (let i = 0; i < rrMs.length && seconds < SPAN_S; i++) {
    times.push(seconds);
    seconds += (rrMs[i] ?? 0) / 1000;
  }
  if (seconds < SPAN_S || times.length < 3) return null;
  const line = fitLine(
    times,
    Array.from(times, (_, i) => rrMs[i] ?? 0),
  );
  const rest = times.map((t, i) => (rrMs[i] ?? 0) - line.intercept - line.slope * t);
  let low = 0;
  let high = 0;
  for (let k = FIRST_LOW; k <= LAST_HIGH; k++) {
    const power = powerAt((2 * Math.PI * k) / SPAN_S, times, rest);
    if (k < FIRST_HIGH) low += power;
    else high += power;
  }
  return high > 0 ? { low, high, beats: times.length } : null;
}

function powerAt(omega: number, times: readonly number[], x: readonly number[]): number {
  let sines = 0;
  let cosines = 0;
  for (const t of times) {
    sines += Math.sin(2 * omega * t);
    cosines += Math.cos(2 * omega * t);
  }
  const tau = Math.atan2(sines, cosines) / (2 * omega);
  let withCosine = 0;
  let withSine = 0;
  let cosineSquares = 0;
  let sineSquares = 0;
  times.forEach((t, i) => {
    const c = Math.cos(omega * (t - tau));
    const s = Math.sin(omega * (t - tau));
    withCosine += (x[i] ?? 0) * c;
    withSine += (x[i] ?? 0) * s;
    cosineSquares += c * c;
    sineSquares += s * s;
  });
  return (withCosine ** 2 / cosineSquares + withSine ** 2 / sineSquares) / times.length;
}
