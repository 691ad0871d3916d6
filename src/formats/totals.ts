import { hasSpeed } from "../metrics/segments.js";
import type { SampleBatch } from "../types.js";
import { CountedTime } from "./counted-time.js";

/**
 * Distances are in half micrometres: the sum of two speeds in mm/s (twice their mean) times ms. They are exact up to thousands of
 * kilometres.
 */
const DISTANCE_UNITS_PER_CM = 20_000;
const DISTANCE_UNITS_PER_M = 2_000_000;

/**
 * Totals of the rows of a lap or session, for formats that contain totals. The distance between two rows is the mean of their
 * speeds times the time between them. Gaps add nothing. If rows go back in time, the repeated time is added only once. Rows
 * without a speed, and rows with the same time as the previous row, are ignored: distance and recorded time are computed between
 * the rows around them, as in the metrics.
 */
export class Totals {
  /** Earliest and latest row, ms since 1970 UTC; null if there are no rows. */
  startMs: number | null = null;
  endMs: number | null = null;
  /** Recorded time in ms: the sum of the forward steps that are not gaps. */
  timerMs = 0;
  /** Distance in half micrometres. */
  distance = 0;
  maxSpeedMmPerS = 0;
  #hrSum = 0;
  #hrCount = 0;
  #maxHr = 0;
  #lastMs = Number.POSITIVE_INFINITY;
  #lastSpeedMmPerS = 0;
  /** Rows with a speed so far. */
  #samples = 0;
  readonly #gaps: readonly number[];
  #nextGap = 0;
  readonly #counted: CountedTime;

  /**
   * @param gaps which rows precede a gap, counting only rows with a speed
   * @param counted the time recorded so far, which all laps of a file share
   */
  constructor(gaps: readonly number[] = [], counted = new CountedTime()) {
    this.#gaps = gaps;
    this.#counted = counted;
  }

  /** Adds the next row of a range. `bpm` is 0 if there is no heart rate. */
  addRow(ms: number, speedMmPerS: number, bpm: number): void {
    if (hasSpeed(speedMmPerS)) this.#addSample(ms, speedMmPerS);
    if (this.startMs === null || ms < this.startMs) this.startMs = ms;
    if (this.endMs === null || ms > this.endMs) this.endMs = ms;
    if (bpm !== 0) {
      this.#hrSum += bpm;
      this.#hrCount += 1;
      if (bpm > this.#maxHr) this.#maxHr = bpm;
    }
  }

  #addSample(ms: number, speedMmPerS: number): void {
    const isAfterGap = this.#gaps[this.#nextGap] === this.#samples - 1;
    if (isAfterGap) this.#nextGap += 1;
    this.#samples += 1;
    if (ms === this.#lastMs) return;
    if (ms > this.#lastMs && !isAfterGap) {
      const step = this.#counted.add(this.#lastMs, ms);
      this.distance += (this.#lastSpeedMmPerS + speedMmPerS) * step;
      this.timerMs += step;
    }
    this.#lastMs = ms;
    this.#lastSpeedMmPerS = speedMmPerS;
    if (speedMmPerS > this.maxSpeedMmPerS) this.maxSpeedMmPerS = speedMmPerS;
  }

  /** Adds the next rows of a range, from `from` to `to` (exclusive). */
  addRows({ timestampMs, speedMmPerS, hr }: SampleBatch, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.addRow(timestampMs[i] as number, speedMmPerS[i] as number, hr[i] as number);
    }
  }

  /** Adds the totals of another range. */
  add(other: Totals): void {
    const { startMs, endMs } = other;
    if (startMs === null || endMs === null) return;
    this.startMs = Math.min(this.startMs ?? startMs, startMs);
    this.endMs = Math.max(this.endMs ?? endMs, endMs);
    this.timerMs += other.timerMs;
    this.distance += other.distance;
    this.maxSpeedMmPerS = Math.max(this.maxSpeedMmPerS, other.maxSpeedMmPerS);
    this.#hrSum += other.#hrSum;
    this.#hrCount += other.#hrCount;
    this.#maxHr = Math.max(this.#maxHr, other.#maxHr);
  }

  /** Time from the earliest row to the latest, ms. */
  get elapsedMs(): number {
    return this.startMs === null || this.endMs === null ? 0 : this.endMs - this.startMs;
  }

  get distanceM(): number {
    return this.distance / DISTANCE_UNITS_PER_M;
  }

  get distanceCm(): number {
    return centimetres(this.distance);
  }

  get meanSpeedMmPerS(): number | null {
    return this.timerMs === 0 ? null : Math.round(this.distance / 2 / this.timerMs);
  }

  get meanHr(): number | null {
    return this.#hrCount === 0 ? null : Math.round(this.#hrSum / this.#hrCount);
  }

  get maxHr(): number | null {
    return this.#hrCount === 0 ? null : this.#maxHr;
  }
}

/** Converts a distance from units of half a micrometre to centimetres. */
export function centimetres(distance: number): number {
  return Math.round(distance / DISTANCE_UNITS_PER_CM);
}
