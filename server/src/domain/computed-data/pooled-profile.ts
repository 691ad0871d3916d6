import {
  type PooledProfile,
  PROFILE_DAYS,
  type ProfilePoint,
  pooledProfile,
  SEASON_DAYS,
} from "asi-convert/metrics";
import { sql } from "drizzle-orm";
import { computedData } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { Timeframe } from "../timeframes/rules.js";
import { type DayResult, dayOf, resultsOfDays } from "./results-of-days.js";
import type { seasonMaxSpeedOf } from "./season-speed.js";

/** Maximum number of pooled time frames, latest first: ten for every day. */
const MAX_TIMEFRAMES = 10 * PROFILE_DAYS;

/** Number of time frames for each statement. Few athletes have more in four weeks. */
const AT_A_TIME = 100;

/** The profile, or the reason why there is none, and how many time frames are missing. */
export interface PooledOfDays extends PooledProfile {
  /** Number of time frames of the year that are not computed. While there are some, there is no profile. */
  readonly not_computed: number;
}

type Times = Pick<Timeframe, "startTime" | "endTime">;

const overlap = (a: Times, b: Times) => a.startTime <= b.endTime && b.startTime <= a.endTime;

/**
 * Returns the acceleration-speed profile of the athlete in the 28 days (UTC) that end with the day of a time frame. Uses the
 * stored results of the owner's time frames that the caller can read. Ignores time frames that overlap a longer one, because they
 * contain the same points. The time frames of an activity on one day count as one session.
 * There is no profile while time frames of the year are not computed, because their runs, or a higher maximum speed, would change it.
 * @param season the maximum speed of the season
 */
export async function pooledProfileOf(
  ctx: Context,
  frame: Timeframe,
  season: Awaited<ReturnType<typeof seasonMaxSpeedOf>>,
): Promise<PooledOfDays> {
  const results: (DayResult<string | null> & { value: string | null })[] = [];
  for await (const result of resultsOfDays(ctx, frame, {
    days: PROFILE_DAYS,
    value: sql<string | null>`${computedData.profilePoints}`,
    atATime: AT_A_TIME,
  })) {
    if (result.found !== null) results.push({ ...result, value: result.found.value });
    if (results.length === MAX_TIMEFRAMES) break;
  }
  const sessions = new Map<string, { day: string; points: ProfilePoint[] }>();
  for (const { session, day, value } of longestOf(results)) {
    const pooled = sessions.get(session) ?? { day, points: [] };
    if (value !== null) pooled.points.push(...(JSON.parse(value) as ProfilePoint[]));
    sessions.set(session, pooled);
  }
  const maxSpeed = season.speed?.max_speed ?? null;
  const pooled = pooledProfile([...sessions.values()], { to: dayOf(frame.startTime), maxSpeed });
  const { waiting } = season;
  if (waiting.length === 0) return { ...pooled, not_computed: 0 };
  const reason = `${waiting.length} time frames of the ${SEASON_DAYS} days are not computed, the latest with the id ${waiting[0]}`;
  return { ...pooled, profile: null, reason, not_computed: waiting.length };
}

/** Removes time frames that overlap a longer one. Returns the others in chronological order. */
function longestOf<T extends Times>(rows: readonly T[]): T[] {
  const length = ({ startTime, endTime }: T) => endTime.getTime() - startTime.getTime();
  const kept: T[] = [];
  for (const row of rows.toSorted((a, b) => length(b) - length(a))) {
    if (!kept.some((other) => overlap(row, other))) kept.push(row);
  }
  return kept.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
}
