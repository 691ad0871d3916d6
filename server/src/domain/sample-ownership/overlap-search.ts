import type { Interval } from "../../store/samples/index.js";

/**
 * Returns a function that finds the first of the intervals that has a common instant with another one, by binary search.
 * @param intervals closed, ascending and disjoint
 */
export function overlapSearch<T extends Interval>(
  intervals: readonly T[],
): (range: Interval) => T | undefined {
  return ({ startMs, stopMs }) => {
    let [from, to] = [0, intervals.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((intervals[middle]?.stopMs ?? 0) < startMs) from = middle + 1;
      else to = middle;
    }
    const found = intervals[from];
    return found !== undefined && found.startMs <= stopMs ? found : undefined;
  };
}

/**
 * Whether each of the parts is within one of the intervals.
 * @param intervals closed, ascending and disjoint
 */
export function areWithin(parts: readonly Interval[], intervals: readonly Interval[]): boolean {
  const search = overlapSearch(intervals);
  return parts.every((part) => {
    const found = search(part);
    return found !== undefined && found.startMs <= part.startMs && found.stopMs >= part.stopMs;
  });
}
