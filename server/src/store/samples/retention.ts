import { samplesOf } from "../placement/sample-device.js";
import { lockDeviceSamples } from "./device-lock.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/** A chunk removed by retention. */
export interface RemovedChunk {
  /** First sample, ms since 1970 UTC. */
  startMs: number;
  /** Last sample, ms since 1970 UTC. */
  stopMs: number;
  /** Number of samples. */
  size: number;
}

/**
 * Returns the tables of the chunks: `sample_chunks` itself, or its partitions on several servers.
 * @returns names as SQL
 */
export async function chunkTables(client: SqlClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT relid::text AS name FROM pg_partition_tree('sample_chunks') WHERE isleaf ORDER BY 1",
  );
  // The catalog lists only partitions.
  return rows.length === 0 ? ["sample_chunks"] : rows.map(({ name }) => name);
}

/**
 * Returns the chunks whose last addition is earlier than `before`, oldest first. The retention period starts when samples were
 * stored, not when they were recorded, so that the samples of an old file are not removed after loading.
 *
 * @param table one of `chunkTables`
 * @param limit maximum number of chunks
 * @returns buckets by device
 */
export async function listStoredBefore(
  client: SqlClient,
  table: string,
  before: Date,
  limit: number,
): Promise<Map<number, number[]>> {
  const { rows } = await client.query<Record<"device_id" | "bucket", SqlBigint>>(
    `SELECT device_id, bucket FROM ${table} WHERE stored_at < $1::timestamptz ORDER BY stored_at LIMIT $2`,
    [before.toISOString(), limit],
  );
  const byDevice = new Map<number, number[]>();
  for (const { device_id, bucket } of rows) {
    const buckets = byDevice.get(Number(device_id)) ?? [];
    buckets.push(Number(bucket));
    byDevice.set(Number(device_id), buckets);
  }
  return byDevice;
}

/**
 * Removes the given buckets of a device whose last addition is still earlier than `before`, because a load may have added samples
 * to others. Locks the device, so this transaction and loads of the device wait for each other.
 *
 * @param tx a transaction with the isolation level READ COMMITTED
 */
export async function deleteStoredBefore(
  tx: SqlClient,
  deviceId: number,
  buckets: readonly number[],
  before: Date,
): Promise<RemovedChunk[]> {
  await lockDeviceSamples(tx, deviceId);
  const { rows } = await tx.query<Record<"start_ms" | "stop_ms", SqlBigint> & { n: number }>(
    `DELETE FROM sample_chunks WHERE device_id = $1 AND bucket = ANY($2::bigint[]) AND stored_at < $3::timestamptz
     RETURNING start_ms, stop_ms, n`,
    [samplesOf(deviceId), buckets, before.toISOString()],
  );
  return rows.map((row) => ({ startMs: Number(row.start_ms), stopMs: Number(row.stop_ms), size: row.n }));
}
