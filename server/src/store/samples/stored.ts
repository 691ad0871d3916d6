import { samplesOf } from "../placement/sample-device.js";
import { bucketOf } from "./bucket.js";
import { type ChunkHeader, decodeRow, readChunksInOrder } from "./chunk-rows.js";
import type { SampleColumns } from "./columns.js";
import type { Interval } from "./intervals.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/** A chunk as stored, to be decoded elsewhere, such as in another thread. */
export type StoredChunk = ChunkHeader;

/** Number of chunks that one statement reads: a day, 3.5 MB at 10 Hz. Other statements run between two reads. */
const CHUNKS_PER_STATEMENT = 288;

/**
 * Yields the chunks of a device that overlap the closed interval, ascending. They may contain samples outside it. A separate
 * statement reads each batch.
 */
export async function readStored(
  client: SqlClient,
  deviceId: number,
  { startMs, stopMs }: Interval,
): Promise<StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  const last = bucketOf(stopMs);
  for (let first = bucketOf(startMs); first <= last; ) {
    const batch = await readChunksInOrder(client, deviceId, first, last, CHUNKS_PER_STATEMENT);
    chunks.push(...batch);
    if (batch.length < CHUNKS_PER_STATEMENT) break;
    first = (batch.at(-1)?.bucket ?? last) + 1;
  }
  return chunks;
}

/** Returns the number of samples of the chunks that `readStored` returns. Reads only the index. */
export async function countStored(
  client: SqlClient,
  deviceId: number,
  { startMs, stopMs }: Interval,
): Promise<number> {
  const { rows } = await client.query<{ samples: SqlBigint }>(
    `SELECT coalesce(sum(n), 0)::bigint AS samples FROM sample_chunks
     WHERE device_id = $1 AND bucket BETWEEN $2 AND $3`,
    [samplesOf(deviceId), bucketOf(startMs), bucketOf(stopMs)],
  );
  return Number(rows[0]?.samples ?? 0);
}

/** @throws SampleStoreError `CORRUPT_CHUNK` */
export const decodeStored = (deviceId: number, chunk: StoredChunk): SampleColumns =>
  decodeRow(deviceId, chunk);
