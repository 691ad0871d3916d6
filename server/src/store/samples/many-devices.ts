import { samplesOf } from "../placement/sample-device.js";
import { type ChunkHeader, type ChunkRow, PAYLOAD_AS_TEXT, toHeader } from "./chunk-rows.js";
import type { SqlClient } from "./sql-client.js";

/*
 * Reads chunks of many devices in one statement: a SELECT for each device, joined by UNION ALL. Each SELECT has its device as a
 * parameter, so it uses the index and runs on the server of the device. A join with a list of devices cannot be limited to the
 * newest chunks of each device: if one device was not used for a year, it would read a year of all others.
 */

/** Number of devices in a statement. The payloads of all of them are in memory together. */
const DEVICES_PER_STATEMENT = 50;

type RowOfDevice = ChunkRow & { device_id: string | number | bigint };

/** @param select the SELECT of a device, with the numbers of its parameters */
async function readOf<Device extends { deviceId: number }>(
  client: SqlClient,
  devices: readonly Device[],
  select: (...numbers: string[]) => string,
  paramsOf: (device: Device) => unknown[],
): Promise<Map<number, ChunkHeader[]>> {
  const found = new Map<number, ChunkHeader[]>();
  for (let at = 0; at < devices.length; at += DEVICES_PER_STATEMENT) {
    const params: unknown[] = [];
    const parts = devices.slice(at, at + DEVICES_PER_STATEMENT).map((device) => {
      const own = paramsOf(device);
      const numbers = own.map((_, i) => `$${params.length + i + 1}`);
      params.push(...own);
      return `(${select(...numbers)})`;
    });
    const { rows } = await client.query<RowOfDevice>(parts.join(" UNION ALL "), params);
    for (const row of rows) {
      const id = Number(row.device_id);
      const known = found.get(id);
      if (known === undefined) found.set(id, [toHeader(row)]);
      else known.push(toHeader(row));
    }
  }
  return found;
}

/** Buckets `first` to `last` of a device, both included. */
interface DeviceSpan {
  deviceId: number;
  first: number;
  last: number;
}

/** Returns the headers of the newest `limit` chunks of each device in its span, newest first. Reads only the index. */
export async function readNewestHeadersOf(
  client: SqlClient,
  devices: readonly DeviceSpan[],
  limit: number,
): Promise<Map<number, ChunkHeader[]>> {
  const found = await readOf(
    client,
    devices,
    (device, first, last) =>
      `SELECT device_id, bucket, start_ms, stop_ms, n, NULL AS payload FROM sample_chunks
       WHERE device_id = ${device} AND bucket BETWEEN ${first} AND ${last} ORDER BY bucket DESC LIMIT ${limit}`,
    ({ deviceId, first, last }) => [samplesOf(deviceId), first, last],
  );
  // UNION ALL guarantees no order.
  for (const headers of found.values()) headers.sort((a, b) => b.bucket - a.bucket);
  return found;
}

/** Returns the existing chunks of the buckets of each device with their payloads, ascending. */
export async function readChunksOf(
  client: SqlClient,
  devices: readonly { deviceId: number; buckets: readonly number[] }[],
): Promise<Map<number, ChunkHeader[]>> {
  const found = await readOf(
    client,
    devices.filter(({ buckets }) => buckets.length > 0),
    (device, buckets) =>
      `SELECT device_id, bucket, start_ms, stop_ms, n, ${PAYLOAD_AS_TEXT} AS payload FROM sample_chunks
       WHERE device_id = ${device} AND bucket = ANY(${buckets}::bigint[])`,
    ({ deviceId, buckets }) => [samplesOf(deviceId), buckets],
  );
  for (const chunks of found.values()) chunks.sort((a, b) => a.bucket - b.bucket);
  return found;
}
