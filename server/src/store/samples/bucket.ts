/**
 * Length of a bucket in ms. It is the greatest gap inside a raw data range (service specification, "Raw data range":
 * at most 5 minutes). Two samples of one bucket are therefore never in different ranges, and the ranges of a device
 * follow from the first and last time of its buckets alone.
 */
export const BUCKET_MS = 300_000;

/** Number of the bucket that holds a time (ms since 1970 UTC); floor division, so that times before 1970 work. */
export function bucketOf(timestampMs: number): number {
  return Math.floor(timestampMs / BUCKET_MS);
}

/** First ms of a bucket. */
export function bucketStartMs(bucket: number): number {
  return bucket * BUCKET_MS;
}
