import { and, desc, eq, gte, isNotNull, not, or, type SQL, sql } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { grantsOf } from "../permissions/coverage.js";
import type { Timeframe } from "../timeframes/rules.js";
import { stays } from "./compute.js";

const DAY_MS = 86_400_000;

/** Returns the day (UTC) of an instant. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** A time frame of these days. */
export interface DayResult<Value> {
  id: number;
  /** The activity on this day. */
  session: string;
  day: string;
  startTime: Date;
  endTime: Date;
  /** The part of its stored result; null if the time frame is not computed. */
  found: { value: Value } | null;
}

/** Whether the time frame in the row of `timeframes` has a result that may be used. */
const isComputed = sql<boolean>`(${computedData.timeframeId} IS NOT NULL AND coalesce(${stays}, false))`;

/** Number of time frames for each statement, because an athlete can have many thousands. */
const AT_A_TIME = 1_000;

/**
 * Reads the time frames of the athlete of a time frame, on the days (UTC) that end with the day of the time frame, latest first:
 * those whose stored result has a maximum speed, and those that are not computed. Reads only time frames of the same owner that the
 * caller can read.
 * @param value the part of the results
 */
export async function* resultsOfDays<Value>(
  { queries, caller, signal }: Context,
  { athleteId, ownerId, startTime }: Timeframe,
  { days, value, atATime = AT_A_TIME }: { days: number; value: SQL<Value>; atATime?: number },
): AsyncGenerator<DayResult<Value>> {
  const end = new Date(Date.parse(dayOf(startTime)) + DAY_MS);
  const begin = new Date(end.getTime() - days * DAY_MS);
  let before = sql`(${timeframes.startTime}, ${timeframes.id}) < (${end}, 0)`;
  for (;;) {
    signal?.throwIfAborted();
    const rows = await queries
      .select({
        id: timeframes.id,
        activityId: timeframes.activityId,
        startTime: timeframes.startTime,
        endTime: timeframes.endTime,
        isComputed,
        value,
      })
      .from(timeframes)
      .leftJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(
        and(
          eq(timeframes.athleteId, athleteId),
          eq(timeframes.ownerId, ownerId),
          gte(timeframes.startTime, begin),
          before,
          or(isNotNull(computedData.sessionMaxSpeed), not(isComputed)),
        ),
      )
      .orderBy(desc(timeframes.startTime), desc(timeframes.id))
      .limit(atATime);
    const needed = rows.map(({ startTime, endTime }) => ({ athleteId, startTime, endTime }));
    const grants = await grantsOf(queries, caller?.id ?? 0, "READ", needed);
    for (const { id, activityId, startTime, endTime, isComputed, value } of rows) {
      if (!grants.cover(athleteId, startTime, endTime)) continue;
      const day = dayOf(startTime);
      const found = isComputed ? { value: value as Value } : null;
      yield { id, session: `${activityId}/${day}`, day, startTime, endTime, found };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < atATime) return;
    before = sql`(${timeframes.startTime}, ${timeframes.id}) < (${last.startTime}, ${last.id})`;
  }
}
