/** An interval from `startMs` (inclusive) to `endMs` (exclusive), ms since 1970 UTC. */
export interface Interval {
  startMs: number;
  endMs: number;
}

/** Returns the total length of disjoint intervals, in ms. */
export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

/** Returns intervals in ascending order. Overlapping or touching intervals are joined. */
export function united(intervals: readonly Interval[]): Interval[] {
  const found: Interval[] = [];
  for (const { startMs, endMs } of intervals.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = found.at(-1);
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else found.push({ startMs, endMs });
  }
  return found;
}

/** Returns the parts of `intervals` that are not in `removed`. Both must be ascending. */
export function without(intervals: readonly Interval[], removed: readonly Interval[]): Interval[] {
  return removed.reduce<Interval[]>(
    (rest, { startMs, endMs }) =>
      rest.flatMap((one) =>
        [
          { startMs: one.startMs, endMs: Math.min(one.endMs, startMs) },
          { startMs: Math.max(one.startMs, endMs), endMs: one.endMs },
        ].filter((part) => part.endMs > part.startMs),
      ),
    [...intervals],
  );
}
