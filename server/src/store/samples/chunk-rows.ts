import { samplesOf } from "../placement/sample-device.js";
import { decodeChunk } from "./codec.js";
import type { SampleColumns } from "./columns.js";
import { SampleStoreError } from "./errors.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/*
 * The table sample_chunks: a row has the samples of one device in one bucket of 5 minutes.
 *
 * - `bucket`: floor(timestamp in ms / 300,000)
 * - `start_ms`, `stop_ms`, `n`: first and last time (ms since 1970 UTC) and number of the samples in `payload`
 * - `payload`: the samples (`encodeChunk`), stored as `EXTERNAL`, because they are already compressed
 * - `stored_at`: time of the last addition, which is the start of the retention period
 *
 * The primary key starts with the device, which determines the server of a row if the table is distributed (`../sample-servers`),
 * and includes the three columns from which counts, pages and ranges are computed.
 *
 * Every statement on the samples of a device has `samplesOf(deviceId)` as a parameter, so that it runs on one server, and is not sent while this server is unreachable. A distributed table has no unique index, so statements cannot use ON CONFLICT. They use keys instead of LIMIT to limit the rows that a server returns.
 */

/**
 * Queries return payloads as base64 text, because PGlite returns a different type for bytea and converts it slowly.
 */
export const PAYLOAD_AS_TEXT = "encode(payload, 'base64')";

/** Properties of a chunk in its row, available without decoding the samples. */
export interface ChunkHeader {
  bucket: number;
  /** First sample, ms since 1970 UTC. */
  startMs: number;
  /** Last sample, ms since 1970 UTC. */
  stopMs: number;
  /** Number of samples. */
  size: number;
  /** Payload in base64; null if it was not read. */
  payload: string | null;
}

/** A chunk to write. */
export interface EncodedChunk {
  bucket: number;
  startMs: number;
  stopMs: number;
  size: number;
  payload: Uint8Array;
}

/** A chunk as the drivers return it. */
export interface ChunkRow {
  bucket: SqlBigint;
  start_ms: SqlBigint;
  stop_ms: SqlBigint;
  n: number;
  payload: string | null;
}

/** Returns the existing chunks of `buckets` of one device with their payloads, ascending. */
export async function readChunks(
  client: SqlClient,
  deviceId: number,
  buckets: readonly number[],
): Promise<ChunkHeader[]> {
  if (buckets.length === 0) return [];
  const { rows } = await client.query<ChunkRow>(
    `SELECT bucket, start_ms, stop_ms, n, ${PAYLOAD_AS_TEXT} AS payload FROM sample_chunks
     WHERE device_id = $1 AND bucket = ANY($2::bigint[]) ORDER BY bucket`,
    [samplesOf(deviceId), buckets],
  );
  return rows.map(toHeader);
}

/** Maximum size of a batch of chunks. */
export interface BatchBounds {
  chunks: number;
  /** A batch has at least one chunk, even if it has more samples. */
  samples: number;
}

/**
 * Returns the first chunks of one device from bucket `first` to `last`, both inclusive, within the bounds, with their payloads.
 * Chunks may follow them even if there are fewer than `chunks`.
 */
export async function readBatchInOrder(
  client: SqlClient,
  deviceId: number,
  first: number,
  last: number,
  { chunks, samples }: BatchBounds,
): Promise<ChunkHeader[]> {
  const { rows } = await client.query<ChunkRow>(
    `SELECT bucket, start_ms, stop_ms, n, ${PAYLOAD_AS_TEXT} AS payload FROM sample_chunks
     WHERE device_id = $1 AND bucket = ANY(ARRAY(
       SELECT bucket FROM (
         SELECT bucket, n, sum(n) OVER (ORDER BY bucket) AS through FROM (
           SELECT bucket, n FROM sample_chunks
           WHERE device_id = $1 AND bucket BETWEEN $2 AND $3 ORDER BY bucket LIMIT $4
         ) AS next
       ) AS counted WHERE through <= $5 OR through = n
     )) ORDER BY bucket`,
    [samplesOf(deviceId), first, last, chunks, samples],
  );
  return rows.map(toHeader);
}

/** Returns the first `limit` chunks of one device from bucket `first` to `last`, both inclusive, with their payloads. */
export async function readChunksInOrder(
  client: SqlClient,
  deviceId: number,
  first: number,
  last: number,
  limit: number,
): Promise<ChunkHeader[]> {
  const { rows } = await client.query<ChunkRow>(
    `SELECT bucket, start_ms, stop_ms, n, ${PAYLOAD_AS_TEXT} AS payload FROM sample_chunks
     WHERE device_id = $1 AND bucket = ANY(ARRAY(
       SELECT bucket FROM sample_chunks WHERE device_id = $1 AND bucket BETWEEN $2 AND $3 ORDER BY bucket LIMIT $4
     )) ORDER BY bucket`,
    [samplesOf(deviceId), first, last, limit],
  );
  return rows.map(toHeader);
}

