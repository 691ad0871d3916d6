import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import { BUCKET_MS, type Interval, millisecondsOf } from "../../store/samples/index.js";
import { ownerships, removedSamples, timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { without } from "../sample-ownership/intervals.js";
import { joinRemoved } from "./join-removed.js";

const msOf = (time: SQL): SQL => sql`(extract(epoch FROM ${time}) * 1000)::bigint`;

/** Selects the ownerships of the owner of the time frame in the row of `timeframes`. */
const ownedWhere = (times: SQL): SQL => sql`SELECT own.start_time, own.end_time FROM ${ownerships} AS own
  WHERE own.manager_id = ${timeframes.ownerId} AND own.device_id = ${timeframes.deviceId} AND ${times}`;

/**
 * Condition: retention has removed samples of the time frame in the row of `timeframes`. Its last result is then kept, because a
 * new result would lack these samples. Samples of other owners of the device do not count.
 *
 * Neither the ownerships nor the removed times of a device overlap. Therefore, only the last one that begins at or before a time
 * can contain that time, and the index finds it without reading the others.
 */
export const hasLostSamples: SQL<boolean> = sql<boolean>`EXISTS (
  SELECT 1 FROM (
    (${ownedWhere(sql`own.start_time <= ${timeframes.startTime}`)} ORDER BY own.start_time DESC, own.end_time DESC LIMIT 1)
    UNION ALL ${ownedWhere(sql`own.start_time > ${timeframes.startTime} AND own.start_time <= ${timeframes.endTime}`)}
  ) AS owned
  CROSS JOIN LATERAL (
    SELECT greatest(owned.start_time, ${timeframes.startTime}) AS first,
      least(owned.end_time - interval '1 ms', ${timeframes.endTime}) AS last
  ) AS common
  CROSS JOIN LATERAL (
    SELECT removed.stop_ms FROM ${removedSamples} AS removed
    WHERE removed.device_id = ${timeframes.deviceId} AND removed.start_ms <= ${msOf(sql`common.last`)}
    ORDER BY removed.start_ms DESC LIMIT 1
  ) AS latest
  WHERE common.first <= common.last AND latest.stop_ms >= ${msOf(sql`common.first`)})`;

/** Removed intervals with a smaller distance are merged, because no chunk can have contained a sample between them. */
const JOINED_WITHIN_MS = BUCKET_MS;

/** Number of rows in one statement, which can have at most 65,535 parameters. */
const ROWS_PER_INSERT = 5_000;

/**
 * Deletes the recorded intervals that are near given ones, and returns them in ascending order. Searches only the rows between the
 * first and the last given interval.
 * @param intervals at least one
 * @param withinMs maximum distance; 0 for intervals that overlap
 */
async function deleteNear(
  queries: UnitOfWork["queries"],
  deviceId: number,
  intervals: readonly Interval[],
  withinMs: number,
): Promise<Interval[]> {
  const near = intervals.map(({ startMs, stopMs }) => ({
    startMs: startMs - withinMs,
    stopMs: stopMs + withinMs,
  }));
  const firstMs = near.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY);
  const lastMs = near.reduce((most, { stopMs }) => Math.max(most, stopMs), Number.NEGATIVE_INFINITY);
  const found = await queries
    .delete(removedSamples)
    .where(
      and(
        eq(removedSamples.deviceId, deviceId),
        // The last row that begins earlier may reach into the first interval; the rows do not overlap.
        gte(
          removedSamples.startMs,
          sql`coalesce((SELECT max(earlier.start_ms) FROM ${removedSamples} AS earlier
            WHERE earlier.device_id = ${deviceId} AND earlier.start_ms <= ${firstMs}), ${firstMs})`,
        ),
        sql`${removedSamples.startMs} <= ${lastMs}`,
        sql`int8range(${removedSamples.startMs}, ${removedSamples.stopMs}, '[]') && ${millisecondsOf(near)}`,
      ),
    )
    .returning();
  return found.map(({ startMs, stopMs }) => ({ startMs, stopMs })).sort((a, b) => a.startMs - b.startMs);
}

async function insertAll(
  queries: UnitOfWork["queries"],
  deviceId: number,
  intervals: readonly Interval[],
): Promise<void> {
  for (let at = 0; at < intervals.length; at += ROWS_PER_INSERT) {
    const rows = intervals.slice(at, at + ROWS_PER_INSERT);
    await queries.insert(removedSamples).values(rows.map((interval) => ({ deviceId, ...interval })));
  }
}

/** Records that retention has removed samples. */
export async function recordRemovals(
  { queries }: UnitOfWork,
  { deviceId, removed }: { deviceId: number; removed: readonly Interval[] },
): Promise<void> {
  if (removed.length === 0) return;
  const known = await deleteNear(queries, deviceId, removed, JOINED_WITHIN_MS);
  await insertAll(queries, deviceId, joinRemoved(known, removed, JOINED_WITHIN_MS));
}

/**
 * Removes recorded intervals whose samples have been loaded again.
 * @param event `changed` is ascending and disjoint
 */
export async function deleteRemovalRecords(
  { queries }: UnitOfWork,
  { deviceId, changed: stored }: { deviceId: number; changed: readonly Interval[] },
): Promise<void> {
  if (stored.length === 0) return;
  const touched = await deleteNear(queries, deviceId, stored, 0);
  await insertAll(queries, deviceId, without(touched, stored));
}
