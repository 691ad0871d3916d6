import { BUCKET_MS, bucketOf } from "./bucket.js";
import { decodeRow, type EncodedChunk, readChunks, writeChunks } from "./chunk-rows.js";
import { encodeChunk, requireRoomInChunk } from "./codec.js";
import { allocateColumns, copyColumns, type SampleColumns, sliceColumns } from "./columns.js";
import { roomOf } from "./count.js";
import { lockDeviceSamples } from "./device-lock.js";
import { SampleStoreError } from "./errors.js";
import { coalesceIntervals, type Interval } from "./intervals.js";
import { type MergeCounts, mergeIntoBucket, orderByTime } from "./merge.js";
import { Pauses } from "./pauses.js";
import type { SqlClient } from "./sql-client.js";

/**
 * Number of samples sorted and merged together: 3.4 MB of columns, four buckets of 300 s at 100 Hz. Sorting cannot pause, and
 * takes more than 100 ms for twice this number of unsorted samples.
 */
const WINDOW_ROWS = 131_072;

/** Number of buckets that one statement reads or writes. */
const BUCKETS_PER_STATEMENT = 64;

/** Result of a load. */
export interface StoreResult extends MergeCounts {
  /**
   * Times of samples that are new or gained a heart rate, as ascending closed intervals more than 300,000 ms apart. Empty if the
   * load added nothing.
   */
  changed: Interval[];
  /** Increase of the number that `countSamplesOf` returns. */
  room: number;
}

/**
 * Stores samples of one device. A sample is identified by its time. The sample that was stored first is kept, and within one
 * load the first one; a later heart rate fills in a missing one. Storing the same samples again changes nothing.
 * Locks the device: a second load waits until the transaction of the first has ended.
 *
 * @param tx       a transaction with the isolation level READ COMMITTED (with a stricter level it may fail with a
 *                 serialization failure, but nothing is lost)
 * @param deviceId positive, below 2^53
 * @param batches  samples in the order of their file, with times in any order; a batch may be overwritten when the next one
 *                 is requested
 * @throws SampleStoreError `BAD_SAMPLE` for a time that is not an integer number of ms;
 *   `CORRUPT_CHUNK` when a chunk that gets samples is damaged; `TOO_DENSE` for more than 30,000 samples in a bucket. The caller must
 *   then roll back the transaction.
 */
export async function storeSamples(
  tx: SqlClient,
  deviceId: number,
  batches: Iterable<SampleColumns> | AsyncIterable<SampleColumns>,
): Promise<StoreResult> {
  await lockDeviceSamples(tx, deviceId);
  return addSamples(tx, deviceId, batches, true);
}

/**
 * Returns what `storeSamples` would return or throw now, and writes nothing. Needs no transaction.
 * @param batches in the order of their buckets
 */
export const tryStoring = (
  client: SqlClient,
  deviceId: number,
  batches: Iterable<SampleColumns>,
): Promise<StoreResult> => addSamples(client, deviceId, batches, false);

async function addSamples(
  client: SqlClient,
  deviceId: number,
  batches: Iterable<SampleColumns> | AsyncIterable<SampleColumns>,
  writes: boolean,
): Promise<StoreResult> {
  const result: StoreResult = { stored: 0, known: 0, hrFilled: 0, changed: [], room: 0 };
  // The window starts small, because a stream stores five samples at a time.
  let window = allocateColumns(0);
  let filled = 0;
  let firstRow = 0;
  const how: Storing = { pauses: new Pauses(), writes, last: null };
  const { pauses } = how;
  const store = (rows: SampleColumns) => storeWindow(client, deviceId, rows, result, how);
  for await (const batch of batches) {
    await pauses.pauseIfDue();
    requireTimes(batch, firstRow);
    firstRow += batch.length;
    for (let from = 0; from < batch.length; ) {
      const to = Math.min(batch.length, from + WINDOW_ROWS - filled);
      window = withRoom(window, filled, filled + to - from);
      copyColumns(batch, from, to, window, filled);
      filled += to - from;
      from = to;
      if (filled < WINDOW_ROWS) continue;
      await store(window);
      filled = 0;
    }
  }
  if (filled > 0) await store(sliceColumns(window, 0, filled));
  result.changed = coalesceIntervals(result.changed, BUCKET_MS);
  return result;
}

