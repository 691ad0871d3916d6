import type { BeatBatch } from "../types.js";

/**
 * Beats at the ends of RR intervals, without a quality. `rrMs` is 0 for the first beat of a series, whose interval is unknown.
 */
export type TrackBeatBatch = Omit<BeatBatch, "quality">;

// Limits for the length of an interval between heartbeats, as in `heartRateVariability`.
const SHORTEST_MS = 1;
const LONGEST_MS = 60_000;

/**
 * Maximum difference between the sum of intervals and the times of the records around them, which devices write once a second
 * *(choice)*.
 */
const TOLERANCE_MS = 3000;
/**
 * If records are closer together than this, they determine the times of intervals more exactly, so the tolerance is two steps.
 */
const SLOW_STEP_MS = 1000;

/**
 * The most intervals that wait for the next record, which in recordings of exercise comes within minutes: 20 minutes at 200 beats per
 * minute *(choice)*. More would fill the memory.
 */
const MOST_WAITING = 4000;

/**
 * Assigns times to RR intervals, for which FIT contains no times. Their messages are between those of the records, in
 * chronological order. At the start of a series, the last interval between two records ends at the time of the first of these
 * records. Each later interval begins at the end of the previous one. If a sum differs too much from the times of the records,
 * intervals are missing, and a new series begins.
 */
export class TrackIntervals {
  /** Number of intervals with a time. */
  count = 0;
  /** Number of intervals before the first time, or with an impossible length. */
  leftOut = 0;
  /** Time of the last record, ms since 1970 UTC; null before the first one. */
  lastMs: number | null = null;
  #toleranceMs = TOLERANCE_MS;
  /** End of the last interval of the series; null between two series. */
  #endMs: number | null = null;
  /** The intervals since the last record. Their sum is needed to determine the time of the first one. */
  #waitingMs: number[] = [];
  #timesMs: number[] = [];
  #rrMs: number[] = [];

  /** Sets the time of the next record. */
  addTime(ms: number): void {
    this.#place();
    const stepMs = this.lastMs === null ? 0 : Math.abs(ms - this.lastMs);
    this.lastMs = ms;
    // in files without milliseconds, several records in a second have the same time
    if (stepMs > 0) this.#toleranceMs = stepMs < SLOW_STEP_MS ? 2 * stepMs : TOLERANCE_MS;
    if (this.#endMs !== null && this.#endMs - ms > this.#toleranceMs) this.#endMs = null;
  }

  /** Adds the next interval, which is after the last record and before the next one. */
  add(rrMs: number): void {
    if (this.lastMs === null || rrMs < SHORTEST_MS || rrMs > LONGEST_MS) {
      this.leftOut += 1;
      this.endSeries();
      return;
    }
    this.#waitingMs.push(rrMs);
    this.count += 1;
    if (this.#waitingMs.length === MOST_WAITING) this.#place();
  }

  /** Ends the series, because the next interval does not follow the last one. */
  endSeries(): void {
    this.#place();
    this.#endMs = null;
  }

  #place(): void {
    if (this.lastMs === null || this.#waitingMs.length === 0) return;
    const sumMs = this.#waitingMs.reduce((sum, rrMs) => sum + rrMs, 0);
    if (this.#endMs === null || this.lastMs - (this.#endMs + sumMs) > this.#toleranceMs) {
      this.#endMs = this.lastMs - sumMs;
      this.#push(this.#endMs, 0);
    }
    for (const rrMs of this.#waitingMs) {
      this.#endMs += rrMs;
      this.#push(this.#endMs, rrMs);
    }
    this.#waitingMs = [];
  }

  /** Returns the beats since the last call whose times are known; at the end of the track, all beats. */
  take(isEnd: boolean): TrackBeatBatch[] {
    if (isEnd) this.#place();
    const length = this.#timesMs.length;
    if (length === 0) return [];
    const batch = {
      length,
      timestampMs: Float64Array.from(this.#timesMs),
      rrMs: Float64Array.from(this.#rrMs),
    };
    this.#timesMs = [];
    this.#rrMs = [];
    return [batch];
  }

  #push(ms: number, rrMs: number): void {
    this.#timesMs.push(ms);
    this.#rrMs.push(rrMs);
  }
}
