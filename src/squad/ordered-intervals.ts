import type { Interval } from "./interval.js";

/**
 * Adds an interval to disjoint intervals in ascending order, unless it overlaps one of them. Uses binary search, because there may be
 * 10,000 intervals in any order.
 * @returns whether it was added
 */
export function addDisjoint(times: Interval[], added: Interval): boolean {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((times[middle]?.startMs ?? 0) <= added.startMs) from = middle + 1;
    else to = middle;
  }
  const [before, after] = [times[from - 1], times[from]];
  if (before !== undefined && before.endMs > added.startMs) return false;
  if (after !== undefined && after.startMs < added.endMs) return false;
  times.splice(from, 0, added);
  return true;
}
