import type { Range } from "./types.js";

/** Rows further apart than this lie in different ranges (docs/recording-format.md, "Ranges"). */
export const MAX_GAP_MS = 300_000;

/**
 * Groups instants in their order: one more than 300,000 ms away from the one before it, in either direction, opens a new
 * range; exactly 300,000 does not.
 *
 * @param timestampsMs ms since 1970 UTC
 */
export function findRanges(timestampsMs: Iterable<number>): Range[] {
  const ranges: Range[] = [];
  let range: Range | undefined;
  for (const ms of timestampsMs) {
    if (range !== undefined && Math.abs(ms - range.stop) <= MAX_GAP_MS) {
      range.stop = ms;
      range.size += 1;
    } else {
      range = { start: ms, stop: ms, size: 1 };
      ranges.push(range);
    }
  }
  return ranges;
}
