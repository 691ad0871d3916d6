import { addToRanges } from "../../src/rows/ranges.js";
import type { Range } from "../../src/types.js";

/** The ranges of rows in file order, with their number of rows, start and stop. */
export class RowRanges {
  readonly #ranges: Range[] = [];
  #earliestMs: number | null = null;
  #latestMs: number | null = null;

  add(timestampMs: number): void {
    addToRanges(this.#ranges, timestampMs);
    this.#earliestMs = Math.min(timestampMs, this.#earliestMs ?? timestampMs);
    this.#latestMs = Math.max(timestampMs, this.#latestMs ?? timestampMs);
  }

  /** The last row so far, ms since 1970 UTC. */
  get lastMs(): number | null {
    return this.#ranges.at(-1)?.stop ?? null;
  }

  /** Number of ranges so far. */
  get count(): number {
    return this.#ranges.length;
  }

  /** Sum of their lengths in either direction of time, ms. */
  get lengthMs(): number {
    return this.#ranges.reduce((sum, range) => sum + Math.abs(range.stop - range.start), 0);
  }

  /** Earliest row, ms since 1970 UTC. */
  get earliestMs(): number | null {
    return this.#earliestMs;
  }

  /** Latest row, ms since 1970 UTC. */
  get latestMs(): number | null {
    return this.#latestMs;
  }

  /** A copy, because the last range may still grow. */
  list(): Range[] {
    return this.#ranges.map((range) => ({ ...range }));
  }
}