/**
 * Number of chunks that usually contain the newest samples. The last chunk may have few samples, and the chunk before
 * it is full.
 */
const FEW_CHUNKS = 2;

/** Returns the newest chunks of one device from bucket `first` that together contain `size` samples, newest first. */
export async function readNewestChunks(
  client: SqlClient,
  deviceId: number,
  first: number,
  size: number,
): Promise<ChunkHeader[]> {
  const newest = await readNewestOf(FEW_CHUNKS, client, deviceId, first, size);
  const isEnough = newest.length < FEW_CHUNKS || newest.reduce((sum, chunk) => sum + chunk.size, 0) >= size;
  // A chunk has at least one sample, so `size` chunks are always enough.
  return isEnough ? newest : readNewestOf(size, client, deviceId, first, size);
}

/** Returns the chunks among the newest `limit` that contain the newest `size` samples. */
async function readNewestOf(
  limit: number,
  client: SqlClient,
  deviceId: number,
  first: number,
  size: number,
): Promise<ChunkHeader[]> {
  const { rows } = await client.query<ChunkRow>(
    `SELECT bucket, start_ms, stop_ms, n, ${PAYLOAD_AS_TEXT} AS payload FROM sample_chunks
     WHERE device_id = $1 AND bucket = ANY(ARRAY(
       SELECT bucket FROM (
         SELECT bucket, sum(n) OVER (ORDER BY bucket DESC) - n AS newer FROM (
           SELECT bucket, n FROM sample_chunks
           WHERE device_id = $1 AND bucket >= $2 ORDER BY bucket DESC LIMIT $3
         ) AS newest
       ) AS counted WHERE newer < $4
     )) ORDER BY bucket DESC`,
    [samplesOf(deviceId), first, limit, size],
  );
  return rows.map(toHeader);
}

/**
 * Writes complete chunks and sets the time of their last addition to now. The caller must hold the lock of the device's samples.
 * @param replaced buckets with existing chunks, which are replaced
 */
export async function writeChunks(
  client: SqlClient,
  deviceId: number,
  chunks: readonly EncodedChunk[],
  replaced: readonly number[],
): Promise<void> {
  if (replaced.length > 0) {
    await client.query("DELETE FROM sample_chunks WHERE device_id = $1 AND bucket = ANY($2::bigint[])", [
      samplesOf(deviceId),
      replaced,
    ]);
  }
  await client.query(
    `INSERT INTO sample_chunks (device_id, bucket, start_ms, stop_ms, n, payload, stored_at)
     SELECT $1::bigint, bucket, start_ms, stop_ms, n, decode(payload, 'base64'), now()
     FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], $6::text[])
       AS chunk (bucket, start_ms, stop_ms, n, payload)`,
    [
      samplesOf(deviceId),
      chunks.map((chunk) => chunk.bucket),
      chunks.map((chunk) => chunk.startMs),
      chunks.map((chunk) => chunk.stopMs),
      chunks.map((chunk) => chunk.size),
      chunks.map(({ payload }) => toBase64(payload)),
    ],
  );
}

const toBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

/** Writes the remaining samples of an existing chunk. The retention period still starts at the time when they were stored. */
export async function updateChunk(client: SqlClient, deviceId: number, chunk: EncodedChunk): Promise<void> {
  const { bucket, startMs, stopMs, size, payload } = chunk;
  await client.query(
    `UPDATE sample_chunks SET start_ms = $3, stop_ms = $4, n = $5, payload = decode($6, 'base64')
     WHERE device_id = $1 AND bucket = $2`,
    [samplesOf(deviceId), bucket, startMs, stopMs, size, toBase64(payload)],
  );
}

/**
 * Returns the samples of a chunk that was read with its payload.
 * @param room columns of zeros for the samples; default: new columns
 * @throws SampleStoreError `CORRUPT_CHUNK` when the payload is damaged, or its samples do not match its header
 */
export function decodeRow(deviceId: number, header: ChunkHeader, room?: SampleColumns): SampleColumns {
  const { bucket, payload } = header;
  let why = "it was read without its payload";
  let cause: unknown;
  if (payload !== null) {
    try {
      const columns = decodeChunk(Buffer.from(payload, "base64"), bucket, room);
      if (
        columns.length === header.size &&
        columns.timestampMs[0] === header.startMs &&
        columns.timestampMs[columns.length - 1] === header.stopMs
      )
        return columns;
      why = "its samples do not match its row";
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
      cause = error;
    }
  }
  throw new SampleStoreError("CORRUPT_CHUNK", `Device ${deviceId}, bucket ${bucket}: ${why}`, {
    deviceId,
    bucket,
    cause,
  });
}

export function toHeader(row: ChunkRow): ChunkHeader {
  return {
    bucket: Number(row.bucket),
    startMs: Number(row.start_ms),
    stopMs: Number(row.stop_ms),
    size: row.n,
    payload: row.payload,
  };
}
