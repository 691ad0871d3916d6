import { and, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type Interval, intervalsIn, textOfInstants } from "../../store/samples/index.js";
import { accounts, type PermissionKind, permissions } from "../../store/schema.js";
import { overlapSearch } from "../sample-ownership/overlap-search.js";

/** Validity of a permission: from `startTime` (included) to `expirationTime` (excluded). */
export interface Validity {
  startTime: Date;
  expirationTime: Date;
}

/** Permissions of one kind of a manager on athletes. */
export interface Grants {
  /**
   * Whether the permissions together cover every instant of the interval. An interval that ends when the last permission expires is
   * covered.
   */
  cover(athleteId: number, start: Date, end: Date): boolean;
  /** Returns the union of the times of the permissions, closed, ascending and disjoint. */
  times(athleteId: number): readonly Interval[];
}

/** Number of athletes for each statement. Each can have a thousand times. */
const ATHLETES_AT_A_TIME = 50;

/** A time of an athlete for which permissions are read. */
export interface NeededTime {
  athleteId: number;
  startTime: Date;
  endTime: Date;
}

/**
 * Reads a manager's permissions of one kind on some athletes. The database unites them and returns one row for each athlete,
 * because each of hundreds of athletes can have a thousand permissions.
 * @param needed times for which the result is valid
 * @param lock prevents the athletes from being deleted and their permissions from changing until the transaction ends; for
 * changes that depend on the result
 */
export async function grantsOf(
  queries: Queries,
  managerId: number,
  kind: PermissionKind,
  needed: readonly NeededTime[],
  { lock = false } = {},
): Promise<Grants> {
  const ids = distinct(needed.map(({ athleteId }) => athleteId));
  if (lock) await lockAthletes(queries, ids);
  const times = await unitedTimes(queries, managerId, kind, ids, hullOf(needed));
  const searches = new Map([...times].map(([athleteId, intervals]) => [athleteId, overlapSearch(intervals)]));
  return {
    cover(athleteId, start, end) {
      const found = searches.get(athleteId)?.({ startMs: start.getTime(), stopMs: start.getTime() });
      return found !== undefined && found.stopMs + 1 >= end.getTime();
    },
    times: (athleteId) => times.get(athleteId) ?? [],
  };
}

/**
 * Returns, for each athlete, the times of a permission that covers the whole time, or otherwise the union of the permissions that
 * overlap it. Athletes without a permission are absent.
 */
async function unitedTimes(
  queries: Queries,
  managerId: number,
  kind: PermissionKind,
  athleteIds: readonly number[],
  { from, to }: { from: Date; to: Date },
): Promise<ReadonlyMap<number, Interval[]>> {
  const times = new Map<number, Interval[]>();
  for (let at = 0; at < athleteIds.length; at += ATHLETES_AT_A_TIME) {
    const some = athleteIds.slice(at, at + ATHLETES_AT_A_TIME);
    const isOf = sql`athlete_id = known.athlete_id AND manager_id = ${managerId} AND permission = ${kind}`;
    const { rows } = await queries.execute<{ athlete_id: string; times: string }>(sql`
      SELECT known.athlete_id, ${textOfInstants(sql`united`)} AS times
      FROM unnest(${sql.param(some)}::bigint[]) AS known (athlete_id) CROSS JOIN LATERAL (
        SELECT coalesce((
          SELECT tstzmultirange(tstzrange(start_time, expiration_time)) FROM ${permissions}
          WHERE ${isOf} AND start_time <= ${from} AND expiration_time > ${to} ORDER BY expiration_time DESC LIMIT 1
        ), (
          SELECT range_agg(tstzrange(start_time, expiration_time)) FROM ${permissions}
          WHERE ${isOf} AND start_time <= ${to} AND expiration_time > ${from} AND start_time < expiration_time
        )) AS united
      ) AS of_athlete WHERE united IS NOT NULL`);
    for (const row of rows) times.set(Number(row.athlete_id), intervalsIn(row.times));
  }
  return times;
}

/**
 * Returns the athletes on whom the manager has an active permission.
 * @param lock as for `grantsOf`
 */
export async function permittedNow(
  queries: Queries,
  managerId: number,
  kind: PermissionKind,
  athleteIds: readonly number[],
  now: Date,
  { lock = false } = {},
): Promise<ReadonlySet<number>> {
  const ids = distinct(athleteIds);
  if (ids.length === 0) return new Set();
  if (lock) await lockAthletes(queries, ids);
  const rows = await queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(isOneOf(ids), hasActive(queries, managerId, kind, now)));
  return new Set(rows.map(({ id }) => id));
}

async function lockAthletes(queries: Queries, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(isOneOf(ids))
    .orderBy(accounts.id)
    .for("share");
}

const isOneOf = (ids: readonly number[]): SQL => sql`${accounts.id} = ANY(${sql.param(ids)}::bigint[])`;

const distinct = (ids: readonly number[]): number[] => [...new Set(ids)];

/**
 * Returns the first start and the last end. A loop finds them, because there can be more times than a call can have arguments.
 */
function hullOf(times: readonly NeededTime[]): { from: Date; to: Date } {
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startTime, endTime } of times) {
    fromMs = Math.min(fromMs, startTime.getTime());
    toMs = Math.max(toMs, endTime.getTime());
  }
  return { from: new Date(fromMs), to: new Date(toMs) };
}

/** Whether a permission is active now. */
export const isActive = ({ startTime, expirationTime }: Validity, now: Date): boolean =>
  startTime <= now && now < expirationTime;

/** Returns the condition that the manager has an active permission on the athlete in the row of `accounts`. */
export function hasActive(queries: Queries, managerId: number, kind: PermissionKind, now: Date): SQL {
  const active = queries
    .select({ one: sql`1` })
    .from(permissions)
    .where(
      and(
        eq(permissions.athleteId, accounts.id),
        eq(permissions.managerId, managerId),
        eq(permissions.permission, kind),
        lte(permissions.startTime, now),
        gt(permissions.expirationTime, now),
      ),
    );
  return sql`EXISTS ${active}`;
}
