// The envelope of the QRS complexes: band-pass, slope, and the root of the mean square slope. It stores sums of squares; roots
// are needed only near a maximum.

import { gain, highA1, highA2, lowA1, lowA2, setBand } from "./band-pass";

// The time over which the slope is measured, and the length of the moving average, s.
const SLOPE_S: f64 = 0.012;
const WINDOW_S: f64 = 0.125;

// Powers of two, at least as long as the times above, and as twice SCORING_S of beats.ts, at 1000 Hz.
const SLOPE_MASK: i32 = 15;
// The values of a beat are needed until it is scored, after WINDOW_S and SCORING_S of beats.ts.
const WINDOW_MASK: i32 = 511;
const SUMS_MASK: i32 = 1023;
const FILTERED: usize = memory.data(8 * (SLOPE_MASK + 1), 16);
const SQUARES: usize = memory.data(8 * (WINDOW_MASK + 1), 16);
const SUMS: usize = memory.data(8 * (SUMS_MASK + 1), 16);

// Filter states below this are rounding errors after the end of a signal. Smaller ones would become slow subnormal numbers.
const NOTHING: f64 = 1e-100;

/** Distance between the samples for the slope. */
export let slopeSamples: i32 = 1;
let windowSamples: i32 = 1;
/** The envelope is the square root of a sum, multiplied by this. */
export let scale: f64 = 1;
// the two samples before this one
let x1: i32 = 0;
let x2: i32 = 0;
let isFirst: bool = true;
let u1: f64 = 0;
let u2: f64 = 0;
let y1: f64 = 0;
let y2: f64 = 0;
let sum: f64 = 0;

/** The index of the next sample after `take`, and whether the last sample but one is a local maximum. */
export let taken: i64 = 0;
export let hasMaximum: bool = false;

/** Converts a duration to a number of samples. */
export function samplesIn(seconds: f64, rateHz: f64): i32 {
  return Math.floor(seconds * rateHz + 0.5) as i32;
}

export function setEnvelopeRate(rateHz: f64): void {
  setBand(rateHz);
  slopeSamples = max(1, samplesIn(SLOPE_S, rateHz));
  windowSamples = samplesIn(WINDOW_S, rateHz);
  scale = sqrt<f64>(1 / (windowSamples as f64));
}

/** Clears the signal. The next sample becomes the zero line. */
export function restartEnvelope(): void {
  isFirst = true;
  u1 = u2 = y1 = y2 = sum = 0;
  memory.fill(FILTERED, 0, 8 * (SLOPE_MASK + 1));
  memory.fill(SQUARES, 0, 8 * (WINDOW_MASK + 1));
  memory.fill(SUMS, 0, 8 * (SUMS_MASK + 1));
}

/**
 * Processes samples until the sample `until`, or a local maximum with a sum above `least`. `at` is the address of sample `n`, the
 * first one.
 */
export function take(at: usize, n: i64, until: i64, least: f64): void {
  if (isFirst) {
    isFirst = false;
    x1 = x2 = load<i16>(at);
  }
  const a1 = highA1;
  const a2 = highA2;
  const b1 = lowA1;
  const b2 = lowA2;
  const g = gain;
  // positions in the ring buffers, in bytes
  let i: i32 = (n as i32) << 3;
  const slopeBack = slopeSamples << 3;
  const windowBack = windowSamples << 3;
  const end: usize = at + (((until - n) as usize) << 1);
  const begin = at;
  let xa = x1;
  let xb = x2;
  let ua = u1;
  let ub = u2;
  let ya = y1;
  let yb = y2;
  let s = sum;
  let sa = load<f64>(SUMS + (((i - 8) & (SUMS_MASK << 3)) as usize));
  let sb = load<f64>(SUMS + (((i - 16) & (SUMS_MASK << 3)) as usize));
  let found = false;
  while (at < end) {
    const x: i32 = load<i16>(at);
    const u = ((x - 2 * xa + xb) as f64) - a2 * ub - a1 * ua;
    const y = g * (u + ua + (ua + ub)) - b2 * yb - b1 * ya;
    const slope = y - load<f64>(FILTERED + (((i - slopeBack) & (SLOPE_MASK << 3)) as usize));
    const square = slope * slope;
    s += square - load<f64>(SQUARES + (((i - windowBack) & (WINDOW_MASK << 3)) as usize));
    store<f64>(FILTERED + ((i & (SLOPE_MASK << 3)) as usize), y);
    store<f64>(SQUARES + ((i & (WINDOW_MASK << 3)) as usize), square);
    store<f64>(SUMS + ((i & (SUMS_MASK << 3)) as usize), s);
    xb = xa;
    xa = x;
    ub = ua;
    ua = u;
    yb = ya;
    ya = y;
    at += 2;
    i += 8;
    found = sa > sb && sa >= s && sa > least;
    sb = sa;
    sa = s;
    if (found) break;
  }
  x1 = xa;
  x2 = xb;
  u1 = ua;
  u2 = ub;
  y1 = ya;
  y2 = yb;
  sum = s;
  hasMaximum = found;
  taken = n + (((at - begin) >> 1) as i64);
}

/** Removes rounding errors from the sum after sample `n` - 1, and clears negligible filter states. */
export function refreshEnvelope(n: i64): void {
  let fresh: f64 = 0;
  const to = n as i32;
  for (let i = to - windowSamples; i < to; i++) fresh += load<f64>(SQUARES + (((i & WINDOW_MASK) << 3) as usize));
  sum = fresh;
  u1 = withoutTraces(u1);
  u2 = withoutTraces(u2);
  y1 = withoutTraces(y1);
  y2 = withoutTraces(y2);
}

function withoutTraces(state: f64): f64 {
  return abs<f64>(state) < NOTHING ? 0 : state;
}

/** Returns the sum of squares at sample `n`, which must be one of the last 1024. */
// @ts-ignore: decorator
@inline
export function sumAt(n: i64): f64 {
  return load<f64>(SUMS + ((((n as i32) & SUMS_MASK) << 3) as usize));
}

/** Returns the root of the sum at sample `n`. */
// @ts-ignore: decorator
@inline
export function rootAt(n: i64): f64 {
  return sqrt<f64>(max<f64>(0, sumAt(n)));
}

/**
 * Returns the centre of the slopes in the window that ends at sample `n`, as a sample index with a fraction. Steep slopes have
 * more weight. The envelope has a flat top, because its window is longer than the QRS complex. Noise shifts its maximum by many
 * milliseconds, but this centre by only a few.
 */
export function centreAt(n: i64): f64 {
  let sumOfWeights: f64 = 0;
  let sumOfPlaces: f64 = 0;
  for (let back = windowSamples - 1; back >= 0; back--) {
    const square = load<f64>(SQUARES + (((((n as i32) - back) & WINDOW_MASK) << 3) as usize));
    const weight = square * square;
    sumOfWeights += weight;
    sumOfPlaces += weight * (back as f64);
  }
  return sumOfWeights > 0 ? (n as f64) - sumOfPlaces / sumOfWeights : (n as f64);
}

/** Overwrites `count` samples, starting at `from`, with silence. */
export function silence(from: i64, count: i32): void {
  for (let i: i32 = 0; i < count; i++) store<f64>(SUMS + (((((from as i32) + i) & SUMS_MASK) << 3) as usize), 0);
}
