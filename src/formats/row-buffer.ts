import { gapsAfter, hasSpeed } from "../metrics/segments.js";
import { copyRows, newBatch } from "../rows/sample-batch.js";
import type { SampleBatch } from "../types.js";

/** Rows per block. */
const BLOCK_ROWS = 16_384;

/** Buffers rows, which take 26 bytes each. */
export class RowBuffer {
  readonly #blocks: { batch: SampleBatch; length: number }[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends rows until the buffer holds `maxRows` rows. Returns the index of the first row that was not appended. */
  append(batch: SampleBatch, from: number, to: number, maxRows = Number.POSITIVE_INFINITY): number {
    let next = from;
    while (next < to && this.#length < maxRows) {
      const block = this.#blockWithRoom();
      const count = Math.min(to - next, BLOCK_ROWS - block.length, maxRows - this.#length);
      copyRows(batch, next, next + count, block.batch, block.length);
      block.length += count;
      this.#length += count;
      next += count;
    }
    return next;
  }

  /** Returns the buffered rows in order: the first `length` rows of each batch. */
  *batches(): Generator<{ batch: SampleBatch; length: number }> {
    for (const block of this.#blocks) if (block.length > 0) yield block;
  }

  /** Returns which rows precede a gap. The rows from `from` to `to` (exclusive) that have a speed are counted from 0. */
  gapsAfter(from = 0, to = this.#length): number[] {
    const times = new Float64Array(to - from);
    let length = 0;
    this.visit(from, to, (batch, at) => {
      if (hasSpeed(batch.speedMmPerS[at] as number)) times[length++] = batch.timestampMs[at] as number;
      return false;
    });
    return gapsAfter(times.subarray(0, length));
  }

  /**
   * Calls `visit` for the rows from `from` to `to` (exclusive) until it returns true. Returns the index of the row after the last
   * visited one.
   */
  visit(from: number, to: number, visit: (batch: SampleBatch, at: number) => boolean): number {
    for (let row = from; row < to; row++) {
      const block = this.#blocks[Math.floor(row / BLOCK_ROWS)];
      if (block !== undefined && visit(block.batch, row % BLOCK_ROWS)) return row + 1;
    }
    return to;
  }

  clear(): void {
    // one block is kept for reuse, because there can be many short ranges
    this.#blocks.length = Math.min(this.#blocks.length, 1);
    for (const block of this.#blocks) block.length = 0;
    this.#length = 0;
  }

  #blockWithRoom(): { batch: SampleBatch; length: number } {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.length < BLOCK_ROWS) return last;
    const block = { batch: newBatch(BLOCK_ROWS), length: 0 };
    this.#blocks.push(block);
    return block;
  }
}
