import { and, eq, gte, isNotNull, lt, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { computedData, timeframes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { grantsOf } from "../permissions/coverage.js";
import type { Timeframe } from "../timeframes/rules.js";
import { stays } from "./compute.js";

const DAY_MS = 86_400_000;

/** Returns the day (UTC) of an instant. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** A stored result of a time frame. */
export interface DayResult<Value> {
  /** The activity on this day. */
  session: string;
  day: string;
  startTime: Date;
  endTime: Date;
  value: Value;
}

/**
 * Returns the stored results with a maximum speed for the athlete of a time frame, on the days (UTC) that end with the day of the
 * time frame, in chronological order. Reads only time frames of the same owner that the caller can read.
 * @param value the part of the results
 * @param orderBy which results count if there are more than `limit`
 */
export async function resultsOfDays<Value>(
  { queries, caller }: Context,
  { athleteId, ownerId, startTime }: Timeframe,
  {
    days,
    value,
    orderBy,
    limit,
  }: { days: number; value: SQL<Value>; orderBy: (SQL | PgColumn)[]; limit: number },
): Promise<DayResult<Value>[]> {
  const endMs = Date.parse(dayOf(startTime)) + DAY_MS;
  const rows = await queries
    .select({
      activityId: timeframes.activityId,
      startTime: timeframes.startTime,
      endTime: timeframes.endTime,
      value,
    })
    .from(timeframes)
    .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
    .where(
      and(
        eq(timeframes.athleteId, athleteId),
        eq(timeframes.ownerId, ownerId),
        gte(timeframes.startTime, new Date(endMs - days * DAY_MS)),
        lt(timeframes.startTime, new Date(endMs)),
        isNotNull(computedData.sessionMaxSpeed),
        stays,
      ),
    )
    .orderBy(...orderBy, timeframes.id)
    .limit(limit);
  const needed = rows.map(({ startTime, endTime }) => ({ athleteId, startTime, endTime }));
  const grants = await grantsOf(queries, caller?.id ?? 0, "READ", needed);
  return rows
    .filter((row) => grants.cover(athleteId, row.startTime, row.endTime))
    .sort((a, b) => a.startTime.getTime() - b.startTime.getTime())
    .map(({ activityId, ...row }) => ({
      ...row,
      session: `${activityId}/${dayOf(row.startTime)}`,
      day: dayOf(row.startTime),
      value: row.value as Value,
    }));
}
