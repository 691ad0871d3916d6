import type { BeatBatch } from "../../types.js";
import type { RowBuffer } from "../row-buffer.js";

/** RR intervals that end between a row and the row before it. */
export interface IntervalsBeforeRow {
  /** Number of the row, at least 1. */
  row: number;
  /** Whole ms. */
  rrMs: number[];
}

/** Places the RR intervals of beats among the rows, in chronological order as FIT requires. */
export class IntervalsAmongRows {
  readonly #timesMs: number[] = [];
  readonly #rrMs: number[] = [];

  constructor(beats: readonly BeatBatch[]) {
    for (const { timestampMs, rrMs } of beats) {
      for (const ms of timestampMs) this.#timesMs.push(ms);
      for (const ms of rrMs) this.#rrMs.push(ms);
    }
  }

  /**
   * The intervals between the first row and the last one, without those that began before the first row.
   *
   * @param starts numbers of the rows that begin a range
   */
  among(rows: RowBuffer, starts: ReadonlySet<number>): IntervalsBeforeRow[] {
    const found: IntervalsBeforeRow[] = [];
    let row = 0;
    let next = 0;
    let previousMs = Number.NEGATIVE_INFINITY;
    rows.visit(0, rows.length, (batch, at) => {
      const ms = batch.timestampMs[at] as number;
      const from = next;
      // the clock was set back: later beats with its earlier times must not wait for the beats before
      if (ms < previousMs && starts.has(row)) while (this.#timeOf(next) > ms) next += 1;
      while (this.#timeOf(next) < ms) next += 1;
      if (row === 0) this.#dropIntervalBegunBefore(ms, next);
      else this.#append(found, row, from, next);
      previousMs = ms;
      row += 1;
      return false;
    });
    return found;
  }

  #timeOf(beat: number): number {
    return this.#timesMs[beat] ?? Number.NaN;
  }

  #dropIntervalBegunBefore(ms: number, beat: number): void {
    if (this.#timeOf(beat) - (this.#rrMs[beat] as number) < ms) this.#rrMs[beat] = 0;
  }

  #append(found: IntervalsBeforeRow[], row: number, from: number, to: number): void {
    const known = this.#rrMs.slice(from, to).filter((rr) => rr > 0);
    if (known.length > 0) found.push({ row, rrMs: known.map(Math.round) });
  }
}
