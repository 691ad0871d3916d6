import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { bucketOf, bucketStartMs } from "./bucket.js";
import { type ChunkHeader, decodeRow } from "./chunk-rows.js";
import { concatColumns, lowerBound, type SampleColumns, sliceColumns } from "./columns.js";
import { SampleStoreError } from "./errors.js";
import type { Interval } from "./intervals.js";
import { readChunksOf, readNewestHeadersOf } from "./many-devices.js";
import type { SqlClient } from "./sql-client.js";

/** Number of watched chunks: the newest one, and at least 15 minutes before it. */
const WATCHED_CHUNKS = 4;

/**
 * Number of samples of a device whose times are compared, 120 kB: enough for the watched chunks at up to 25 Hz. In the other chunks,
 * only samples after the last known one are found.
 */
const COMPARED_SAMPLES = 30_000;

/** Number of samples in the payloads that one statement reads, unless a single chunk has more: about 2 MB. */
const SAMPLES_PER_STATEMENT = 200_000;

/** Samples of a chunk at the last poll. */
interface KnownChunk {
  startMs: number;
  stopMs: number;
  size: number;
  /**
   * Times relative to the start of the bucket, ms, ascending. They need half the memory of absolute times. Null if they are not
   * compared.
   */
  offsets: Int32Array | null;
}

/** Immutable state of a device at the last poll. */
export interface KnownSamples {
  /** First watched bucket. Samples in earlier buckets are not read. */
  firstBucket: number;
  chunks: ReadonlyMap<number, KnownChunk>;
}

/** A device to poll. */
export interface WatchedDevice {
  deviceId: number;
  /** Times of the wanted samples: closed, ascending, disjoint. The last one may be infinite. */
  times: readonly Interval[];
  /** Result of the last poll; null for the first one, which finds all samples of the newest chunks. */
  known: KnownSamples | null;
}

export interface AddedSamples {
  /** New samples with ascending times, in a separate buffer. */
  samples: SampleColumns;
  /** State for the next poll. */
  known: KnownSamples;
}

interface Polling {
  /** Maximum number of samples of a device; the newest ones are returned. */
  limit: number;
  /** Called for each chunk that cannot be read. The poll omits the chunk until it changes. */
  onDamaged?: (error: SampleStoreError) => void;
  /** Aborts the poll, which then has no result. */
  signal?: AbortSignal;
}

/**
 * Returns the samples of devices that were stored since the last poll, if their times are within the newest chunks of the device.
 * Compares the chunks with their known state, because a load may add samples with earlier times to any chunk. Does not detect a
 * heart rate that fills a missing one. One statement reads the headers of up to 50 devices, and another one their changed chunks.
 *
 * @param devices each once
 * @throws SampleStoreError `CORRUPT_CHUNK` without `onDamaged`
 */
export async function addedSamples(
  client: SqlClient,
  devices: readonly WatchedDevice[],
  { limit, onDamaged, signal }: Polling,
): Promise<Map<number, AddedSamples>> {
  const spans = devices.map(({ deviceId, times, known }) => ({
    deviceId,
    first: Math.max(known?.firstBucket ?? Number.NEGATIVE_INFINITY, bucketOf(times[0]?.startMs ?? 0)),
    last: bucketOf(Math.min(times.at(-1)?.stopMs ?? 0, Number.MAX_SAFE_INTEGER)),
  }));
  const headers = await readNewestHeadersOf(client, spans, WATCHED_CHUNKS);
  const additions = new Map(
    devices.map((device, index) => {
      const own = headers.get(device.deviceId) ?? [];
      return [device.deviceId, new Additions(device, spans[index]?.first ?? 0, own, limit)] as const;
    }),
  );
  let rest = [...additions.values()].flatMap((own) => own.changed.map((header) => ({ own, header })));
  while (rest.length > 0 && !signal?.aborted) {
    const group: typeof rest = [];
    for (let size = 0; rest[0] !== undefined; rest = rest.slice(1)) {
      const [{ own, header }] = rest as [(typeof rest)[0]];
      size += header.size;
      if (group.length > 0 && size > SAMPLES_PER_STATEMENT) break;
      if (own.skip(header)) size -= header.size;
      else group.push(rest[0]);
    }
    const buckets = new Map<number, number[]>();
    for (const { own, header } of group) {
      const { deviceId } = own.device;
      buckets.set(deviceId, [...(buckets.get(deviceId) ?? []), header.bucket]);
    }
    const rows = await readChunksOf(
      client,
      [...buckets].map(([deviceId, wanted]) => ({ deviceId, buckets: wanted })),
    );
    for (const { own, header } of group) {
      if (signal?.aborted) break;
      const chunks = rows.get(own.device.deviceId);
      const index = chunks?.findIndex(({ bucket }) => bucket === header.bucket) ?? -1;
      // Retention may have removed the chunk.
      const [row] = index < 0 ? [] : (chunks?.splice(index, 1) ?? []);
      if (row === undefined) continue;
      try {
        own.add(row);
      } catch (error) {
        if (onDamaged === undefined || !(error instanceof SampleStoreError)) throw error;
        onDamaged(error);
        own.leaveOut(row);
      }
      // Decoding a chunk takes up to a few milliseconds.
      await nextEventLoopTurn();
    }
  }
  return new Map(signal?.aborted ? [] : [...additions].map(([device, own]) => [device, own.found()]));
}

