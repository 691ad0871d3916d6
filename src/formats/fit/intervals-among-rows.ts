import type { BeatBatch } from "../../types.js";
import type { RowBuffer } from "../row-buffer.js";

/** RR intervals that end between a row and the row before it. */
export interface IntervalsBeforeRow {
  /** Index of the row, at least 1. */
  row: number;
  /** Whole ms. */
  rrMs: number[];
}

/**
 * Beats recorded before the clock was set back end at most this time after the last row before that, ms *(choice)*. Otherwise,
 * beats and rows go back in time at different places.
 */
const LATEST_BEAT_MS = 60_000;

/** Inserts the RR intervals of beats between the rows, in the chronological order that FIT requires. */
export class IntervalsAmongRows {
  readonly #timesMs: number[] = [];
  readonly #rrMs: number[] = [];
  /** Indexes of the beats that are earlier than the previous beat, because the clock was set back. */
  readonly #setBacks: number[] = [];

  constructor(beats: readonly BeatBatch[]) {
    let previousMs = Number.NEGATIVE_INFINITY;
    for (const { timestampMs, rrMs } of beats) {
      for (const ms of timestampMs) {
        if (ms < previousMs) this.#setBacks.push(this.#timesMs.length);
        this.#timesMs.push(ms);
        previousMs = ms;
      }
      for (const ms of rrMs) this.#rrMs.push(ms);
    }
  }

  /**
   * Returns the intervals between the first row and the last one, without those that began before the first row.
   *
   * @param starts indexes of the rows that begin a range
   */
  among(rows: RowBuffer, starts: ReadonlySet<number>): IntervalsBeforeRow[] {
    const found: IntervalsBeforeRow[] = [];
    const setBacks = this.#setBacks.values();
    /** The first beat after the clock is set back again. This beat and later ones wait for the rows after that. */
    let end = setBacks.next().value ?? this.#timesMs.length;
    let setBacksLeft = setBackRows(rows, starts);
    let row = 0;
    let next = 0;
    let previousMs = Number.NEGATIVE_INFINITY;
    rows.visit(0, rows.length, (batch, at) => {
      const ms = batch.timestampMs[at] as number;
      const from = next;
      if (ms < previousMs && starts.has(row)) {
        setBacksLeft -= 1;
        const isSetBack = end < this.#timesMs.length && this.#timeOf(end - 1) <= previousMs + LATEST_BEAT_MS;
        if (isSetBack) {
          next = end;
          end = setBacks.next().value ?? this.#timesMs.length;
        }
      }
      while (this.#timeOf(next) < ms && (next < end || setBacksLeft === 0)) next += 1;
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

/** Counts the rows that begin a range and are earlier than the previous row. */
function setBackRows(rows: RowBuffer, starts: ReadonlySet<number>): number {
  let count = 0;
  let row = 0;
  let previousMs = Number.NEGATIVE_INFINITY;
  rows.visit(0, rows.length, (batch, at) => {
    const ms = batch.timestampMs[at] as number;
    if (ms < previousMs && starts.has(row)) count += 1;
    previousMs = ms;
    row += 1;
    return false;
  });
  return count;
}