/** Returns columns with the first `filled` samples and room for `wanted`, at most `WINDOW_ROWS`. */
function withRoom(window: SampleColumns, filled: number, wanted: number): SampleColumns {
  if (wanted <= window.length) return window;
  const larger = allocateColumns(Math.min(WINDOW_ROWS, Math.max(wanted, 2 * window.length)));
  copyColumns(window, 0, filled, larger, 0);
  return larger;
}

function requireTimes(columns: SampleColumns, firstRow: number): void {
  for (let i = 0; i < columns.length; i++) {
    if (Number.isSafeInteger(columns.timestampMs[i])) continue;
    throw new SampleStoreError(
      "BAD_SAMPLE",
      `Row ${firstRow + i}: the time ${columns.timestampMs[i]} is not an integer number of milliseconds.`,
      { row: firstRow + i },
    );
  }
}

interface BucketRows {
  bucket: number;
  /** Entries `[from, to)` in the order of the samples of the window. */
  from: number;
  to: number;
}

interface Storing {
  pauses: Pauses;
  writes: boolean;
  /** The last bucket, which was not written, because the next window may have more of its samples. */
  last: { bucket: number; columns: SampleColumns } | null;
}

async function storeWindow(
  client: SqlClient,
  deviceId: number,
  rows: SampleColumns,
  result: StoreResult,
  how: Storing,
): Promise<void> {
  const { pauses, writes } = how;
  const order = orderByTime(rows.timestampMs, rows.length);
  const buckets = splitIntoBuckets(rows, order);
  await pauses.pauseIfDue();
  const numbers = buckets.map(({ bucket }) => bucket);
  for (let at = 0; at < buckets.length; at += BUCKETS_PER_STATEMENT) {
    const group = buckets.slice(at, at + BUCKETS_PER_STATEMENT);
    const present = await readChunks(client, deviceId, numbers.slice(at, at + BUCKETS_PER_STATEMENT));
    const presentByBucket = new Map(present.map((header) => [header.bucket, header]));
    const chunks: EncodedChunk[] = [];
    for (const { bucket, from, to } of group) {
      await pauses.pauseIfDue();
      const header = presentByBucket.get(bucket);
      const stored = header === undefined ? null : decodeRow(deviceId, header);
      const samples = how.last?.bucket === bucket ? how.last.columns : stored;
      const merged = mergeIntoBucket(samples, rows, order, from, to);
      result.stored += merged.stored;
      result.known += merged.known;
      result.hrFilled += merged.hrFilled;
      if (merged.changed === null) continue;
      result.room += roomOf(merged.columns.length) - roomOf(samples?.length ?? 0);
      result.changed.push(merged.changed);
      requireRoomInChunk(bucket, merged.columns.length);
      if (writes) chunks.push(toChunk(bucket, merged.columns));
      else how.last = { bucket, columns: merged.columns };
    }
    const replaced = chunks.map(({ bucket }) => bucket).filter((bucket) => presentByBucket.has(bucket));
    if (chunks.length > 0) await writeChunks(client, deviceId, chunks, replaced);
  }
}

function splitIntoBuckets(rows: SampleColumns, order: Uint32Array): BucketRows[] {
  const buckets: BucketRows[] = [];
  let current: BucketRows | undefined;
  for (let i = 0; i < order.length; i++) {
    const bucket = bucketOf(rows.timestampMs[order[i] ?? 0] ?? 0);
    if (current?.bucket !== bucket) {
      current = { bucket, from: i, to: i };
      buckets.push(current);
    }
    current.to = i + 1;
  }
  return buckets;
}

function toChunk(bucket: number, columns: SampleColumns): EncodedChunk {
  return {
    bucket,
    startMs: columns.timestampMs[0] ?? 0,
    stopMs: columns.timestampMs[columns.length - 1] ?? 0,
    size: columns.length,
    payload: encodeChunk(columns, bucket),
  };
}