const isKnown = ({ startMs, stopMs, size }: ChunkHeader, before: KnownChunk | undefined): boolean =>
  before?.startMs === startMs && before.stopMs === stopMs && before.size === size;

/** Result of a poll for a device. Takes the changed chunks one after another, newest first. */
class Additions {
  readonly device: WatchedDevice;
  /** Changed chunks, newest first. */
  readonly changed: readonly ChunkHeader[];
  readonly #firstBucket: number;
  readonly #limit: number;
  /** Buckets of chunks whose times are compared. */
  readonly #compared = new Set<number>();
  readonly #chunks = new Map<number, KnownChunk>();
  /** New samples of the decoded chunks, newest first. */
  readonly #parts: SampleColumns[] = [];
  #count = 0;

  /** @param headers of the newest chunks, newest first */
  constructor(device: WatchedDevice, firstBucket: number, headers: readonly ChunkHeader[], limit: number) {
    this.device = device;
    this.#limit = limit;
    const oldest = headers.at(-1);
    const isFull = headers.length === WATCHED_CHUNKS && oldest !== undefined;
    this.#firstBucket = isFull ? oldest.bucket : firstBucket;
    let size = 0;
    for (const header of headers) {
      const { bucket } = header;
      size += header.size;
      const isCompared = size <= COMPARED_SAMPLES;
      if (isCompared) this.#compared.add(bucket);
      const before = device.known?.chunks.get(bucket);
      if (before !== undefined) this.#chunks.set(bucket, isCompared ? before : { ...before, offsets: null });
    }
    this.changed = headers.filter((header) => !isKnown(header, device.known?.chunks.get(header.bucket)));
  }

  /** Whether the payload of a changed chunk is not needed. If so, marks the chunk as known. */
  skip(header: ChunkHeader): boolean {
    if (this.#compared.has(header.bucket)) return false;
    const before = this.#chunks.get(header.bucket);
    if (this.#count < this.#limit && before?.stopMs !== header.stopMs) return false;
    this.leaveOut(header);
    return true;
  }

  leaveOut({ bucket, startMs, stopMs, size }: ChunkHeader): void {
    this.#chunks.set(bucket, { startMs, stopMs, size, offsets: null });
  }

  /** @throws SampleStoreError `CORRUPT_CHUNK` */
  add(row: ChunkHeader): void {
    const { bucket, startMs, stopMs, size } = row;
    const samples = decodeRow(this.device.deviceId, row);
    const { timestampMs } = samples;
    const before = this.#chunks.get(bucket);
    const offsets = this.#compared.has(bucket)
      ? Int32Array.from(timestampMs, (timeMs) => timeMs - bucketStartMs(bucket))
      : null;
    const pieces = [
      ...(offsets !== null && before?.offsets !== null
        ? withoutKnown(samples, offsets, before?.offsets ?? new Int32Array(0))
        : [sliceColumns(samples, lowerBound(timestampMs, size, (before?.stopMs ?? startMs - 1) + 1), size)]),
    ];
    for (const piece of pieces.reverse()) {
      for (const part of piecesIn(piece, this.device.times).reverse()) {
        const count = Math.min(part.length, this.#limit - this.#count);
        if (count === 0) continue;
        this.#count += count;
        // A view would keep all samples of the chunk in memory.
        this.#parts.push(concatColumns([sliceColumns(part, part.length - count, part.length)]));
      }
    }
    this.#chunks.set(bucket, { startMs, stopMs, size, offsets });
  }

  found(): AddedSamples {
    const samples = concatColumns(this.#parts.toReversed());
    return { samples, known: { firstBucket: this.#firstBucket, chunks: this.#chunks } };
  }
}

/** Returns views of the pieces of samples within closed, ascending, disjoint times. */
export const piecesIn = (samples: SampleColumns, times: readonly Interval[]): SampleColumns[] =>
  times
    .map(({ startMs, stopMs }) =>
      sliceColumns(
        samples,
        lowerBound(samples.timestampMs, samples.length, startMs),
        lowerBound(samples.timestampMs, samples.length, stopMs + 1),
      ),
    )
    .filter((piece) => piece.length > 0);

/**
 * Returns the samples whose offsets are not in `before`, as pieces of successive samples. Both lists of offsets are ascending.
 */
function* withoutKnown(
  samples: SampleColumns,
  offsets: Int32Array,
  before: Int32Array,
): Generator<SampleColumns> {
  let from = 0;
  let at = 0;
  for (let i = 0; i < offsets.length; i++) {
    const offset = offsets[i] ?? 0;
    while (at < before.length && (before[at] ?? 0) < offset) at++;
    if (before[at] !== offset) continue;
    if (i > from) yield sliceColumns(samples, from, i);
    from = i + 1;
  }
  if (from < offsets.length) yield sliceColumns(samples, from, offsets.length);
}
