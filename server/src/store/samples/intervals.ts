import { bucketOf } from "./bucket.js";

/** A closed interval of time, ms since 1970 UTC; both ends may be infinite. */
export interface Interval {
  startMs: number;
  stopMs: number;
}

/** Buckets `first` to `last`, both inclusive. */
export interface BucketSpan {
  first: number;
  last: number;
}

/**
 * Converts intervals to ascending, non-adjacent intervals: joins overlapping and adjacent ones, drops empty ones (start after
 * stop), and limits infinite ends to the range of a bigint in SQL.
 */
export function normaliseIntervals(intervals: readonly Interval[]): Interval[] {
  return coalesceIntervals(
    intervals.map(({ startMs, stopMs }) => ({
      startMs: Math.max(startMs, Number.MIN_SAFE_INTEGER),
      stopMs: Math.min(stopMs, Number.MAX_SAFE_INTEGER),
    })),
    1,
  );
}

/** Sorts intervals, joins those that overlap or whose distance is at most `distanceMs`, and drops empty ones. */
export function coalesceIntervals(intervals: readonly Interval[], distanceMs: number): Interval[] {
  const ascending = intervals
    .filter(({ startMs, stopMs }) => startMs <= stopMs)
    .sort((a, b) => a.startMs - b.startMs);
  const joined: Interval[] = [];
  for (const { startMs, stopMs } of ascending) {
    const last = joined.at(-1);
    if (last !== undefined && startMs - last.stopMs <= distanceMs)
      last.stopMs = Math.max(last.stopMs, stopMs);
    else joined.push({ startMs, stopMs });
  }
  return joined;
}

/** Returns the buckets that overlap normalised intervals, as ascending, non-adjacent spans. */
export function bucketSpans(intervals: readonly Interval[]): BucketSpan[] {
  const spans: BucketSpan[] = [];
  for (const { startMs, stopMs } of intervals) {
    const first = bucketOf(startMs);
    const last = bucketOf(stopMs);
    const previous = spans.at(-1);
    if (previous !== undefined && first <= previous.last + 1) previous.last = last;
    else spans.push({ first, last });
  }
  return spans;
}
