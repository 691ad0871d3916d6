import { UsageError } from "../../config/usage-error.js";
import type { Connection } from "../placement/placement.js";
import { inTransaction } from "./transaction.js";

/** Number of chunks of one device copied in one transaction. */
const CHUNKS_AT_ONCE = 500;
/** Number of changed chunks copied again in one transaction. */
export const CHANGES_AT_ONCE = 500;

/** Progress of a move, as stored in the database. */
export interface State {
  token: string;
  servers: string[];
  device_id: string;
  bucket: string;
  copied: string;
}

/** @returns undefined if no move has begun */
export async function stateOf(client: Connection): Promise<State | undefined> {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('sample_move.state') IS NOT NULL AS exists",
  );
  if (rows[0]?.exists !== true) return undefined;
  return (
    await client.query<State>(
      "SELECT token, servers, device_id::text, bucket::text, copied::text FROM sample_move.state",
    )
  ).rows[0];
}

/** Copies some chunks. @returns false when all are copied */
export async function copyNext(client: Connection, columns: string): Promise<boolean> {
  const state = await stateOf(client);
  if (state === undefined) throw new UsageError("Another command has cancelled the move.");
  const { device_id: device, bucket } = state;
  const { rows } = await client.query<{ first: string; last: string; count: string }>(
    `SELECT min(bucket)::text AS first, max(bucket)::text AS last, count(*)::text AS count
     FROM (SELECT bucket FROM public.sample_chunks WHERE device_id = $1 AND bucket > $2 ORDER BY bucket LIMIT $3) AS batch`,
    [device, bucket, CHUNKS_AT_ONCE],
  );
  const [batch] = rows;
  if (batch === undefined || batch.count === "0") {
    const next = await client.query<{ device: string | null }>(
      "SELECT min(device_id)::text AS device FROM public.sample_chunks WHERE device_id > $1",
      [device],
    );
    const nextDevice = next.rows[0]?.device ?? null;
    if (nextDevice === null) return false;
    await client.query("UPDATE sample_move.state SET device_id = $1, bucket = $2", [
      nextDevice,
      -(2n ** 63n),
    ]);
    return true;
  }
  await inTransaction(client, async () => {
    // An interrupted commit over several servers may have left chunks of this range.
    const range = [device, batch.first, batch.last];
    await client.query(
      "DELETE FROM sample_move.sample_chunks WHERE device_id = $1 AND bucket BETWEEN $2 AND $3",
      range,
    );
    await client.query(
      `INSERT INTO sample_move.sample_chunks (${columns}) SELECT ${columns} FROM public.sample_chunks
       WHERE device_id = $1 AND bucket BETWEEN $2 AND $3`,
      range,
    );
    await client.query("UPDATE sample_move.state SET bucket = $1, copied = copied + $2", [
      batch.last,
      batch.count,
    ]);
  });
  return true;
}

/**
 * Records the chunks that differ between the tables. If a commit is interrupted between the servers and the database, a
 * chunk changes on its server, but the record of the trigger is lost. A crash that interrupts commits nearly always
 * ends the move too, and the resumed move repeats this step.
 */
export async function noteMissed(client: Connection): Promise<void> {
  for (let device: string | null = String(-(2n ** 63n)); device !== null; ) {
    await client.query(
      `INSERT INTO sample_move.changed (device_id, bucket)
       SELECT $1, bucket
       FROM (SELECT bucket, ROW(start_ms, stop_ms, n, stored_at) AS head FROM public.sample_chunks WHERE device_id = $1) AS old
       FULL JOIN (
         SELECT bucket, ROW(start_ms, stop_ms, n, stored_at) AS head FROM sample_move.sample_chunks WHERE device_id = $1
       ) AS new USING (bucket)
       WHERE old.head IS DISTINCT FROM new.head`,
      [device],
    );
    const next: { rows: { device: string | null }[] } = await client.query(
      `SELECT least(
         (SELECT min(device_id) FROM public.sample_chunks WHERE device_id > $1),
         (SELECT min(device_id) FROM sample_move.sample_chunks WHERE device_id > $1)
       )::text AS device`,
      [device],
    );
    device = next.rows[0]?.device ?? null;
  }
}

/** Copies changed chunks again. @returns the number of changes, at most `CHANGES_AT_ONCE` */
export const repeatChanges = (client: Connection, columns: string): Promise<number> =>
  inTransaction(client, () => repeatSome(client, columns));

/** Copies changed chunks again within a transaction. */
export async function repeatSome(client: Connection, columns: string): Promise<number> {
  const { rows } = await client.query<{ device_id: string; bucket: string }>(
    `DELETE FROM sample_move.changed WHERE id IN (SELECT id FROM sample_move.changed ORDER BY id LIMIT ${CHANGES_AT_ONCE})
     RETURNING device_id::text, bucket::text`,
  );
  const byDevice = new Map<string, Set<string>>();
  for (const { device_id, bucket } of rows) {
    byDevice.set(device_id, (byDevice.get(device_id) ?? new Set()).add(bucket));
  }
  for (const [device, buckets] of byDevice) {
    const keys = [device, [...buckets]];
    await client.query(
      "DELETE FROM sample_move.sample_chunks WHERE device_id = $1 AND bucket = ANY($2::bigint[])",
      keys,
    );
    await client.query(
      `INSERT INTO sample_move.sample_chunks (${columns}) SELECT ${columns} FROM public.sample_chunks
       WHERE device_id = $1 AND bucket = ANY($2::bigint[])`,
      keys,
    );
  }
  return rows.length;
}
