import { SEASON_DAYS, type SeasonMaxSpeed, type SessionMaxSpeed, seasonMaxSpeed } from "asi-convert/metrics";
import { sql } from "drizzle-orm";
import { computedData } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { Timeframe } from "../timeframes/rules.js";
import { dayOf, resultsOfDays } from "./results-of-days.js";

/** The maximum speed of the year up to a time frame, and how many sessions were compared; null without any. */
export type SeasonSpeed = { [key in keyof SeasonMaxSpeed]: SeasonMaxSpeed[key] | null } & {
  readonly sessions: number;
  /** Number of time frames that were not compared, because they are not computed. */
  readonly not_computed: number;
};

/**
 * Returns the maximum speed of the athlete in the 365 days (UTC) that end with the day of a time frame. Uses the stored results
 * of the owner's time frames that the caller can read. The time frames of an activity on one day count as one session, so they do
 * not confirm each other.
 * @returns the speed is null if no session has a known maximum speed and none is still to be computed; `waiting` contains the ids of
 * the time frames that are not computed, latest first
 */
export async function seasonMaxSpeedOf(
  ctx: Context,
  frame: Timeframe,
): Promise<{ speed: SeasonSpeed | null; waiting: readonly number[] }> {
  const sessions = new Map<string, SessionMaxSpeed>();
  const waiting: number[] = [];
  for await (const { id, session, day, found } of resultsOfDays(ctx, frame, {
    days: SEASON_DAYS,
    value: sql<number>`${computedData.sessionMaxSpeed}`,
  })) {
    if (found === null) waiting.push(id);
    else
      sessions.set(session, { day, maxSpeed: Math.max(found.value, sessions.get(session)?.maxSpeed ?? 0) });
  }
  // If several sessions have the same speed, the first one counts.
  const compared = [...sessions.values()].reverse();
  const season = seasonMaxSpeed(compared, dayOf(frame.startTime));
  const counts = { sessions: sessions.size, not_computed: waiting.length };
  if (season !== null) return { speed: { ...season, ...counts }, waiting };
  const unknown = { max_speed: null, day: null, unconfirmed: null };
  return { speed: waiting.length === 0 ? null : { ...unknown, ...counts }, waiting };
}
