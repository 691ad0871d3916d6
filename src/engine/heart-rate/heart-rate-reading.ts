import type { BeatLevels } from "./beat-levels.js";
import { RecentNumbers } from "./order-statistics.js";

const MAX_RRS = 16;
const MIN_RRS = 4;
/** Time that the RR intervals for a reading cover, s. */
const HISTORY_S = 8;
const BEATS = 8;
const LAST_BEATS = 4;
const MIN_BPM = 24;
const MAX_BPM = 220;
/** Weaker signals are rounding errors of the converter. In units of the samples. */
export const MIN_SIGNAL = 0.25;
/** Number of consecutive good seconds after which a reading is valid. */
const GOOD_SECONDS = 3;

/** Decides each second whether there is a heart rate. The decision depends on the beats of the last seconds. */
export class HeartRateReading {
  readonly #rrs = new RecentNumbers(MAX_RRS);
  readonly #ends = new RecentNumbers(MAX_RRS);
  readonly #valleys = new RecentNumbers(BEATS);
  readonly #lastValleys = new RecentNumbers(LAST_BEATS);
  readonly #doubles = new RecentNumbers(BEATS);
  readonly #scores = new RecentNumbers(BEATS);
  readonly #levels: BeatLevels;
  #goodSeconds = 0;

  constructor(levels: BeatLevels) {
    this.#levels = levels;
  }

  clear(): void {
    this.#goodSeconds = 0;
    this.#rrs.clear();
    this.#ends.clear();
    this.#valleys.clear();
    this.#lastValleys.clear();
    this.#doubles.clear();
    this.#scores.clear();
  }

  addBeat(score: number, valley: number, isDouble: number): void {
    this.#scores.push(score);
    this.#valleys.push(valley);
    this.#lastValleys.push(valley);
    this.#doubles.push(isDouble);
  }

  /** Adds an RR interval. `endS` is the time of the beat that ends it, s since an arbitrary instant. */
  addRr(rrS: number, endS: number): void {
    this.#rrs.push(rrS);
    this.#ends.push(endS);
  }

  /** Median `valley` of the last four beats, or of all beats if there are fewer. */
  get lastValley(): number {
    return this.#lastValleys.median();
  }

  /**
   * Returns the reading for a second.
   *
   * @param nowS the end of the second, s since the same instant as in `addRr`
   * @param lastBeatS time of the last beat
   * @returns beats per minute, not rounded; 0 if there is no reading
   */
  at(nowS: number, lastBeatS: number): number {
    const bpm = this.#candidate(nowS, lastBeatS);
    if (bpm === 0) {
      this.#goodSeconds = 0;
      return 0;
    }
    this.#goodSeconds += 1;
    return this.#goodSeconds >= GOOD_SECONDS ? bpm : 0;
  }

  #candidate(nowS: number, lastBeatS: number): number {
    const { signal, noise } = this.#levels;
    const rrs = this.#rrs;
    while (rrs.length > MIN_RRS && this.#ends.oldest() <= nowS - HISTORY_S) {
      rrs.dropOldest();
      this.#ends.dropOldest();
    }
    const count = rrs.length;
    if (count < MIN_RRS || signal < MIN_SIGNAL) return 0;
    const median = rrs.median();
    let total = 0;
    let inliers = 0;
    let inlierTotal = 0;
    for (let i = 0; i < count; i++) {
      const rr = rrs.ranked(i);
      total += rr;
      if (rr < 0.5 * median || rr > 1.7 * median) continue;
      inliers += 1;
      inlierTotal += rr;
    }
    if (inlierTotal < 0.8 * total) return 0;
    const mean = inlierTotal / inliers;
    if (nowS - lastBeatS > 1 + 1.75 * mean) return 0;
    const bpm = 60 / mean;
    if (bpm < MIN_BPM || bpm > MAX_BPM || noise > 0.45 * signal) return 0;
    const dropped = Math.floor((count + 4) / 8);
    const spread = (rrs.ranked(count - 1 - dropped) - rrs.ranked(dropped)) / median;
    return this.#isPlausible(spread) ? bpm : 0;
  }

  #isPlausible(spread: number): boolean {
    const { signal, noise } = this.#levels;
    const scores = this.#scores;
    const count = scores.length;
    const valley = this.#valleys.median();
    if (valley > 0.38 || this.#hasFourDoubles()) return false;
    const dropped = count === BEATS ? 1 : 0;
    const ratio = scores.ranked(count - 1 - dropped) / scores.ranked(dropped);
    if (ratio > 6 || spread > 0.9) return false;
    return spread <= 0.3 || (valley <= 0.25 && noise <= 0.25 * signal && ratio <= 4);
  }

  /**
   * Returns whether at least four beats are doubtful: the fourth-largest of the sorted values, which are ones and zeros, is then
   * a one.
   */
  #hasFourDoubles(): boolean {
    const count = this.#doubles.length;
    return count >= 4 && this.#doubles.ranked(count - 4) === 1;
  }
}
