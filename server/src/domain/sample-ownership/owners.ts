import { type Column, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type Interval, intervalsIn, textOfMultirange } from "../../store/samples/index.js";
import { ownerships } from "../../store/schema.js";

/*
 * Ownership of a sample:
 *
 * - A sample belongs to the manager who owned the device at its time (`ownedTimes`). Samples without an owner are not stored.
 * - It belongs to the athlete of the oldest time frame of that manager that covers it (`WearerSweep`): the time frame
 * that has kept its athlete, device and time the longest. A later time frame therefore takes no sample from an athlete.
 * Time frames of other managers do not count.
 *
 * Loading, reading, computed data, retention, the backward extension of an ownership, the export of
 * an athlete, and the erasure
 * of an athlete or a manager follow these two rules.
 */

/** A device and one of its owners. */
export interface Owner {
  deviceId: number;
  ownerId: number;
}

/** Returns the times within an interval at which a manager owned a device: closed, ascending, disjoint. */
export const ownedTimes = (
  queries: Queries,
  { deviceId, ownerId }: Owner,
  within: Interval,
): Promise<Interval[]> =>
  timesWhere(queries, sql`device_id = ${deviceId} AND manager_id = ${ownerId}`, within);

/** Returns the times of all other managers. */
export const timesOfOthers = (
  queries: Queries,
  { deviceId, ownerId }: Owner,
  within: Interval,
): Promise<Interval[]> =>
  timesWhere(queries, sql`device_id = ${deviceId} AND manager_id <> ${ownerId}`, within);

/**
 * Condition: the manager owned the device at a time of a closed interval. Samples of the interval can then belong to
 * the manager. The times are columns or values of `timestamptz`.
 */
export const isOwnedDuring = (
  managerId: Column,
  deviceId: number,
  startTime: SQL,
  endTime: SQL,
): SQL => sql`EXISTS (SELECT 1 FROM ${ownerships} WHERE ${ownerships.deviceId} = ${deviceId} AND ${ownerships.managerId} = ${managerId}
    AND ${ownerships.startTime} <= ${endTime} AND ${ownerships.endTime} > ${startTime})`;

const msOf = (time: string) => sql.raw(`(extract(epoch FROM ${time}) * 1000)::bigint`);

async function timesWhere(queries: Queries, owner: SQL, { startMs, stopMs }: Interval): Promise<Interval[]> {
  if (startMs > stopMs) return [];
  const owned = sql`(
    SELECT range_agg(int8range(
      greatest(${msOf("start_time")}, ${startMs}::bigint), least(${msOf("end_time")}, ${stopMs}::bigint + 1)
    )) FROM ${ownerships} WHERE ${owner} AND end_time > ${new Date(startMs)} AND start_time <= ${new Date(stopMs)}
  )`;
  // A device can have thousands of past ownerships, so the database merges them.
  const { rows } = await queries.execute<{ times: string }>(sql`SELECT ${textOfMultirange(owned)} AS times`);
  return intervalsIn(rows[0]?.times ?? "[]");
}
