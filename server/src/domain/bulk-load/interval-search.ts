import type { Interval } from "../../store/samples/index.js";

/**
 * Returns a function that checks whether a time is in one of the intervals. The search starts at the last interval
 * found. For mostly ascending times, as in a recording, its duration hardly depends on the number of intervals.
 * @param intervals closed, ascending and not adjacent; from `normaliseIntervals`
 */
export function intervalSearch(intervals: readonly Interval[]): (ms: number) => boolean {
  const startOf = (i: number) => intervals[i]?.startMs ?? Number.POSITIVE_INFINITY;
  /** Index of the last interval that begins at or before the time; -1 if there is none. */
  let at = -1;
  return (ms) => {
    const isHere = (at < 0 || startOf(at) <= ms) && ms < startOf(at + 1);
    if (!isHere) at = lastFrom(ms);
    const found = intervals[at];
    return found !== undefined && ms <= found.stopMs;
  };

  function lastFrom(ms: number): number {
    let low = 0;
    let high = intervals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (startOf(middle) <= ms) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
