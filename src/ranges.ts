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
  for (const ms of timestampsMs) addToRanges(ranges, ms);
  return ranges;
}

/** Adds an instant to the last of the ranges, or opens a new one. */
export function addToRanges(ranges: Range[], ms: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && Math.abs(ms - last.stop) <= MAX_GAP_MS) {
    last.stop = ms;
    last.size += 1;
  } else {
    ranges.push({ start: ms, stop: ms, size: 1 });
  }
}
