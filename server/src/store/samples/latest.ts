import { samplesOf } from "../placement/sample-device.js";
import { bucketOf } from "./bucket.js";
import { decodeRow, readNewestChunks } from "./chunk-rows.js";
import { concatColumns, lowerBound, reverseColumns, type SampleColumns, sliceColumns } from "./columns.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/**
 * Returns the newest samples of a device with strictly **descending** times.
 *
 * @param fromMs the earliest time (ms since 1970 UTC): the start of the caller's ownership
 * @param size   maximum number of samples, from 1
 * @throws SampleStoreError `CORRUPT_CHUNK`
 */
export async function latestSamples(
  client: SqlClient,
  deviceId: number,
  fromMs: number,
  size: number,
): Promise<SampleColumns> {
  const parts: SampleColumns[] = [];
  let missing = size;
  for (const header of await readNewestChunks(client, deviceId, bucketOf(fromMs), size)) {
    const samples = decodeRow(deviceId, header);
    const first = lowerBound(samples.timestampMs, samples.length, fromMs);
    const part = sliceColumns(samples, Math.max(first, samples.length - missing), samples.length);
    parts.push(reverseColumns(part));
    missing -= part.length;
  }
  return concatColumns(parts);
}

/** Returns the time of the newest sample of a device at or after `fromMs` (both ms since 1970 UTC); null if there is none. */
export async function latestTimestamp(
  client: SqlClient,
  deviceId: number,
  fromMs: number,
): Promise<number | null> {
  const { rows } = await client.query<{ stop_ms: SqlBigint }>(
    `SELECT stop_ms FROM sample_chunks WHERE device_id = $1 AND bucket >= $2 ORDER BY bucket DESC LIMIT 1`,
    [samplesOf(deviceId), bucketOf(fromMs)],
  );
  const stopMs = Number(rows[0]?.stop_ms ?? Number.NEGATIVE_INFINITY);
  return stopMs >= fromMs ? stopMs : null;
}
