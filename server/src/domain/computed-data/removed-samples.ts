import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import { BUCKET_MS, type Interval, millisecondsOf } from "../../store/samples/index.js";
import { ownerships, removedSamples, timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { without } from "../sample-ownership/intervals.js";
import { joinRemoved } from "./join-removed.js";

const msOf = (time: SQL): SQL => sql`(extract(epoch FROM ${time}) * 1000)::bigint`;

/** Selects the removed times of the device of the time frame in the row of `timeframes`. */
const removedWhere = (
  times: SQL,
): SQL => sql`SELECT gone.start_ms, gone.stop_ms FROM ${removedSamples} AS gone
  WHERE gone.device_id = ${timeframes.deviceId} AND ${times}`;

/** Selects the last ownership of the owner of the time frame that begins at or before a time. */
const latestOwnership = (time: SQL): SQL => sql`SELECT own.end_time FROM ${ownerships} AS own
  WHERE own.manager_id = ${timeframes.ownerId} AND own.device_id = ${timeframes.deviceId}
    AND own.start_time <= ${time} AND own.end_time > own.start_time
  ORDER BY own.start_time DESC, own.end_time DESC LIMIT 1`;

/**
 * Condition: retention has removed samples of the time frame in the row of `timeframes`. Its last result is then kept, because a
 * new result would lack these samples. Samples of other owners of the device do not count.
 *
 * Neither the removed times nor the ownerships of a device overlap. Therefore, only the last one that begins at or before a time
 * can contain that time, and the index finds it without reading the others. The search begins with the removed times, because a
 * time frame rarely has any, but can have thousands of ownerships.
 */
export const hasLostSamples: SQL<boolean> = sql<boolean>`EXISTS (
  SELECT 1 FROM (
    (${removedWhere(sql`gone.start_ms <= ${msOf(sql`${timeframes.startTime}`)}`)} ORDER BY gone.start_ms DESC LIMIT 1)
    UNION ALL ${removedWhere(sql`gone.start_ms > ${msOf(sql`${timeframes.startTime}`)} AND gone.start_ms <= ${msOf(sql`${timeframes.endTime}`)}`)}
  ) AS removed
  CROSS JOIN LATERAL (
    SELECT greatest(removed.start_ms, ${msOf(sql`${timeframes.startTime}`)}) AS first,
      least(removed.stop_ms, ${msOf(sql`${timeframes.endTime}`)}) AS last
  ) AS common
  CROSS JOIN LATERAL (${latestOwnership(sql`to_timestamp(common.last / 1000.0)`)}) AS latest
  WHERE common.first <= common.last AND ${msOf(sql`latest.end_time`)} > common.first)`;

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
