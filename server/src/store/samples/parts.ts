import { samplesOf } from "../placement/sample-device.js";
import { bucketOf } from "./bucket.js";
import type { SamplesByBucket } from "./by-bucket.js";
import { MAX_CHUNK_SAMPLES } from "./codec.js";
import type { SampleColumns } from "./columns.js";
import { roomOf } from "./count.js";
import { SampleStoreError } from "./errors.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/**
 * Maximum number of samples that one transaction of a load rewrites, and of their chunks: the new samples, and the stored samples of
 * the chunks that get them. In the embedded database, a transaction blocks all others. Two hours at 10 Hz are one part.
 */
export const MAX_PART_SAMPLES = 100_000;
const MAX_PART_CHUNKS = 64;

/** Number of samples that each recording may rewrite, and number of further ones for each of its own samples. */
const BASE_REWRITTEN = 500_000;
const REWRITTEN_PER_SAMPLE = 25;

/** Maximum number of samples that a recording rewrites. A recording of 48 h at 25 Hz that is loaded a second time has 8.6 million. */
const MAX_REWRITTEN = 10_000_000;

/** Limits the number of samples that a recording rewrites, in all its divided pieces. */
export class RewriteLimit {
  readonly #base: number;
  #own = 0;
  #rewritten = 0;

  /** @param isContinued whether earlier pieces of the recording may have used the number that each recording may rewrite */
  constructor(isContinued = false) {
    this.#base = isContinued ? 0 : BASE_REWRITTEN;
  }

  /** @throws SampleStoreError `TOO_SCATTERED` if the samples would rewrite too many samples for their number */
  add(own: number, rewritten: number, deviceId: number): void {
    this.#own += own;
    this.#rewritten += rewritten;
    const most = Math.min(MAX_REWRITTEN, this.#base + REWRITTEN_PER_SAMPLE * this.#own);
    if (this.#rewritten <= most) return;
    throw new SampleStoreError(
      "TOO_SCATTERED",
      `The recording would rewrite ${this.#rewritten} samples: its own, and those already stored in the same periods of five minutes. At most ${most} are possible for its number of samples. These samples were not stored. Load fewer periods of five minutes at a time.`,
      { deviceId },
    );
  }
}

/** Maximum number of samples of one bucket in a part, in which the whole chunk can be rewritten. */
const MAX_BUCKET_SAMPLES = MAX_PART_SAMPLES - MAX_CHUNK_SAMPLES;

/** Some successive samples by bucket: from inclusive, to exclusive. */
export interface Part {
  from: number;
  to: number;
}

/** Samples of a load, divided into parts to store in separate transactions. */
export interface Division {
  parts: Part[];
  /** Maximum increase of the number that `countSamplesOf` returns. */
  mostRoom: number;
  /** Whether a chunk may get too many samples. */
  mayBeDense: boolean;
}

/**
 * Whether storing the samples in one transaction rewrites few samples, regardless of the stored ones. This is usual for the pieces
 * of a stream.
 */
export function isOnePart(batches: readonly SampleColumns[]): boolean {
  const buckets = new Set<number>();
  let samples = 0;
  for (const { timestampMs, length } of batches) {
    samples += length;
    for (let i = 0; i < length; i++) {
      buckets.add(bucketOf(timestampMs[i] ?? 0));
      if (samples + buckets.size * MAX_CHUNK_SAMPLES > MAX_PART_SAMPLES) return false;
    }
  }
  return true;
}

/**
 * Divides samples of a device into parts, by the numbers of samples that are stored in their buckets.
 * @param limit null if an earlier run has stored parts, which now count as stored samples, so nothing is refused
 * @throws SampleStoreError `TOO_SCATTERED`
 */
export async function divide(
  client: SqlClient,
  deviceId: number,
  samples: SamplesByBucket,
  limit: RewriteLimit | null,
): Promise<Division> {
  const { buckets } = samples;
  const stored = await storedSizes(client, deviceId, buckets);
  const parts: Part[] = [];
  let [rewritten, mostRoom, mayBeDense] = [0, 0, false];
  const inPart = { samples: 0, chunks: 0 };
  for (const [place, bucket] of buckets.entries()) {
    const before = stored.get(bucket) ?? 0;
    const [start, end] = [samples.startOf(place), samples.startOf(place + 1)];
    mostRoom += roomOf(before + end - start) - roomOf(before);
    mayBeDense ||= before + end - start > MAX_CHUNK_SAMPLES;
    for (let from = start; from < end; ) {
      const to = Math.min(end, from + MAX_BUCKET_SAMPLES);
      // An earlier part may have stored the samples before.
      const added = to - from + Math.min(before + from - start, MAX_CHUNK_SAMPLES);
      rewritten += added;
      inPart.samples += added;
      inPart.chunks++;
      const last = parts.at(-1);
      if (last !== undefined && inPart.samples <= MAX_PART_SAMPLES && inPart.chunks <= MAX_PART_CHUNKS)
        last.to = to;
      else {
        parts.push({ from, to });
        inPart.samples = added;
        inPart.chunks = 1;
      }
      from = to;
    }
  }
  limit?.add(samples.startOf(buckets.length), rewritten, deviceId);
  return { parts, mostRoom, mayBeDense };
}

/** Reads the numbers of stored samples by bucket, from the index. */
async function storedSizes(
  client: SqlClient,
  deviceId: number,
  buckets: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await client.query<{ bucket: SqlBigint; n: number }>(
    "SELECT bucket, n FROM sample_chunks WHERE device_id = $1 AND bucket = ANY($2::bigint[])",
    [samplesOf(deviceId), buckets],
  );
  return new Map(rows.map(({ bucket, n }) => [Number(bucket), n]));
}
