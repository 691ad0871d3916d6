import { bucketOf } from "./bucket.js";
import { decodeChunk } from "./codec.js";
import type { SampleColumns } from "./columns.js";
import { SampleStoreError } from "./errors.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/**
 * Payloads travel as base64 text: with bytea the two drivers differ in type and speed (PGlite formats and parses it
 * digit by digit in JavaScript, slower than all the rest of a load together).
 */
const PAYLOAD_AS_TEXT = "encode(payload, 'base64')";

/** What a chunk's row says about its samples without decoding them. */
export interface ChunkHeader {
  bucket: number;
  /** First sample, ms since 1970 UTC. */
  startMs: number;
  /** Last sample, ms since 1970 UTC. */
  stopMs: number;
  /** Number of samples. */
  size: number;
  /** The payload in base64; null when it was not asked for. */
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

interface ChunkRow {
  bucket: SqlBigint;
  start_ms: SqlBigint;
  stop_ms: SqlBigint;
  n: number;
  payload: string | null;
}

interface PackedHeaders {
  headers: string | null;
  payloads: string | null;
}

/** What a header takes: its first sample in eight bytes, the time to its last in four, its size in four; big-endian. */
const PACKED_HEADER_BYTES = 16;
const PACKED_HEADER = "int8send(start_ms) || int4send((stop_ms - start_ms)::integer) || int4send(n)";

/**
 * Headers of one device's chunks, ascending, from bucket `first` to `last`, both included.
 *
 * They come as one row of bytes: the 4032 headers of 14 days without a break take less than half the time of arrays in
 * text, and those took between an eighth and a half of that of rows. All of it is one statement, so that headers and
 * payloads are of one state.
 *
 * @param withPayload buckets whose payload comes along, or "all"
 */
export async function readHeaders(
  client: SqlClient,
  deviceId: number,
  first: number,
  last: number,
  withPayload: readonly number[] | "all",
): Promise<ChunkHeader[]> {
  const all = withPayload === "all";
  const span = "device_id = $1 AND bucket BETWEEN $2 AND $3";
  const { rows } = await client.query<PackedHeaders>(
    `SELECT encode(string_agg(${PACKED_HEADER}, '' ORDER BY bucket), 'base64') AS headers,
       (SELECT string_agg(${PAYLOAD_AS_TEXT}, ',' ORDER BY bucket) FROM sample_chunks
        WHERE ${all ? span : "device_id = $1 AND bucket = ANY($4::bigint[])"}) AS payloads
     FROM sample_chunks WHERE ${span}`,
    all ? [deviceId, first, last] : [deviceId, first, last, withPayload],
  );
  const headers = unpackHeaders(rows[0]?.headers ?? "");
  const payloads = rows[0]?.payloads?.split(",") ?? [];
  const withPayloadSet = new Set(all ? [] : withPayload);
  let nextPayload = 0;
  for (const header of headers) {
    if (all || withPayloadSet.has(header.bucket)) header.payload = payloads[nextPayload++] ?? null;
  }
  return headers;
}

/** Headers without payloads. */
function unpackHeaders(packed: string): ChunkHeader[] {
  const bytes = Buffer.from(packed, "base64");
  return Array.from({ length: bytes.length / PACKED_HEADER_BYTES }, (_, i) => {
    const at = i * PACKED_HEADER_BYTES;
    const startMs = bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
    return {
      bucket: bucketOf(startMs),
      startMs,
      stopMs: startMs + bytes.readInt32BE(at + 8),
      size: bytes.readInt32BE(at + 12),
      payload: null,
    };
  });
}

/** Chunks of one device with their payloads: those of `buckets` that are there, ascending. */
export async function readChunks(
  client: SqlClient,
  deviceId: number,
  buckets: readonly number[],
): Promise<ChunkHeader[]> {
  if (buckets.length === 0) return [];
  const { rows } = await client.query<ChunkRow>(
    `SELECT bucket, start_ms, stop_ms, n, ${PAYLOAD_AS_TEXT} AS payload FROM sample_chunks
     WHERE device_id = $1 AND bucket = ANY($2::bigint[]) ORDER BY bucket`,
    [deviceId, buckets],
  );
  return rows.map(toHeader);
}

/** The first `limit` chunks of one device from bucket `first` to `last`, both included, with their payloads. */
export async function readChunksInOrder(
  client: SqlClient,
  deviceId: number,
  first: number,
  last: number,
  limit: number,
): Promise<ChunkHeader[]> {
  const { rows } = await client.query<ChunkRow>(
    `SELECT bucket, start_ms, stop_ms, n, ${PAYLOAD_AS_TEXT} AS payload FROM sample_chunks
     WHERE device_id = $1 AND bucket BETWEEN $2 AND $3 ORDER BY bucket LIMIT $4`,
    [deviceId, first, last, limit],
  );
  return rows.map(toHeader);
}

/** Chunks that mostly hold the newest samples: the last may have just begun, the one before it is full. */
const FEW_CHUNKS = 2;

/** The newest chunks of one device from bucket `first` on, as many as hold `size` samples, newest first. */
export async function readNewestChunks(
  client: SqlClient,
  deviceId: number,
  first: number,
  size: number,
): Promise<ChunkHeader[]> {
  const newest = await readNewestOf(FEW_CHUNKS, client, deviceId, first, size);
  const isEnough = newest.length < FEW_CHUNKS || newest.reduce((sum, chunk) => sum + chunk.size, 0) >= size;
  // A chunk holds at least one sample, so `size` chunks always suffice.
  return isEnough ? newest : readNewestOf(size, client, deviceId, first, size);
}

/** Of the newest `limit` chunks those that hold the newest `size` samples. */
async function readNewestOf(
  limit: number,
  client: SqlClient,
  deviceId: number,
  first: number,
  size: number,
): Promise<ChunkHeader[]> {
  const { rows } = await client.query<ChunkRow>(
    `SELECT bucket, start_ms, stop_ms, n, ${PAYLOAD_AS_TEXT} AS payload FROM (
       SELECT *, sum(n) OVER (ORDER BY bucket DESC) - n AS newer FROM (
         SELECT bucket, start_ms, stop_ms, n, payload FROM sample_chunks
         WHERE device_id = $1 AND bucket >= $2 ORDER BY bucket DESC LIMIT $3
       ) AS newest
     ) AS counted
     WHERE newer < $4 ORDER BY bucket DESC`,
    [deviceId, first, limit, size],
  );
  return rows.map(toHeader);
}

/** Writes chunks whole, over those of the same buckets, and marks them as added to now. */
export async function writeChunks(
  client: SqlClient,
  deviceId: number,
  chunks: readonly EncodedChunk[],
): Promise<void> {
  await client.query(
    `INSERT INTO sample_chunks (device_id, bucket, start_ms, stop_ms, n, payload, stored_at)
     SELECT $1::bigint, bucket, start_ms, stop_ms, n, decode(payload, 'base64'), now()
     FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], $6::text[])
       AS chunk (bucket, start_ms, stop_ms, n, payload)
     ON CONFLICT (device_id, bucket) DO UPDATE SET start_ms = excluded.start_ms, stop_ms = excluded.stop_ms,
       n = excluded.n, payload = excluded.payload, stored_at = excluded.stored_at`,
    [
      deviceId,
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

/** Writes what is left of a chunk that is there. Retention goes on to count from when its samples were stored. */
export async function cutChunk(client: SqlClient, deviceId: number, chunk: EncodedChunk): Promise<void> {
  const { bucket, startMs, stopMs, size, payload } = chunk;
  await client.query(
    `UPDATE sample_chunks SET start_ms = $3, stop_ms = $4, n = $5, payload = decode($6, 'base64')
     WHERE device_id = $1 AND bucket = $2`,
    [deviceId, bucket, startMs, stopMs, size, toBase64(payload)],
  );
}

/**
 * The samples of a chunk that was read with its payload.
 *
 * @throws SampleStoreError `CORRUPT_CHUNK` when the payload is damaged, or its samples are not those of its header
 */
export function decodeRow(deviceId: number, header: ChunkHeader): SampleColumns {
  const { bucket, payload } = header;
  let why = "it was read without its payload";
  let cause: unknown;
  if (payload !== null) {
    try {
      const columns = decodeChunk(Buffer.from(payload, "base64"), bucket);
      if (
        columns.length === header.size &&
        columns.timestampMs[0] === header.startMs &&
        columns.timestampMs[columns.length - 1] === header.stopMs
      )
        return columns;
      why = "its samples are not those of its row";
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

function toHeader(row: ChunkRow): ChunkHeader {
  return {
    bucket: Number(row.bucket),
    startMs: Number(row.start_ms),
    stopMs: Number(row.stop_ms),
    size: row.n,
    payload: row.payload,
  };
}
