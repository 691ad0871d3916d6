import { type SQL, sql } from "drizzle-orm";
import type { Interval } from "./intervals.js";

/** Closed intervals as a multirange of ms. */
export const multirangeOf = (times: readonly Interval[]): SQL =>
  sql`(SELECT range_agg(int8range(start_ms, stop_ms, '[]')) FROM unnest(
    ${sql.param(times.map(({ startMs }) => startMs))}::bigint[], ${sql.param(times.map(({ stopMs }) => stopMs))}::bigint[]
  ) AS changed (start_ms, stop_ms))`;

/**
 * A multirange of ms as one value of text, because reading ten thousand rows would block the event loop for a tenth of a second.
 * @returns expression for `intervalsIn`
 */
export const textOfMultirange = (multirange: SQL): SQL<string> =>
  sql<string>`(SELECT coalesce(json_agg(json_build_array(lower(one), upper(one)) ORDER BY one), '[]')::text
    FROM unnest(${multirange}) AS one)`;

/** Closed intervals, ascending and disjoint. */
export function intervalsIn(text: string): Interval[] {
  const times = JSON.parse(text) as [fromMs: number, toMs: number][];
  return times.map(([fromMs, toMs]) => ({ startMs: fromMs, stopMs: toMs - 1 }));
}
