import { isDeepStrictEqual } from "node:util";
import { type SQL, sql } from "drizzle-orm";
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
 * Loading, reading, computed data, figures of sessions, retention, the backward extension of an ownership, and the erasure of a
 * manager follow the first rule. The samples in the export of an athlete, and the erasure of an athlete, follow both. Computed data
 * and figures are of all samples in their time frames, so the results of two athletes can include the same sample.
 */

/** A device and one of its owners. */
export interface Owner {
  deviceId: number;
  ownerId: number;
}

/** Returns the times within an interval at which a manager owned a device: closed, ascending, disjoint. */
export async function ownedTimes(queries: Queries, owner: Owner, within: Interval): Promise<Interval[]> {
  const [own] = await timesWhere(queries, within, [timesOf(owner)]);
  return own ?? [];
}

/**
 * Reads samples of a device together with the times of `ownedTimes`. Reads again if these times have changed meanwhile, because
 * the samples may belong to another owner.
 */
export async function readOwned<T>(
  queries: Queries,
  owner: Owner,
  within: Interval,
  read: () => Promise<T>,
): Promise<{ owned: Interval[]; found: T }> {
  let owned = await ownedTimes(queries, owner, within);
  for (;;) {
    const found = await read();
    const ownedNow = await ownedTimes(queries, owner, within);
    if (isDeepStrictEqual(ownedNow, owned)) return { owned, found };
    owned = ownedNow;
  }
}

/**
 * Returns the times within an interval at which a manager owned each of some devices, like `ownedTimes`, with one statement.
 * Devices that the manager did not own are missing.
 */
export async function ownedTimesOf(
  queries: Queries,
  { ownerId, deviceIds }: { ownerId: number; deviceIds: readonly number[] },
  within: Interval,
): Promise<Map<number, Interval[]>> {
  const { rows } = await queries.execute<{ device_id: string; times: string }>(sql`
    SELECT device_id, ${textOfMultirange(sql`united`)} AS times FROM (
      SELECT device_id, ${unitedWithin(within)} AS united FROM ${ownerships}
      WHERE device_id = ANY(${sql.param(deviceIds)}::bigint[]) AND manager_id = ${ownerId} AND ${overlaps(within)}
      GROUP BY device_id
    ) AS of_device`);
  return new Map(rows.map(({ device_id, times }) => [Number(device_id), intervalsIn(times)]));
}

/** Returns the times of the manager and those of all other managers. */
export async function ownedTimesAndOthers(
  queries: Queries,
  owner: Owner,
  within: Interval,
): Promise<{ own: Interval[]; others: Interval[] }> {
  const { deviceId, ownerId } = owner;
  const ofOthers = sql`device_id = ${deviceId} AND manager_id <> ${ownerId}`;
  const [own, others] = await timesWhere(queries, within, [timesOf(owner), ofOthers]);
  return { own: own ?? [], others: others ?? [] };
}

const msOf = (time: string) => sql.raw(`(extract(epoch FROM ${time}) * 1000)::bigint`);

const timesOf = ({ deviceId, ownerId }: Owner) => sql`device_id = ${deviceId} AND manager_id = ${ownerId}`;

/** Merges the parts of ownerships within an interval in the database, because a device can have thousands of past ownerships. */
const unitedWithin = ({ startMs, stopMs }: Interval): SQL => sql`range_agg(int8range(
  greatest(${msOf("start_time")}, ${startMs}::bigint), least(${msOf("end_time")}, ${stopMs}::bigint + 1)))`;

const overlaps = ({ startMs, stopMs }: Interval): SQL =>
  sql`end_time > ${new Date(startMs)} AND start_time <= ${new Date(stopMs)}`;

const textOfTimes = (condition: SQL, within: Interval): SQL =>
  textOfMultirange(
    sql`(SELECT ${unitedWithin(within)} FROM ${ownerships} WHERE ${condition} AND ${overlaps(within)})`,
  );

/** Selects the times of `ownedTimes` as text, for `intervalsIn`. */
export const textOfOwnedTimes = (owner: Owner, within: Interval): SQL => textOfTimes(timesOf(owner), within);

/** Returns the times of the ownerships that each condition selects. */
async function timesWhere(
  queries: Queries,
  within: Interval,
  conditions: readonly SQL[],
): Promise<Interval[][]> {
  if (within.startMs > within.stopMs) return [];
  const times = conditions.map((condition) => textOfTimes(condition, within));
  const { rows } = await queries.execute<{ times: string[] }>(
    sql`SELECT json_build_array(${sql.join(times, sql`, `)}) AS times`,
  );
  return (rows[0]?.times ?? []).map(intervalsIn);
}
