import { type SQL, sql } from "drizzle-orm";
import type { Interval } from "../../store/samples/index.js";

/**
 * Combines closed intervals into one value of the database. The database uses binary search within the value, so a
 * condition with thousands of intervals takes little longer than a condition with one. Ignores empty intervals (start
 * after stop).
 */
const multirange = (intervals: readonly Interval[], range: SQL): SQL => sql`(
  SELECT range_agg(${range})
  FROM unnest(${sql.param(intervals.map(({ startMs }) => startMs))}::bigint[],
    ${sql.param(intervals.map(({ stopMs }) => stopMs))}::bigint[]) AS given (start_ms, stop_ms)
  WHERE start_ms <= stop_ms)`;

/** Returns intervals as a multirange of timestamps. */
export const instantsOf = (intervals: readonly Interval[]): SQL =>
  multirange(
    intervals,
    sql`tstzrange(to_timestamp(start_ms / 1000.0), to_timestamp(stop_ms / 1000.0), '[]')`,
  );

/** Returns intervals as a multirange of ms since 1970 UTC. */
export const millisecondsOf = (intervals: readonly Interval[]): SQL =>
  multirange(intervals, sql`int8range(start_ms, stop_ms, '[]')`);
