import { RecentNumbers } from "./order-statistics.js";

/** Initial RR interval, s. */
const FIRST_RR_S = 0.8;
/** A longer time without a beat is a pause and not an RR interval, s. */
export const MAX_RR_S = 3;

/** Adapted levels of the detector: the scores of beats and noise, and the interval between beats. */
export class BeatLevels {
  /** Level of beats, in units of the envelope. */
  signal = 0;
  /** Level of rejected maxima. */
  noise = 0;
  /** Median RR interval, s. */
  rrS = FIRST_RR_S;
  /** Lower quartile of the RR intervals, s. */
  shortRrS = FIRST_RR_S;
  readonly #scores = new RecentNumbers(8);
  readonly #rejected = new RecentNumbers(16);
  readonly #rrs = new RecentNumbers(8);

  clear(): void {
    this.signal = 0;
    this.noise = 0;
    this.#scores.clear();
    this.#rejected.clear();
    this.clearRrs();
  }

  clearRrs(): void {
    this.#rrs.clear();
    this.rrS = FIRST_RR_S;
    this.shortRrS = FIRST_RR_S;
  }

  /** Restarts with a given level of beats. Call `reject` for the scores of noise afterwards. */
  setSignal(level: number): void {
    this.signal = level;
    this.#scores.clear();
    this.#scores.push(level);
    this.#rejected.clear();
    this.noise = 0;
  }

  accept(score: number): void {
    this.#scores.push(Math.min(score, 2 * this.signal));
    this.signal = this.#scores.median();
    this.#updateNoise();
  }

  reject(score: number): void {
    this.#rejected.push(score);
    this.#updateNoise();
  }

  addRr(rrS: number): void {
    this.#rrs.push(rrS);
    this.shortRrS = this.#rrs.ranked((this.#rrs.length - 1) >> 2);
    this.rrS = this.#rrs.median();
  }

  #updateNoise(): void {
    const count = this.#rejected.length;
    if (count === 0) return;
    this.noise = Math.min(this.signal, this.#rejected.ranked(Math.floor(0.65 * (count - 1) + 0.5)));
  }
}
