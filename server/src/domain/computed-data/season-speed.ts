import { SEASON_DAYS, type SeasonMaxSpeed, type SessionMaxSpeed, seasonMaxSpeed } from "asi-convert/metrics";
import { sql } from "drizzle-orm";
import { computedData } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { Timeframe } from "../timeframes/rules.js";
import { dayOf, resultsOfDays } from "./results-of-days.js";

/** The maximum speed of the year up to a time frame, and how many sessions were compared. */
export interface SeasonSpeed extends SeasonMaxSpeed {
  readonly sessions: number;
}

/**
 * Returns the maximum speed of the athlete in the 365 days (UTC) that end with the day of a time frame. Uses the stored results
 * of the owner's time frames that the caller can read. The time frames of an activity on one day count as one session, so they do
 * not confirm each other.
 * @returns null if no session has a known maximum speed
 */
export async function seasonMaxSpeedOf(ctx: Context, frame: Timeframe): Promise<SeasonSpeed | null> {
  const sessions = new Map<string, SessionMaxSpeed>();
  for await (const { session, day, value } of resultsOfDays(ctx, frame, {
    days: SEASON_DAYS,
    value: sql<number>`${computedData.sessionMaxSpeed}`,
  }))
    sessions.set(session, { day, maxSpeed: Math.max(value, sessions.get(session)?.maxSpeed ?? 0) });
  // If several sessions have the same speed, the first one counts.
  const compared = [...sessions.values()].reverse();
  const season = seasonMaxSpeed(compared, dayOf(frame.startTime));
  return season && { ...season, sessions: sessions.size };
}
