import { sql } from "drizzle-orm";
import {
  type Interval,
  intervalsIn,
  normaliseIntervals,
  textOfMultirange,
} from "../../store/samples/index.js";
import { activities, sessions } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { overlapSearch } from "../sample-ownership/overlap-search.js";

/** The times of sessions of each squad, closed, ascending and disjoint. */
export type SquadTimes = ReadonlyMap<number, readonly Interval[]>;

/**
 * Returns a function that tells whether a session of the squad contains a part of a time. If the squad is unknown, the sessions
 * of all squads count.
 */
export function takenSearch(times: SquadTimes): (range: Interval & { squad: number | null }) => boolean {
  const ofSquad = new Map([...times].map(([squad, intervals]) => [squad, overlapSearch(intervals)]));
  const ofAny = overlapSearch(normaliseIntervals([...times.values()].flat()));
  return (range) => (range.squad === null ? ofAny : ofSquad.get(range.squad))?.(range) !== undefined;
}

/**
 * Returns the times of the caller's sessions that overlap the interval. The database merges them, because there can be 20,000.
 */
export async function sessionTimes(
  { queries, caller }: Context,
  start: Date,
  end: Date,
): Promise<SquadTimes> {
  const ms = (column: string) => sql.raw(`(extract(epoch FROM ${column}) * 1000)::bigint`);
  const { rows } = await queries.execute<{ squad: string; times: string }>(sql`
    SELECT squad, ${textOfMultirange(sql`united`)} AS times FROM (
      SELECT squad_id AS squad, range_agg(int8range(${ms("start_time")}, ${ms("end_time")})) AS united
      FROM ${sessions} JOIN ${activities} ON ${activities.id} = ${sessions.activityId}
      WHERE ${activities.ownerId} = ${caller?.id ?? 0} AND start_time < ${end} AND end_time > ${start}
      GROUP BY squad_id
    ) AS of_squad`);
  return new Map(rows.map(({ squad, times }) => [Number(squad), intervalsIn(times)]));
}
