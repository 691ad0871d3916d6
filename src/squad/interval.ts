/** From `startMs` (included) to `endMs` (excluded), ms since 1970 UTC. */
export interface Interval {
  startMs: number;
  endMs: number;
}

/** The length of disjoint intervals together, ms. */
export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}
