import { bandPass } from "./band-pass.js";

/** Maximum sample rate for the buffers below, Hz. */
export const MAX_RATE_HZ = 1000;
/** Minimum sample rate for the shape of the band-pass, Hz. */
export const MIN_RATE_HZ = 100;

/** Time over which the signal's slope is measured, s. */
const SLOPE_S = 0.012;
/** Length of the moving average, s. */
const WINDOW_S = 0.125;

// Powers of two, at least as long as the times above, and as twice `SCORING_S` of the beat detector, at 1000 Hz.
const SLOPE_MASK = 15;
// The values of a beat are needed until it is scored, after `WINDOW_S` and `SCORING_S` of the beat detector.
const WINDOW_MASK = 511;
const POWER_MASK = 1023;
/** Filter states below this are rounding errors after the end of a signal. Smaller ones would become slow subnormal numbers. */
const NOTHING = 1e-100;

/** Converts a duration to a number of samples. */
export function samplesIn(seconds: number, rateHz: number): number {
  return Math.floor(seconds * rateHz + 0.5);
}

/**
 * The envelope of the QRS complexes: band-pass, slope, and the root of the mean square slope. It stores the sums of squares;
 * roots are needed only near a peak.
 */
export class Envelope {
  /** Distance between the samples for the slope. */
  slopeSamples = 1;
  // the two previous samples of the signal, minus its first sample
  #x1 = 0;
  #x2 = 0;
  #isFirst = true;
  #highA1 = 0;
  #highA2 = 0;
  #u1 = 0;
  #u2 = 0;
  #lowA1 = 0;
  #lowA2 = 0;
  #gain = 0;
  #y1 = 0;
  #y2 = 0;
  #windowSamples = 1;
  #sum = 0;
  readonly #filtered = new Float64Array(SLOPE_MASK + 1);
  readonly #squares = new Float64Array(WINDOW_MASK + 1);
  readonly #sums = new Float64Array(POWER_MASK + 1);
  /** The envelope is the square root of a sum, multiplied by this. */
  scale = 1;

  setRate(rateHz: number): void {
    const band = bandPass(rateHz);
    this.#highA1 = band.highA1;
    this.#highA2 = band.highA2;
    this.#lowA1 = band.lowA1;
    this.#lowA2 = band.lowA2;
    this.#gain = band.gain;
    this.slopeSamples = Math.max(1, samplesIn(SLOPE_S, rateHz));
    this.#windowSamples = samplesIn(WINDOW_S, rateHz);
    this.scale = Math.sqrt(1 / this.#windowSamples);
  }

  /** Clears the signal. The next sample becomes the zero line. */
  restart(): void {
    this.#isFirst = true;
    this.#u1 = 0;
    this.#u2 = 0;
    this.#y1 = 0;
    this.#y2 = 0;
    this.#sum = 0;
    this.#filtered.fill(0);
    this.#squares.fill(0);
    this.#sums.fill(0);
  }

  /**
   * Processes samples (little-endian, 16 bits) until the sample `until`, or a local maximum, which is the last processed sample
   * but one.
   *
   * @param n index of the sample at `offset`, and of its envelope
   * @param least maxima with a sum of squares up to this are ignored
   * @returns the index of the first unprocessed sample, negative if the last processed sample but one is a maximum
   */
  take(samples: DataView, offset: number, n: number, until: number, least: number): number {
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#x1 = samples.getInt16(offset, true);
      this.#x2 = this.#x1;
    }
    const highA1 = this.#highA1;
    const highA2 = this.#highA2;
    const lowA1 = this.#lowA1;
    const lowA2 = this.#lowA2;
    const gain = this.#gain;
    const slopeSamples = this.slopeSamples;
    const windowSamples = this.#windowSamples;
    const filtered = this.#filtered;
    const squares = this.#squares;
    const sums = this.#sums;
    let x1 = this.#x1;
    let x2 = this.#x2;
    let u1 = this.#u1;
    let u2 = this.#u2;
    let y1 = this.#y1;
    let y2 = this.#y2;
    let sum = this.#sum;
    let sum1 = sums[(n - 1) & POWER_MASK] as number;
    let sum2 = sums[(n - 2) & POWER_MASK] as number;
    let at = offset;
    let i = n;
    let isMaximum = false;
    while (i < until && !isMaximum) {
      const x = samples.getInt16(at, true);
      const u = x - 2 * x1 + x2 - highA2 * u2 - highA1 * u1;
      const y = gain * (u + u1 + (u1 + u2)) - lowA2 * y2 - lowA1 * y1;
      const slope = y - (filtered[(i - slopeSamples) & SLOPE_MASK] as number);
      const square = slope * slope;
      sum += square - (squares[(i - windowSamples) & WINDOW_MASK] as number);
      filtered[i & SLOPE_MASK] = y;
      squares[i & WINDOW_MASK] = square;
      sums[i & POWER_MASK] = sum;
      isMaximum = sum1 > sum2 && sum1 >= sum && sum1 > least;
      x2 = x1;
      x1 = x;
      u2 = u1;
      u1 = u;
      y2 = y1;
      y1 = y;
      sum2 = sum1;
      sum1 = sum;
      at += 2;
      i += 1;
    }
    this.#x1 = x1;
    this.#x2 = x2;
    this.#u1 = u1;
    this.#u2 = u2;
    this.#y1 = y1;
    this.#y2 = y2;
    this.#sum = sum;
    return isMaximum ? -i : i;
  }

  /** Removes rounding errors from the sum after sample `n` - 1, and clears negligible filter states. */
  refresh(n: number): void {
    let sum = 0;
    for (let i = n - this.#windowSamples; i < n; i++) sum += this.#squares[i & WINDOW_MASK] as number;
    this.#sum = sum;
    this.#u1 = withoutTraces(this.#u1);
    this.#u2 = withoutTraces(this.#u2);
    this.#y1 = withoutTraces(this.#y1);
    this.#y2 = withoutTraces(this.#y2);
  }

  /** Returns the sum of squares at `n`, which must be one of the last 1024 samples. */
  sumAt(n: number): number {
    return this.#sums[n & POWER_MASK] as number;
  }

  /** Returns the root of the sum at `n`. */
  rootAt(n: number): number {
    return Math.sqrt(Math.max(0, this.#sums[n & POWER_MASK] as number));
  }

  /**
   * Returns the centre of the slopes in the window that ends at sample `n`, as a sample index with a fraction. Steep slopes have
   * more weight. The envelope has a flat top, because its window is longer than the QRS complex. Noise shifts its maximum by many
   * milliseconds, but this centre by only a few.
   */
  centreAt(n: number): number {
    let sumOfWeights = 0;
    let sumOfPlaces = 0;
    for (let back = this.#windowSamples - 1; back >= 0; back--) {
      const square = this.#squares[(n - back) & WINDOW_MASK] as number;
      const weight = square * square;
      sumOfWeights += weight;
      sumOfPlaces += weight * back;
    }
    return sumOfWeights > 0 ? n - sumOfPlaces / sumOfWeights : n;
  }

  /** Overwrites the samples from `from` to `to`, exclusive, with silence. */
  silence(from: number, to: number): void {
    for (let i = from; i < to; i++) this.#sums[i & POWER_MASK] = 0;
  }
}

function withoutTraces(state: number): number {
  return Math.abs(state) < NOTHING ? 0 : state;
}
