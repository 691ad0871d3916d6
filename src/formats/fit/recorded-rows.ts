import type { RowBuffer } from "../row-buffer.js";
import type { Totals } from "../totals.js";

/** All rows of a range of which only some are written. They determine the totals of the lap and the distances of its records. */
export class RecordedRows {
  readonly #buffer: RowBuffer;
  readonly #to: number;
  #next: number;

  constructor(buffer: RowBuffer, from: number, to: number) {
    this.#buffer = buffer;
    this.#next = from;
    this.#to = to;
  }

  /** Adds the rows up to the next one with this time, or all remaining rows, to the totals. */
  addTo(totals: Totals, untilMs: number | null): void {
    this.#next = this.#buffer.visit(this.#next, this.#to, (batch, at) => {
      totals.addRows(batch, at, at + 1);
      return batch.timestampMs[at] === untilMs;
    });
  }
}
