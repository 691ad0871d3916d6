import type { Account } from "../engine-account.js";
import { MAX_GAP_MS } from "../ranges.js";

/** Counts rows, and tracks ranges, earliest and latest rows, and where the output changes to another range. */
export class RowAccount {
  readonly #account: Account;
  // entries of this step, three numbers each: see RangeLog
  readonly #closed: Float64Array;
  readonly #breaks: Float64Array;
  #closedLength = 0;
  #breaksLength = 0;
  #fromMs = 0;
  #toMs = 0;
  // Whether the next produced row is the first of its range.
  #breaksRange = true;

  /** @param maxRows maximum number of rows of a step */
  constructor(account: Account, maxRows: number) {
    this.#account = account;
    this.#closed = new Float64Array(3 * maxRows);
    this.#breaks = new Float64Array(3 * maxRows);
  }

  /** Ranges that ended in this step. */
  get closed(): Float64Array {
    return this.#closed.subarray(0, this.#closedLength);
  }

  /** Where the output of this step changes to another range. */
  get breaks(): Float64Array {
    return this.#breaks.subarray(0, this.#breaksLength);
  }

  reset(fromMs: number, toMs: number): void {
    this.#fromMs = fromMs;
    this.#toMs = toMs;
    this.#breaksRange = true;
    this.#account.earliestMs = Number.POSITIVE_INFINITY;
    this.#account.latestMs = Number.NEGATIVE_INFINITY;
    this.beginStep();
  }

  beginStep(): void {
    this.#closedLength = 0;
    this.#breaksLength = 0;
  }

  /** Counts a row. Returns false if it is outside the time limits and not produced. `out`: where its output starts. */
  count(ms: number, out: number): boolean {
    const account = this.#account;
    if (Math.abs(ms - account.rangeStopMs) > MAX_GAP_MS || account.rows === 0) this.#openRange(ms);
    account.rangeStopMs = ms;
    account.rows += 1;
    account.rangeRows += 1;
    if (ms < account.earliestMs) account.earliestMs = ms;
    if (ms > account.latestMs) account.latestMs = ms;
    if (ms < this.#fromMs || ms > this.#toMs) return false;
    if (this.#breaksRange) this.#beginSpan(ms, out);
    account.producedRows += 1;
    if (ms < account.spanEarliestMs) account.spanEarliestMs = ms;
    if (ms > account.spanLatestMs) account.spanLatestMs = ms;
    return true;
  }

  #openRange(ms: number): void {
    const account = this.#account;
    if (account.rows > 0) {
      this.#closed[this.#closedLength] = account.rangeStartMs;
      this.#closed[this.#closedLength + 1] = account.rangeStopMs;
      this.#closed[this.#closedLength + 2] = account.rangeRows;
      this.#closedLength += 3;
    }
    account.rangeStartMs = ms;
    account.rangeRows = 0;
    this.#breaksRange = true;
  }

  #beginSpan(ms: number, out: number): void {
    const account = this.#account;
    const hasSpan = account.producedRows > 0;
    this.#breaks[this.#breaksLength] = out;
    this.#breaks[this.#breaksLength + 1] = hasSpan ? account.spanEarliestMs : Number.NaN;
    this.#breaks[this.#breaksLength + 2] = hasSpan ? account.spanLatestMs : Number.NaN;
    this.#breaksLength += 3;
    account.spanEarliestMs = ms;
    account.spanLatestMs = ms;
    this.#breaksRange = false;
  }
}
