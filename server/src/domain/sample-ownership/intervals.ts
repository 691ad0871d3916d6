import type { Interval } from "../../store/samples/index.js";

/**
 * Returns a function that intersects intervals with a list. Call it with ascending intervals, because it traverses the list once.
 * @param list closed, ascending, disjoint
 */
export function cutTo(list: readonly Interval[]): (interval: Interval) => Interval[] {
  let first = 0;
  return ({ startMs, stopMs }) => {
    while ((list[first]?.stopMs ?? Number.POSITIVE_INFINITY) < startMs) first++;
    const parts: Interval[] = [];
    for (let i = first; i < list.length; i++) {
      const one = list[i];
      if (one === undefined || one.startMs > stopMs) break;
      parts.push({ startMs: Math.max(startMs, one.startMs), stopMs: Math.min(stopMs, one.stopMs) });
    }
    return parts;
  };
}

/** Returns the times in both lists. Both are ascending and disjoint. */
export const intersect = (a: readonly Interval[], b: readonly Interval[]): Interval[] => a.flatMap(cutTo(b));

/** Returns the parts of closed intervals that the other list does not cover. Both lists are ascending and disjoint. */
export function without(intervals: readonly Interval[], others: readonly Interval[]): Interval[] {
  const left: Interval[] = [];
  let next = 0;
  for (const { startMs, stopMs } of intervals) {
    let from = startMs;
    for (; next < others.length; next++) {
      const other = others[next];
      if (other === undefined || other.startMs > stopMs) break;
      if (other.stopMs < from) continue;
      if (other.startMs > from) left.push({ startMs: from, stopMs: other.startMs - 1 });
      from = other.stopMs + 1;
      // The interval may also cover the start of the next one.
      if (other.stopMs >= stopMs) break;
    }
    if (from <= stopMs) left.push({ startMs: from, stopMs });
  }
  return left;
}
