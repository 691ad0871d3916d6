import { BUCKET_MS } from "./bucket.js";
import type { SqlBigint, SqlClient } from "./sql-client.js";

/** Minimum count of a chunk: its row takes about as much space as this number of samples. */
export const LEAST_CHUNK_SIZE = 50;

/** The count of a chunk with this number of samples. */
export const roomOf = (size: number): number => (size === 0 ? 0 : Math.max(size, LEAST_CHUNK_SIZE));

const bucket = (time: string) => `floor(extract(epoch FROM ${time}) * 1000 / ${BUCKET_MS})::bigint`;

/** Times of a device, in buckets, both included. */
interface Span {
  deviceId: number;
  first: number;
  last: number;
}

/**
 * Counts the samples of an account's devices: those from times when it owned them, and those from times when nobody owned a
 * device whose last owner it is, because only the last owner can load them. Reads the index of the chunks and no payloads:
 * 1.7 million chunks (5,000 million samples) in about a second.
 *
 * A bucket in which one ownership ends and another starts counts for the earlier one.
 *
 * @param isAway whether an error says that the server of a device cannot be reached; its samples then count nothing.
 *   Only for errors after which the transaction goes on.
 */
export async function countSamplesOf(
  client: SqlClient,
  accountId: number,
  isAway: (error: unknown) => boolean = () => false,
): Promise<number> {
  let samples = 0;
  for (const span of await spansOf(client, accountId)) {
    try {
      samples += await countIn(client, span);
    } catch (error) {
      if (!isAway(error)) throw error;
    }
  }
  return samples;
}

async function spansOf(client: SqlClient, accountId: number): Promise<Span[]> {
  const { rows } = await client.query<Record<"device_id" | "first" | "last", SqlBigint>>(
    `WITH owned AS (
       SELECT device_id, manager_id, ${bucket("start_time")} AS first, ${bucket("end_time")} AS last,
         lag(${bucket("end_time")}) OVER in_order AS before,
         last_value(manager_id) OVER (in_order ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_owner
       FROM ownerships
       WHERE device_id IN (SELECT device_id FROM ownerships WHERE manager_id = $1)
       WINDOW in_order AS (PARTITION BY device_id ORDER BY start_time, id)
     )
     SELECT device_id, greatest(first, coalesce(before + 1, first)) AS first, last
     FROM owned WHERE manager_id = $1
     UNION ALL
     SELECT device_id, coalesce(before + 1, -9007199254740991), first - 1 FROM owned WHERE last_owner = $1`,
    [accountId],
  );
  return rows.map((row) => ({
    deviceId: Number(row.device_id),
    first: Number(row.first),
    last: Number(row.last),
  }));
}

async function countIn(client: SqlClient, { deviceId, first, last }: Span): Promise<number> {
  const { rows } = await client.query<{ samples: SqlBigint }>(
    `SELECT sum(greatest(n, ${LEAST_CHUNK_SIZE}))::bigint AS samples
     FROM sample_chunks WHERE device_id = $1 AND bucket BETWEEN $2 AND $3`,
    [deviceId, first, last],
  );
  return Number(rows[0]?.samples ?? 0);
}
