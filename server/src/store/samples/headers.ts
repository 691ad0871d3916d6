import { samplesOf } from "../placement/sample-device.js";
import { bucketOf } from "./bucket.js";
import { type ChunkHeader, PAYLOAD_AS_TEXT } from "./chunk-rows.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

interface PackedHeaders {
  headers: string | null;
  payloads: string | null;
}

type PackedHeadersOfDevice = PackedHeaders & { device_id: SqlBigint };

/** A device, and the buckets whose payloads are also read. */
export interface DeviceHeaders {
  deviceId: number;
  payloadsOf: readonly number[];
}

/** Size of a packed header, big-endian: time of the first sample (8), time to the last sample (4), number of samples (4). */
const PACKED_HEADER_BYTES = 16;
const PACKED_HEADER = "int8send(start_ms) || int4send((stop_ms - start_ms)::integer) || int4send(n)";
const PACKED_HEADERS = `encode(string_agg(${PACKED_HEADER}, '' ORDER BY bucket), 'base64') AS headers`;
const PAYLOADS = `string_agg(bucket || ' ' || ${PAYLOAD_AS_TEXT}, ',') AS payloads`;

/** Payloads that `readHeaders` also reads. */
export type WantedPayloads =
  | "all"
  | {
      buckets: readonly number[];
      /** Chunks with samples at these positions among all samples of the span, from 0; `to` is excluded. */
      positions?: { from: number; to: number };
    };

/**
 * Returns the headers of one device's chunks, ascending, from bucket `first` to `last`, both inclusive.
 *
 * Reads the headers as one row of bytes. For the 4032 headers of 14 days without a break, this takes less than half as
 * long as text arrays, which take between an eighth and a half as long as rows. One statement reads headers and
 * payloads, so both are from the same snapshot.
 */
export async function readHeaders(
  client: SqlClient,
  deviceId: number,
  first: number,
  last: number,
  wanted: WantedPayloads,
): Promise<ChunkHeader[]> {
  const span = "device_id = $1 AND bucket BETWEEN $2 AND $3";
  const { condition, params } = payloadCondition(span, wanted);
  const { rows } = await client.query<PackedHeaders>(
    `SELECT ${PACKED_HEADERS}, (SELECT ${PAYLOADS} FROM sample_chunks WHERE ${condition}) AS payloads
     FROM sample_chunks WHERE ${span}`,
    [samplesOf(deviceId), first, last, ...params],
  );
  return unpackHeaders(rows[0]);
}

/**
 * Returns the headers of the chunks of several devices like `readHeaders`, in one statement. Unlike a SELECT for each device (see
 * `many-devices.ts`), it is planned in less than a millisecond.
 * @param devices each once
 * @returns function that unpacks the headers of a device; 10,000 headers take a millisecond
 */
export async function readHeadersOf(
  client: SqlClient,
  devices: readonly DeviceHeaders[],
  first: number,
  last: number,
): Promise<(deviceId: number) => ChunkHeader[]> {
  if (devices.length === 0) return () => [];
  const edges = devices.flatMap(({ deviceId, payloadsOf }) =>
    payloadsOf.map((bucket) => ({ deviceId, bucket })),
  );
  const ids = devices.map((_, i) => `$${i + 5}`).join(", ");
  const { rows } = await client.query<PackedHeadersOfDevice>(
    `SELECT device_id, headers, payloads FROM (
       SELECT device_id, ${PACKED_HEADERS} FROM sample_chunks
       WHERE device_id IN (${ids}) AND bucket BETWEEN $1 AND $2 GROUP BY device_id
     ) AS packed LEFT JOIN (
       SELECT device_id, ${PAYLOADS} FROM sample_chunks JOIN unnest($3::bigint[], $4::bigint[]) AS edge (device_id, bucket)
         USING (device_id, bucket) GROUP BY device_id
     ) AS cut USING (device_id)`,
    [
      first,
      last,
      edges.map(({ deviceId }) => deviceId),
      edges.map(({ bucket }) => bucket),
      ...devices.map(({ deviceId }) => samplesOf(deviceId)),
    ],
  );
  const packed = new Map(rows.map((row) => [Number(row.device_id), row]));
  return (deviceId) => unpackHeaders(packed.get(deviceId));
}

/** @param span condition of the headers, with the parameters $1 to $3 */
function payloadCondition(span: string, wanted: WantedPayloads): { condition: string; params: unknown[] } {
  if (wanted === "all") return { condition: span, params: [] };
  const { buckets, positions } = wanted;
  if (positions === undefined) {
    return { condition: "device_id = $1 AND bucket = ANY($4::bigint[])", params: [buckets] };
  }
  const { from, to } = positions;
  return {
    condition: `device_id = $1 AND bucket = ANY($4::bigint[] || ARRAY(
         SELECT bucket FROM (
           SELECT bucket, n, sum(n) OVER (ORDER BY bucket) AS through FROM sample_chunks WHERE ${span}
         ) AS counted WHERE through > $5::bigint AND through - n < $6::bigint
       ))`,
    params: [buckets, ...[from, to].map((position) => Math.min(position, Number.MAX_SAFE_INTEGER))],
  };
}

function bucketAndPayload(text: string): [number, string] {
  const space = text.indexOf(" ");
  return [Number(text.slice(0, space)), text.slice(space + 1)];
}

/** Decodes packed headers, with the payloads that were read. */
function unpackHeaders(
  { headers, payloads }: PackedHeaders = { headers: null, payloads: null },
): ChunkHeader[] {
  const bytes = Buffer.from(headers ?? "", "base64");
  const payloadOf = new Map(payloads?.split(",").map(bucketAndPayload));
  return Array.from({ length: bytes.length / PACKED_HEADER_BYTES }, (_, i) => {
    const at = i * PACKED_HEADER_BYTES;
    const startMs = bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
    const bucket = bucketOf(startMs);
    return {
      bucket,
      startMs,
      stopMs: startMs + bytes.readInt32BE(at + 8),
      size: bytes.readInt32BE(at + 12),
      payload: payloadOf.get(bucket) ?? null,
    };
  });
}
