import { bucketOf, bucketStartMs } from "./bucket.js";
import { decodeRow, readChunks, readNewestHeaders } from "./chunk-rows.js";
import { concatColumns, lowerBound, type SampleColumns, sliceColumns } from "./columns.js";
import type { SqlClient } from "./sql-client.js";

/** Chunks that are watched: the newest one, and at least 15 minutes before it. */
const WATCHED_CHUNKS = 4;

/** The samples of a chunk at the last poll. */
interface KnownChunk {
  startMs: number;
  stopMs: number;
  /** Times from the start of the bucket, ms, ascending: half the memory of times. */
  offsets: Int32Array;
}

/** State at the last poll. Immutable. */
export interface KnownSamples {
  /** The first watched bucket. What is stored before it is not read. */
  firstBucket: number;
  chunks: ReadonlyMap<number, KnownChunk>;
}

/**
 * The samples of a device that have been stored since the last poll, whatever their times are within the newest chunks. They
 * are found by comparison, because neither the times of samples nor those of chunks rise with each load. A heart rate that
 * fills a missing one is not found.
 *
 * @param fromMs earliest time of a sample, ms since 1970 UTC
 * @param known  of the last poll; null in the first one, in which all samples of the newest chunks are new
 * @returns new samples, times ascending; what is known now
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

/** The samples from index `first` on whose offsets were not there before, as pieces of successive ones. Both offsets ascend. */
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
