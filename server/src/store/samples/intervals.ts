import { bucketOf } from "./bucket.js";

/** A closed interval of time, ms since 1970 UTC; either end may be infinite. */
export interface Interval {
  startMs: number;
  stopMs: number;
}

/** Buckets `first` to `last`, both included. */
export interface BucketSpan {
  first: number;
  last: number;
}

/**
 * The same times as ascending intervals that do not touch each other: overlaps and neighbours joined, empty ones
 * (start after stop) dropped, infinite ends brought down to numbers that SQL's bigint can hold.
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

/** Ascending intervals, those joined that overlap or whose distance is at most `distanceMs`; empty ones dropped. */
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

/** The buckets that normalised intervals touch, as ascending spans that do not touch each other. */
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
