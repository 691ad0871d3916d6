import { bucketOf, bucketStartMs } from "./bucket.js";
import { decodeRow, readChunks, readNewestHeaders } from "./chunk-rows.js";
import { concatColumns, lowerBound, type SampleColumns, sliceColumns } from "./columns.js";
import type { SqlClient } from "./sql-client.js";

/** Number of watched chunks: the newest one, and at least 15 minutes before it. */
const WATCHED_CHUNKS = 4;

/** Samples of a chunk at the last poll. */
interface KnownChunk {
  startMs: number;
  stopMs: number;
  /** Times relative to the start of the bucket, ms, ascending. They need half the memory of absolute times. */
  offsets: Int32Array;
}

/** State at the last poll. Immutable. */
export interface KnownSamples {
  /** First watched bucket. Samples in earlier buckets are not read. */
  firstBucket: number;
  chunks: ReadonlyMap<number, KnownChunk>;
}

/**
 * Returns the samples of a device stored since the last poll, with any times within the newest chunks. Compares the chunks with
 * their known state, because a load may add samples with earlier times to any chunk. Does not detect a heart rate that fills a
 * missing one.
 *
 * @param fromMs earliest time of a sample, ms since 1970 UTC
 * @param known result of the last poll; null for the first one, which returns all samples of the newest chunks
 * @returns new samples with ascending times, and the state for the next poll
 * @throws SampleStoreError `CORRUPT_CHUNK`
 */
export async function addedSamples(
  client: SqlClient,
  deviceId: number,
  fromMs: number,
  known: KnownSamples | null,
): Promise<{ samples: SampleColumns; known: KnownSamples }> {
  const firstBucket = Math.max(known?.firstBucket ?? Number.NEGATIVE_INFINITY, bucketOf(fromMs));
  const headers = await readNewestHeaders(client, deviceId, firstBucket, WATCHED_CHUNKS);
  const chunks = new Map<number, KnownChunk>();
  const changed: number[] = [];
  for (const { bucket, startMs, stopMs, size } of headers) {
    const before = known?.chunks.get(bucket);
    if (before !== undefined) chunks.set(bucket, before);
    if (before?.startMs === startMs && before.stopMs === stopMs && before.offsets.length === size) continue;
    changed.push(bucket);
  }
  const parts: SampleColumns[] = [];
  for (const header of await readChunks(client, deviceId, changed)) {
    const { bucket, startMs, stopMs } = header;
    const samples = decodeRow(deviceId, header);
    const offsets = Int32Array.from(
      samples.timestampMs,
      (timestampMs) => timestampMs - bucketStartMs(bucket),
    );
    const before = chunks.get(bucket)?.offsets ?? new Int32Array(0);
    const first = lowerBound(samples.timestampMs, samples.length, fromMs);
    parts.push(...withoutKnown(samples, first, offsets, before));
    chunks.set(bucket, { startMs, stopMs, offsets });
  }
  const oldest = headers.at(-1);
  const isFull = headers.length === WATCHED_CHUNKS && oldest !== undefined;
  return {
    samples: concatColumns(parts),
    known: { firstBucket: isFull ? oldest.bucket : firstBucket, chunks },
  };
}

/**
 * Returns the samples from index `first` whose offsets are not in `before`, as pieces of successive samples. Both lists of
 * offsets ascend.
 */
function* withoutKnown(
  samples: SampleColumns,
  first: number,
  offsets: Int32Array,
  before: Int32Array,
): Generator<SampleColumns> {
  let from = first;
  let at = 0;
  for (let i = first; i < offsets.length; i++) {
    const offset = offsets[i] ?? 0;
    while (at < before.length && (before[at] ?? 0) < offset) at++;
    if (before[at] !== offset) continue;
    if (i > from) yield sliceColumns(samples, from, i);
    from = i + 1;
  }
  if (from < offsets.length) yield sliceColumns(samples, from, offsets.length);
}
