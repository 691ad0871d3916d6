import type { Range } from "../types.js";

/** A row more than this away from the one before it opens a new range (recording format, "Ranges"). */
const MAX_GAP_MS = 300_000;

/** The ranges of rows that come in file order, and how many rows, from when to when. */
export class RowRanges {
  readonly #ranges: Range[] = [];
  #earliestMs: number | null = null;
  #latestMs: number | null = null;

  add(timestampMs: number): void {
    const last = this.#ranges.at(-1);
    if (last && Math.abs(timestampMs - last.stop) <= MAX_GAP_MS) {
      last.stop = timestampMs;
      last.size += 1;
    } else {
      this.#ranges.push({ start: timestampMs, stop: timestampMs, size: 1 });
    }
    this.#earliestMs = Math.min(timestampMs, this.#earliestMs ?? timestampMs);
    this.#latestMs = Math.max(timestampMs, this.#latestMs ?? timestampMs);
  }

  /** Number of ranges so far. */
  get count(): number {
    return this.#ranges.length;
  }

  /** Earliest row, ms since 1970 UTC. */
  get earliestMs(): number | null {
    return this.#earliestMs;
  }

  /** Latest row, ms since 1970 UTC. */
  get latestMs(): number | null {
    return this.#latestMs;
  }

  /** A copy: the last range may still grow. */
  list(): Range[] {
    return this.#ranges.map((range) => ({ ...range }));
  }
}
