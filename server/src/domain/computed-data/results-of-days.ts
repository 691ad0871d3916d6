import { and, asc, desc, eq, gte, isNotNull, not, or, sql } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { grantsOf } from "../permissions/coverage.js";
import type { Timeframe } from "../timeframes/rules.js";
import { stays } from "./compute.js";

export const DAY_MS = 86_400_000;

/** Returns the day (UTC) of an instant. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** A time frame of these days. */
export interface DayResult {
  id: number;
  /** The activity on this day. */
  session: string;
  day: string;
  startTime: Date;
  endTime: Date;
  /** The maximum speed in its stored result; null if the time frame is not computed. */
  maxSpeed: number | null;
}

/** Whether the time frame in the row of `timeframes` has a result that may be used. */
const isComputed = sql<boolean>`(${computedData.timeframeId} IS NOT NULL AND coalesce(${stays}, false))`;

/** Number of time frames that each statement reads, because an athlete can have hundreds of thousands. */
const AT_A_TIME = 1_000;

/**
 * Reads the time frames of the athlete of a time frame, on the days (UTC) that end with the day of the time frame, latest first:
 * those whose stored result has a maximum speed, and those that are not computed. Reads only time frames of the same owner that the
 * caller can read.
 */
export async function* resultsOfDays(
  { queries, caller, signal }: Context,
  { athleteId, ownerId, startTime }: Timeframe,
  { days, atATime = AT_A_TIME }: { days: number; atATime?: number },
): AsyncGenerator<DayResult> {
  const end = new Date(Date.parse(dayOf(startTime)) + DAY_MS);
  const begin = new Date(end.getTime() - days * DAY_MS);
  let before = sql`(${timeframes.startTime}, ${timeframes.id}) < (${end}, 0)`;
  for (;;) {
    signal?.throwIfAborted();
    // A statement that looks for the first thousand of these rows could read all time frames.
    const page = queries
      .select({
        id: timeframes.id,
        activityId: timeframes.activityId,
        startTime: timeframes.startTime,
        endTime: timeframes.endTime,
        maxSpeed: computedData.sessionMaxSpeed,
        isComputed: isComputed.as("is_computed"),
        place: sql<number>`row_number() OVER (ORDER BY ${timeframes.startTime} DESC, ${timeframes.id} DESC)`
          .mapWith(Number)
          .as("place"),
      })
      .from(timeframes)
      .leftJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(
        and(
          eq(timeframes.athleteId, athleteId),
          eq(timeframes.ownerId, ownerId),
          gte(timeframes.startTime, begin),
          before,
        ),
      )
      .orderBy(desc(timeframes.startTime), desc(timeframes.id))
      .limit(atATime)
      .as("page");
    const rows = await queries
      .select()
      .from(page)
      .where(or(isNotNull(page.maxSpeed), not(page.isComputed), eq(page.place, atATime)))
      .orderBy(asc(page.place));
    const wanted = rows.filter(({ maxSpeed, isComputed }) => maxSpeed !== null || !isComputed);
    const needed = wanted.map(({ startTime, endTime }) => ({ athleteId, startTime, endTime }));
    const grants = await grantsOf(queries, caller?.id ?? 0, "READ", needed);
    for (const { id, activityId, startTime, endTime, isComputed, maxSpeed } of wanted) {
      if (!grants.cover(athleteId, startTime, endTime)) continue;
      const day = dayOf(startTime);
      const session = `${activityId}/${day}`;
      yield { id, session, day, startTime, endTime, maxSpeed: isComputed ? maxSpeed : null };
    }
    const last = rows.at(-1);
    if (last?.place !== atATime) return;
    before = sql`(${timeframes.startTime}, ${timeframes.id}) < (${last.startTime}, ${last.id})`;
  }
}
