import { MAX_GAP_MS } from "../../metrics/segments.js";
import type { Counters } from "../engine-counters.js";

/**
 * Counts rows, and tracks ranges, the earliest and latest rows, and the positions in the output at which another range starts.
 */
export class RowCounters {
  readonly #counters: Counters;
  // entries for this step, three numbers each: see RangeLog
  readonly #closed: Float64Array;
  readonly #breaks: Float64Array;
  #closedLength = 0;
  #breaksLength = 0;
  #fromMs = 0;
  #toMs = 0;
  // Whether the next produced row is the first of its range.
  #breaksRange = true;

  /** @param maxRows maximum number of rows of a step */
  constructor(counters: Counters, maxRows: number) {
    this.#counters = counters;
    this.#closed = new Float64Array(3 * maxRows);
    this.#breaks = new Float64Array(3 * maxRows);
  }

  /** The ranges that ended in this step. */
  get closed(): Float64Array {
    return this.#closed.subarray(0, this.#closedLength);
  }

  /** Positions at which the output of this step changes to another range. */
  get breaks(): Float64Array {
    return this.#breaks.subarray(0, this.#breaksLength);
  }

  reset(fromMs: number, toMs: number): void {
    this.#fromMs = fromMs;
    this.#toMs = toMs;
    this.#breaksRange = true;
    this.#counters.earliestMs = Number.POSITIVE_INFINITY;
    this.#counters.latestMs = Number.NEGATIVE_INFINITY;
    this.beginStep();
  }

  beginStep(): void {
    this.#closedLength = 0;
    this.#breaksLength = 0;
  }

  /**
   * Counts a row whose output starts at `out`. Returns false if the row is outside the time limits, and therefore not produced.
   */
  count(ms: number, out: number): boolean {
    const counters = this.#counters;
    if (counters.rows > 0 && ms < counters.rangeStopMs) counters.rowsBackwards += 1;
    if (Math.abs(ms - counters.rangeStopMs) > MAX_GAP_MS || counters.rows === 0) this.#openRange(ms);
    counters.rangeStopMs = ms;
    counters.rows += 1;
    counters.rangeRows += 1;
    if (ms < counters.earliestMs) counters.earliestMs = ms;
    if (ms > counters.latestMs) counters.latestMs = ms;
    if (ms < this.#fromMs || ms > this.#toMs) return false;
    if (this.#breaksRange) this.#beginSpan(ms, out);
    counters.producedRows += 1;
    if (ms < counters.spanEarliestMs) counters.spanEarliestMs = ms;
    if (ms > counters.spanLatestMs) counters.spanLatestMs = ms;
    return true;
  }

  #openRange(ms: number): void {
    const counters = this.#counters;
    if (counters.rows > 0) {
      this.#closed[this.#closedLength] = counters.rangeStartMs;
      this.#closed[this.#closedLength + 1] = counters.rangeStopMs;
      this.#closed[this.#closedLength + 2] = counters.rangeRows;
      this.#closedLength += 3;
    }
    counters.rangeStartMs = ms;
    counters.rangeRows = 0;
    this.#breaksRange = true;
  }

  #beginSpan(ms: number, out: number): void {
    const counters = this.#counters;
    const hasSpan = counters.producedRows > 0;
    this.#breaks[this.#breaksLength] = out;
    this.#breaks[this.#breaksLength + 1] = hasSpan ? counters.spanEarliestMs : Number.NaN;
    this.#breaks[this.#breaksLength + 2] = hasSpan ? counters.spanLatestMs : Number.NaN;
    this.#breaksLength += 3;
    counters.spanEarliestMs = ms;
    counters.spanLatestMs = ms;
    this.#breaksRange = false;
  }
}
