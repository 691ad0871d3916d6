import { and, eq, gt, gte, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import type { Interval } from "../../store/samples/index.js";
import { timeframes } from "../../store/schema.js";
import { cutTo } from "./intervals.js";
import { ownedTimes } from "./owners.js";
import { type FrameTime, WearerSweep, type WornTimes } from "./wearer-sweep.js";

/** Number of time frames in one read. */
const ROWS = 5_000;

/** Maximum length of a time frame. */
export const MAX_LENGTH_DAYS = 7;

const MAX_LENGTH_MS = MAX_LENGTH_DAYS * 86_400_000;

/** Time frames of an athlete by one manager on one device, from the first start to the last end. */
export interface Worn extends Interval {
  athleteId: number;
  deviceId: number;
  ownerId: number;
}

/** Returns the devices and managers of an athlete's time frames. */
export async function wornDevices(queries: Queries, athleteId: number): Promise<Worn[]> {
  const { deviceId, ownerId, startTime, endTime } = timeframes;
  const rows = await queries
    .select({
      deviceId,
      ownerId,
      start: sql<Date>`min(${startTime})`.mapWith(startTime),
      end: sql<Date>`max(${endTime})`.mapWith(endTime),
    })
    .from(timeframes)
    .where(eq(timeframes.athleteId, athleteId))
    .groupBy(deviceId, ownerId)
    .orderBy(deviceId, ownerId);
  return rows.map(({ deviceId, ownerId, start, end }) => ({
    athleteId,
    deviceId,
    ownerId,
    startMs: start.getTime(),
    stopMs: end.getTime(),
  }));
}

interface FrameRow {
  id: number;
  isOwn: boolean;
  start: Date;
  end: Date;
  assignedAt: Date;
}

const timeOf = ({ start, end, assignedAt, ...row }: FrameRow): FrameTime => ({
  ...row,
  startMs: start.getTime(),
  stopMs: end.getTime(),
  assignedAtMs: assignedAt.getTime(),
});

/** Yields the times of each time frame at which the samples belong to the athlete, in the order of the starts. */
export async function* wornTimes(queries: Queries, worn: Worn): AsyncGenerator<WornTimes, void, undefined> {
  const owned = await ownedTimes(queries, worn, worn);
  const [own, others] = [cutTo(owned), cutTo(owned)];
  const sweep = new WearerSweep();
  const cut = (times: WornTimes): WornTimes => ({
    frame: times.frame,
    own: times.own.flatMap(own),
    others: times.others.flatMap(others),
  });
  for (let last: FrameRow | undefined; ; ) {
    const after =
      last === undefined
        ? gte(timeframes.startTime, new Date(worn.startMs))
        : or(
            gt(timeframes.startTime, last.start),
            and(eq(timeframes.startTime, last.start), gt(timeframes.id, last.id)),
          );
    const rows: FrameRow[] = await framesStarting(queries, worn, after, ROWS);
    for (const row of rows) yield* sweep.add(timeOf(row)).map(cut);
    last = rows.at(-1);
    if (rows.length < ROWS) break;
  }
  yield* sweep.end().map(cut);
}

/** Times of samples up to `stopMs`, ascending and disjoint. */
interface WornPart extends Pick<WornTimes, "own" | "others"> {
  /** Last time of the part. */
  stopMs: number;
}

/**
 * Returns times of samples of the athlete and of other athletes from a start time, for a limited number of time frames,
 * which keeps the transaction that removes the samples short.
 * @param limit maximum number of time frames that cover the start time, and of later ones
 */
export async function wornPart(
  queries: Queries,
  worn: Worn,
  startMs: number,
  limit = ROWS,
): Promise<WornPart> {
  const covering = await framesCovering(queries, worn, startMs, limit);
  const starting = await framesStarting(queries, worn, gt(timeframes.startTime, new Date(startMs)), limit);
  // Unread time frames that cover the start time are newer and end later than the last one that was read.
  const coveringMs = covering[limit - 1]?.end.getTime() ?? Number.POSITIVE_INFINITY;
  const startingMs = starting[limit - 1]?.start.getTime() ?? Number.POSITIVE_INFINITY;
  const stopMs = Math.min(worn.stopMs, coveringMs, startingMs - 1);
  const sweep = new WearerSweep();
  const ownReached = covering[0]?.ownReached;
  const times = [
    ...covering.flatMap(({ ownReached: _, ...row }) => sweep.add({ ...timeOf(row), startMs })),
    // Add hidden time frames of the athlete, because the sweep must report these times.
    ...(ownReached ? sweep.add({ ...HIDDEN, startMs, stopMs: ownReached.getTime() }) : []),
    ...starting.flatMap((row) => sweep.add(timeOf(row))),
    ...sweep.end(),
  ];
  const owned = await ownedTimes(queries, worn, { startMs, stopMs });
  return {
    own: times.flatMap(({ own }) => own).flatMap(cutTo(owned)),
    others: times.flatMap(({ others }) => others).flatMap(cutTo(owned)),
    stopMs,
  };
}

/** A time frame of the athlete that is newer than all others. */
const HIDDEN = { id: 0, isOwn: true, assignedAtMs: Number.POSITIVE_INFINITY };

const { id, startTime, endTime, assignedAt } = timeframes;

const isOwnOf = ({ athleteId }: Worn) => sql<boolean>`(${timeframes.athleteId} = ${athleteId})`;

const framesOf = ({ deviceId, ownerId }: Worn, ...conditions: (SQL | undefined)[]) =>
  and(eq(timeframes.deviceId, deviceId), eq(timeframes.ownerId, ownerId), ...conditions);

/** Reads the first time frames in the order of their starts. */
const framesStarting = (
  queries: Queries,
  worn: Worn,
  after: SQL | undefined,
  limit: number,
): Promise<FrameRow[]> =>
  queries
    .select({ id, isOwn: isOwnOf(worn), start: startTime, end: endTime, assignedAt })
    .from(timeframes)
    .where(framesOf(worn, after, lte(startTime, new Date(worn.stopMs))))
    .orderBy(startTime, id)
    .limit(limit);

/**
 * Reads the time frames that cover a time and that no older time frame covers until their end. They are in the order of
 * their ends, which equals the order of their age. Each includes the last end of the athlete's time frames over this
 * time.
 */
function framesCovering(
  queries: Queries,
  worn: Worn,
  atMs: number,
  limit: number,
): Promise<(FrameRow & { ownReached: Date | null })[]> {
  const at = new Date(atMs);
  const isOwn = isOwnOf(worn);
  const covering = queries
    .select({
      id,
      isOwn: isOwn.as("is_own"),
      start: startTime,
      end: endTime,
      assignedAt,
      reached: sql<Date | null>`max(${endTime}) OVER (
        ORDER BY ${assignedAt}, ${id} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )`.as("reached"),
      ownReached: sql<Date | null>`max(${endTime}) FILTER (WHERE ${isOwn}) OVER ()`
        .mapWith(endTime)
        .as("own_reached"),
    })
    .from(timeframes)
    .where(
      framesOf(worn, lte(startTime, at), gte(startTime, new Date(atMs - MAX_LENGTH_MS)), gte(endTime, at)),
    )
    .as("covering");
  const { reached, ...columns } = covering._.selectedFields;
  return queries
    .select(columns)
    .from(covering)
    .where(or(isNull(reached), gt(covering.end, reached)))
    .orderBy(covering.end)
    .limit(limit);
}
