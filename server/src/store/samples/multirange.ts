import { type SQL, sql } from "drizzle-orm";
import type { Interval } from "./intervals.js";

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

/** Returns closed intervals as a multirange of timestamps. */
export const instantsOf = (intervals: readonly Interval[]): SQL =>
  multirange(
    intervals,
    sql`tstzrange(to_timestamp(start_ms / 1000.0), to_timestamp(stop_ms / 1000.0), '[]')`,
  );

/** Returns closed intervals as a multirange of ms since 1970 UTC. */
export const millisecondsOf = (intervals: readonly Interval[]): SQL =>
  multirange(intervals, sql`int8range(start_ms, stop_ms, '[]')`);

/**
 * Returns a multirange of ms as one text, because reading ten thousand rows would block the event loop for a tenth of a second.
 * @returns expression for `intervalsIn`
 */
export const textOfMultirange = (multirange: SQL): SQL<string> =>
  textOfBounds(multirange, sql`lower(one)`, sql`upper(one)`);

/** Does the same as `textOfMultirange` for a multirange of timestamps. */
export const textOfInstants = (multirange: SQL): SQL<string> =>
  textOfBounds(multirange, msOf(sql`lower(one)`), msOf(sql`upper(one)`));

const textOfBounds = (multirange: SQL, lower: SQL, upper: SQL): SQL<string> =>
  sql<string>`(SELECT coalesce(json_agg(json_build_array(${lower}, ${upper}) ORDER BY one), '[]')::text
    FROM unnest(${multirange}) AS one)`;

const msOf = (instant: SQL): SQL => sql`(extract(epoch FROM ${instant}) * 1000)::bigint`;

/** Parses the text into closed intervals, ascending and disjoint. */
export function intervalsIn(text: string): Interval[] {
  const times = JSON.parse(text) as [fromMs: number, toMs: number][];
  return times.map(([fromMs, toMs]) => ({ startMs: fromMs, stopMs: toMs - 1 }));
}
