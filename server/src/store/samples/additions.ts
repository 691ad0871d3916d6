import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { bucketOf, bucketStartMs } from "./bucket.js";
import { type ChunkHeader, decodeRow } from "./chunk-rows.js";
import { concatColumns, lowerBound, type SampleColumns, sliceColumns } from "./columns.js";
import { readChunksOf, readNewestHeadersOf } from "./many-devices.js";
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

/** State of a device at the last poll. Immutable. */
export interface KnownSamples {
  /** First watched bucket. Samples in earlier buckets are not read. */
  firstBucket: number;
  chunks: ReadonlyMap<number, KnownChunk>;
}

/** A device to poll. */
export interface WatchedDevice {
  deviceId: number;
  /** Earliest time of a sample, ms since 1970 UTC. */
  fromMs: number;
  /** Samples in chunks after this time are not read; may be infinite. */
  untilMs: number;
  /** Result of the last poll; null for the first one, which returns all samples of the newest chunks. */
  known: KnownSamples | null;
}

export interface AddedSamples {
  /** New samples with ascending times. */
  samples: SampleColumns;
  /** State for the next poll. */
  known: KnownSamples;
}

/**
 * Returns the samples of devices stored since the last poll, with any times within the newest chunks of each. Compares the chunks with
 * their known state, because a load may add samples with earlier times to any chunk. Does not detect a heart rate that fills a
 * missing one. Two statements read up to 50 devices.
 *
 * @param devices each once
 * @throws SampleStoreError `CORRUPT_CHUNK`
 */
export async function addedSamples(
  client: SqlClient,
  devices: readonly WatchedDevice[],
): Promise<Map<number, AddedSamples>> {
  const spans = devices.map((device) => ({
    deviceId: device.deviceId,
    first: Math.max(device.known?.firstBucket ?? Number.NEGATIVE_INFINITY, bucketOf(device.fromMs)),
    last: bucketOf(Math.min(device.untilMs, Number.MAX_SAFE_INTEGER)),
  }));
  const headers = await readNewestHeadersOf(client, spans, WATCHED_CHUNKS);
  const changed = devices.map(({ deviceId, known }) => ({
    deviceId,
    buckets: (headers.get(deviceId) ?? [])
      .filter((header) => !isKnown(header, known?.chunks.get(header.bucket)))
      .map(({ bucket }) => bucket),
  }));
  const found = new Map<number, AddedSamples>();
  const rows = await readChunksOf(client, changed);
  for (const [index, device] of devices.entries()) {
    const read = rows.get(device.deviceId) ?? [];
    const first = spans[index]?.first ?? 0;
    found.set(device.deviceId, additionsTo(device, first, headers.get(device.deviceId) ?? [], read));
    // Decoding the chunks of a device takes up to a few milliseconds.
    if (read.length > 0) await nextEventLoopTurn();
  }
  return found;
}

const isKnown = ({ startMs, stopMs, size }: ChunkHeader, before: KnownChunk | undefined): boolean =>
  before?.startMs === startMs && before.stopMs === stopMs && before.offsets.length === size;

/**
 * @param headers of the newest chunks, newest first
 * @param read changed chunks, ascending
 */
function additionsTo(
  { deviceId, fromMs, known }: WatchedDevice,
  firstBucket: number,
  headers: readonly ChunkHeader[],
  read: readonly ChunkHeader[],
): AddedSamples {
  const chunks = new Map<number, KnownChunk>();
  for (const { bucket } of headers) {
    const before = known?.chunks.get(bucket);
    if (before !== undefined) chunks.set(bucket, before);
  }
  const parts: SampleColumns[] = [];
  for (const header of read) {
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
