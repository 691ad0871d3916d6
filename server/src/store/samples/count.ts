import { BUCKET_MS } from "./bucket.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/** Minimum count of a chunk: its row takes about as much space as this number of samples. */
export const LEAST_CHUNK_SIZE = 50;

/** The count of a chunk with this number of samples. */
export const roomOf = (size: number): number => (size === 0 ? 0 : Math.max(size, LEAST_CHUNK_SIZE));

const bucket = (time: string) => `floor(extract(epoch FROM ${time}) * 1000 / ${BUCKET_MS})::bigint`;

/**
 * Counts the samples of an account's devices: those from times when it owned them, and those from times when nobody owned a
 * device whose last owner it is, because only the last owner can load them. Reads the index of the chunks and no payloads:
 * 1.7 million chunks (5,000 million samples) in about a second.
 *
 * A bucket in which one ownership ends and another starts counts for the earlier one.
 */
export async function countSamplesOf(client: SqlClient, accountId: number): Promise<number> {
  const { rows } = await client.query<{ samples: SqlBigint }>(
    `WITH owned AS (
       SELECT device_id, manager_id, ${bucket("start_time")} AS first, ${bucket("end_time")} AS last,
         lag(${bucket("end_time")}) OVER in_order AS before,
         last_value(manager_id) OVER (in_order ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_owner
       FROM ownerships
       WHERE device_id IN (SELECT device_id FROM ownerships WHERE manager_id = $1)
       WINDOW in_order AS (PARTITION BY device_id ORDER BY start_time, id)
     ), spans AS (
       SELECT device_id, greatest(first, coalesce(before + 1, first)) AS first, last
       FROM owned WHERE manager_id = $1
       UNION ALL
       SELECT device_id, coalesce(before + 1, -9007199254740991), first - 1 FROM owned WHERE last_owner = $1
     )
     SELECT coalesce(sum(greatest(n, ${LEAST_CHUNK_SIZE})), 0)::bigint AS samples
     FROM spans JOIN sample_chunks USING (device_id)
     WHERE sample_chunks.bucket BETWEEN spans.first AND spans.last`,
    [accountId],
  );
  return Number(rows[0]?.samples ?? 0);
}
