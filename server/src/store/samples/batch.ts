import { samplesOf } from "../placement/sample-device.js";
import { bucketOf, bucketStartMs } from "./bucket.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/** First part of an interval. */
export interface Batch {
  /** Earliest time after the part, ms since 1970 UTC. */
  toMs: number;
  /** Number of chunks in the part; 0 if the whole interval contains none. */
  chunks: number;
}

/**
 * Returns the first part of an interval with a limited number of chunks, to divide work on a long interval into short
 * transactions.
 * @param toMs the earliest time after the interval
 */
export async function firstBatch(
  client: SqlClient,
  deviceId: number,
  fromMs: number,
  toMs: number,
  chunks: number,
): Promise<Batch> {
  const { rows } = await client.query<{ bucket: SqlBigint }>(
    `SELECT bucket FROM sample_chunks WHERE device_id = $1 AND bucket BETWEEN $2 AND $3 ORDER BY bucket LIMIT $4`,
    [samplesOf(deviceId), bucketOf(fromMs), bucketOf(toMs), chunks + 1],
  );
  const beyond = rows[chunks];
  return {
    toMs: beyond === undefined ? toMs : Math.min(toMs, bucketStartMs(Number(beyond.bucket))),
    chunks: Math.min(rows.length, chunks),
  };
}
