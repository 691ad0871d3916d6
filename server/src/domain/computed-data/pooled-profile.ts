import { type PooledProfile, PROFILE_DAYS, type ProfilePoint, pooledProfile } from "asi-convert/metrics";
import { and, desc, eq, gte, isNotNull, lt, sql } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { grantsOf } from "../permissions/coverage.js";
import type { Timeframe } from "../timeframes/rules.js";
import { stays } from "./compute.js";

const DAY_MS = 86_400_000;

/** Maximum number of pooled time frames, latest first: ten for every day. */
const MAX_TIMEFRAMES = 10 * PROFILE_DAYS;

/** The stored points of a time frame, whose text can be large because of the runs of recipes. */
const points = sql<ProfilePoint[] | null>`(${computedData.further}::json -> 'profile_points')`;

const dayOf = (time: Date) => time.toISOString().slice(0, 10);

type Times = Pick<Timeframe, "startTime" | "endTime">;

const overlap = (a: Times, b: Times) => a.startTime <= b.endTime && b.startTime <= a.endTime;

/**
 * The acceleration-speed profile of the athlete in the 28 days (UTC) that end with the day of a time frame, from the stored
 * results of those time frames of its owner that the caller can read. Time frames that overlap a longer one are not used,
 * because they contain the same points. Those of an activity on one day count as one session.
 * @param maxSpeed maximum speed of the season, m/s; null if it is unknown
 */
export async function pooledProfileOf(
  { queries, caller }: Context,
  { athleteId, ownerId, startTime }: Timeframe,
  maxSpeed: number | null,
): Promise<PooledProfile> {
  const to = dayOf(startTime);
  const endMs = Date.parse(to) + DAY_MS;
  const rows = await queries
    .select({
      activityId: timeframes.activityId,
      startTime: timeframes.startTime,
      endTime: timeframes.endTime,
      points,
    })
    .from(timeframes)
    .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
    .where(
      and(
        eq(timeframes.athleteId, athleteId),
        eq(timeframes.ownerId, ownerId),
        gte(timeframes.startTime, new Date(endMs - PROFILE_DAYS * DAY_MS)),
        lt(timeframes.startTime, new Date(endMs)),
        isNotNull(computedData.sessionMaxSpeed),
        stays,
      ),
    )
    .orderBy(desc(timeframes.startTime), timeframes.id)
    .limit(MAX_TIMEFRAMES);
  const grants = await grantsOf(queries, caller?.id ?? 0, "READ", [athleteId]);
  const readable = rows.filter((row) => grants.cover(athleteId, row.startTime, row.endTime));
  const sessions = new Map<string, { day: string; points: ProfilePoint[] }>();
  for (const { activityId, startTime, points } of longestOf(readable)) {
    const day = dayOf(startTime);
    const key = `${activityId}/${day}`;
    const session = sessions.get(key) ?? { day, points: [] };
    session.points.push(...(points ?? []));
    sessions.set(key, session);
  }
  return pooledProfile([...sessions.values()], { to, maxSpeed });
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
