import { type PooledProfile, type ProfilePoint, pooledProfile, SEASON_DAYS } from "asi-convert/metrics";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { computedData, timeframes } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import type { Timeframe } from "../timeframes/rules.js";
import { dayOf } from "./results-of-days.js";
import type { Season } from "./season-speed.js";

/** Number of time frames whose points one statement reads. */
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
 */
export async function pooledProfileOf(ctx: Context, frame: Timeframe, season: Season): Promise<PooledOfDays> {
  const sessions = new Map<string, { day: string; points: ProfilePoint[] }>();
  const results = longestOf(season.pooled);
  for (let at = 0; at < results.length; at += AT_A_TIME) {
    ctx.signal?.throwIfAborted();
    const some = results.slice(at, at + AT_A_TIME);
    const pointsOf = await pointsOfFrames(ctx, frame, some);
    for (const { id, session, day } of some) {
      const pooled = sessions.get(session) ?? { day, points: [] };
      pooled.points.push(...(pointsOf.get(id) ?? []));
      sessions.set(session, pooled);
    }
  }
  const maxSpeed = season.speed?.max_speed ?? null;
  const pooled = pooledProfile([...sessions.values()], { to: dayOf(frame.startTime), maxSpeed });
  const { waiting } = season;
  if (waiting.length === 0) return { ...pooled, not_computed: 0 };
  const reason = `${waiting.length} time frames of the ${SEASON_DAYS} days are not computed, the latest with the id ${waiting[0]}`;
  return { ...pooled, profile: null, reason, not_computed: waiting.length };
}

/** Reads the points of results, unless their time frames have another athlete or owner in the meantime. */
async function pointsOfFrames(
  { queries }: Context,
  { athleteId, ownerId }: Timeframe,
  frames: readonly { id: number }[],
): Promise<ReadonlyMap<number, ProfilePoint[]>> {
  const rows = await queries
    .select({ id: timeframes.id, points: computedData.profilePoints })
    .from(timeframes)
    .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
    .where(
      and(
        sql`${timeframes.id} = ANY(${sql.param(frames.map(({ id }) => id))}::bigint[])`,
        eq(timeframes.athleteId, athleteId),
        eq(timeframes.ownerId, ownerId),
        isNotNull(computedData.profilePoints),
      ),
    );
  return new Map(rows.map(({ id, points }) => [id, JSON.parse(points ?? "[]") as ProfilePoint[]]));
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
