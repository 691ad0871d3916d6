import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { MAX_GAP_MS } from "../metrics/segments.js";
import { iterate, iteratorResult } from "../sources/iterate.js";
import type { Range } from "../types.js";

/**
 * Groups times into ranges, in the given order. A time that differs from the previous one by more than 300,000 ms, in either
 * direction, starts a new range; a difference of exactly 300,000 ms does not.
 *
 * @param timestampsMs ms since 1970 UTC
 * @throws AsiError `BAD_ARGUMENT` if the argument is not iterable or a time is not a finite number
 */
export function findRanges(timestampsMs: Iterable<number>): Range[] {
  if (timestampsMs instanceof Float64Array) return rangesOfColumn(timestampsMs);
  const iterated = iterate<number>(timestampsMs);
  if (iterated?.isAsync !== false) {
    throw new AsiError(
      "BAD_ARGUMENT",
      `The instants are ${shown(timestampsMs)}; pass an array or another iterable of ms since 1970.`,
    );
  }
  const ranges: Range[] = [];
  const { iterator } = iterated;
  for (let next = iteratorResult(iterator.next()); next.done !== true; next = iteratorResult(iterator.next()))
    addChecked(ranges, next.value);
  return ranges;
}

/** Columns of a batch. An iterator takes ten times as long until the code is optimized. */
function rangesOfColumn(timestampMs: Float64Array): Range[] {
  const ranges: Range[] = [];
  for (let row = 0; row < timestampMs.length; row++) addChecked(ranges, timestampMs[row] as number);
  return ranges;
}

function addChecked(ranges: Range[], ms: number): void {
  if (!Number.isFinite(ms)) {
    throw new AsiError(
      "BAD_ARGUMENT",
      `The instant ${shown(ms)} is invalid; it must be a number of ms since 1970.`,
    );
  }
  addToRanges(ranges, ms);
}

/** Adds a time to the last range, or starts a new one. */
export function addToRanges(ranges: Range[], ms: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && Math.abs(ms - last.stop) <= MAX_GAP_MS) {
    last.stop = ms;
    last.size += 1;
  } else {
    ranges.push({ start: ms, stop: ms, size: 1 });
  }
}
