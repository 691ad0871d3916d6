import { type SeasonMaxSpeed, type SessionMaxSpeed, seasonMaxSpeed } from "asi-convert/metrics";
import { and, desc, eq, gte, isNotNull, lt } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { grantsOf } from "../permissions/coverage.js";
import type { Timeframe } from "../timeframes/rules.js";
import { stays } from "./compute.js";

/** The maximum speed of the year up to a time frame, and how many sessions were compared. */
export interface SeasonSpeed extends SeasonMaxSpeed {
  readonly sessions: number;
}

const DAY_MS = 86_400_000;
const SEASON_DAYS = 365;

/** Maximum number of compared time frames, fastest first: more than five for every day of the year. */
const MAX_TIMEFRAMES = 2_000;

const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/**
 * The maximum speed of the athlete in the 365 days (UTC) that end with the day of a time frame, from the stored results
 * of those time frames of its owner that the caller can read. The time frames of an activity on one day count as one
 * session, so they do not confirm each other.
 * @returns null if no session has a known maximum speed
 */
export async function seasonMaxSpeedOf(
  { queries, caller }: Context,
  { athleteId, ownerId, startTime }: Timeframe,
): Promise<SeasonSpeed | null> {
  const to = dayOf(startTime);
  const endMs = Date.parse(to) + DAY_MS;
  const rows = await queries
    .select({
      activityId: timeframes.activityId,
      startTime: timeframes.startTime,
      endTime: timeframes.endTime,
      maxSpeed: computedData.sessionMaxSpeed,
    })
    .from(timeframes)
    .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
    .where(
      and(
        eq(timeframes.athleteId, athleteId),
        eq(timeframes.ownerId, ownerId),
        gte(timeframes.startTime, new Date(endMs - SEASON_DAYS * DAY_MS)),
        lt(timeframes.startTime, new Date(endMs)),
        isNotNull(computedData.sessionMaxSpeed),
        stays,
      ),
    )
    .orderBy(desc(computedData.sessionMaxSpeed), timeframes.startTime, timeframes.id)
    .limit(MAX_TIMEFRAMES);
  // If several sessions have the same speed, the first one counts.
  rows.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
  const grants = await grantsOf(queries, caller?.id ?? 0, "READ", [athleteId]);
  const sessions = new Map<string, SessionMaxSpeed>();
  for (const { activityId, startTime, endTime, maxSpeed } of rows) {
    if (maxSpeed === null || !grants.cover(athleteId, startTime, endTime)) continue;
    const day = dayOf(startTime);
    const session = `${activityId}/${day}`;
    sessions.set(session, { day, maxSpeed: Math.max(maxSpeed, sessions.get(session)?.maxSpeed ?? 0) });
  }
  const season = seasonMaxSpeed([...sessions.values()], to);
  return season && { ...season, sessions: sessions.size };
}
