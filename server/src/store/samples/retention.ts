import type { SqlBigint, SqlClient } from "./sql-client.js";

/** A chunk that retention removed. */
export interface RemovedChunk {
  deviceId: number;
  /** First sample, ms since 1970 UTC. */
  startMs: number;
  /** Last sample, ms since 1970 UTC. */
  stopMs: number;
  /** Number of samples. */
  size: number;
}

/**
 * Removes chunks whose last addition is earlier than `before`, the oldest first. Retention counts from when samples
 * were stored, not from when they were recorded, so that loading an old file is not undone.
 *
 * @param limit maximum number of chunks, which keeps transactions short; call it again while it returns this number
 */
export async function deleteStoredBefore(
  client: SqlClient,
  before: Date,
  limit: number,
): Promise<RemovedChunk[]> {
  // The outer condition on stored_at is evaluated again when a load has changed a row meanwhile; such a row is kept.
  const { rows } = await client.query<
    Record<"device_id" | "start_ms" | "stop_ms", SqlBigint> & { n: number }
  >(
    `DELETE FROM sample_chunks
     WHERE stored_at < $1::timestamptz AND (device_id, bucket) IN (
       SELECT device_id, bucket FROM sample_chunks WHERE stored_at < $1::timestamptz ORDER BY stored_at LIMIT $2)
     RETURNING device_id, start_ms, stop_ms, n`,
    [before.toISOString(), limit],
  );
  return rows.map((row) => ({
    deviceId: Number(row.device_id),
    startMs: Number(row.start_ms),
    stopMs: Number(row.stop_ms),
    size: row.n,
  }));
}
