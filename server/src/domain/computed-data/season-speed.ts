import {
  PROFILE_DAYS,
  SEASON_DAYS,
  type SeasonMaxSpeed,
  type SessionMaxSpeed,
  seasonMaxSpeed,
} from "asi-convert/metrics";
import type { Context } from "../change/context.js";
import type { Timeframe } from "../timeframes/rules.js";
import { DAY_MS, type DayResult, dayOf, resultsOfDays } from "./results-of-days.js";

/** The maximum speed of the year up to a time frame, and how many sessions were compared; null without any. */
export type SeasonSpeed = { [key in keyof SeasonMaxSpeed]: SeasonMaxSpeed[key] | null } & {
  readonly sessions: number;
  /** Number of time frames that were not compared, because they are not computed. */
  readonly not_computed: number;
};

/** What the time frames of a season give. */
export interface Season {
  /** Null if no session has a known maximum speed and none is still to be computed. */
  speed: SeasonSpeed | null;
  /** The ids of the time frames that are not computed, latest first. */
  waiting: readonly number[];
  /** The time frames that a pooled profile may use, latest first. */
  pooled: readonly DayResult[];
}

/** Maximum number of pooled time frames: ten for every day. */
const MAX_POOLED = 10 * PROFILE_DAYS;

/**
 * Returns the maximum speed of the athlete in the 365 days (UTC) that end with the day of a time frame. Uses the stored results
 * of the owner's time frames that the caller can read. The time frames of an activity on one day count as one session, so they do
 * not confirm each other.
 */
export async function seasonMaxSpeedOf(ctx: Context, frame: Timeframe): Promise<Season> {
  const sessions = new Map<string, SessionMaxSpeed>();
  const waiting: number[] = [];
  const pooled: DayResult[] = [];
  const lastDay = dayOf(frame.startTime);
  const pooledFrom = dayOf(new Date(Date.parse(lastDay) - (PROFILE_DAYS - 1) * DAY_MS));
  for await (const result of resultsOfDays(ctx, frame, { days: SEASON_DAYS })) {
    const { id, session, day, maxSpeed } = result;
    if (maxSpeed === null) {
      waiting.push(id);
      continue;
    }
    sessions.set(session, { day, maxSpeed: Math.max(maxSpeed, sessions.get(session)?.maxSpeed ?? 0) });
    if (day >= pooledFrom && pooled.length < MAX_POOLED) pooled.push(result);
  }
  // If several sessions have the same speed, the first one counts.
  const compared = [...sessions.values()].reverse();
  const season = seasonMaxSpeed(compared, lastDay);
  const counts = { sessions: sessions.size, not_computed: waiting.length };
  if (season !== null) return { speed: { ...season, ...counts }, waiting, pooled };
  const unknown = { max_speed: null, day: null, unconfirmed: null };
  return { speed: waiting.length === 0 ? null : { ...unknown, ...counts }, waiting, pooled };
}
