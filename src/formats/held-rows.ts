import { copyRows, newBatch } from "../sample-batch.js";
import type { SampleBatch } from "../types.js";

/** Rows of a block: 26 bytes each. */
const BLOCK_ROWS = 16_384;

/** Rows that wait for those behind them, 26 bytes each. */
export class HeldRows {
  readonly #blocks: { batch: SampleBatch; length: number }[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Takes rows, as many as go into `most` rows altogether. Returns the first that was not taken. */
  take(batch: SampleBatch, from: number, to: number, most = Number.POSITIVE_INFINITY): number {
    let next = from;
    while (next < to && this.#length < most) {
      const block = this.#roomyBlock();
      const count = Math.min(to - next, BLOCK_ROWS - block.length, most - this.#length);
      copyRows(batch, next, next + count, block.batch, block.length);
      block.length += count;
      this.#length += count;
      next += count;
    }
    return next;
  }

  /** The rows, in order: the first `length` of each batch. */
  *batches(): Generator<{ batch: SampleBatch; length: number }> {
    for (const block of this.#blocks) if (block.length > 0) yield block;
  }

  clear(): void {
    // one block is kept: ranges can be many and short
    this.#blocks.length = Math.min(this.#blocks.length, 1);
    for (const block of this.#blocks) block.length = 0;
    this.#length = 0;
  }

  #roomyBlock(): { batch: SampleBatch; length: number } {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.length < BLOCK_ROWS) return last;
    const block = { batch: newBatch(BLOCK_ROWS), length: 0 };
    this.#blocks.push(block);
    return block;
  }
}
