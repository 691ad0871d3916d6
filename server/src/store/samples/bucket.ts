/**
 * Length of a bucket in ms. It equals the longest gap inside a raw data range, 5 minutes (MAX_GAP_MS in
 * src/metrics/segments.ts of the library). Two samples of one bucket are therefore never in different ranges, and the
 * ranges of a device follow from the first and last times of its buckets.
 */
export const BUCKET_MS = 300_000;

/** Returns the number of the bucket that contains a time (ms since 1970 UTC). Uses floor division, for times before 1970. */
export function bucketOf(timestampMs: number): number {
  return Math.floor(timestampMs / BUCKET_MS);
}

/** Returns the first ms of a bucket. */
export function bucketStartMs(bucket: number): number {
  return bucket * BUCKET_MS;
}
