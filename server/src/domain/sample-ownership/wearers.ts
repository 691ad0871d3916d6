import { and, eq, gt, gte, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import type { Interval } from "../../store/samples/index.js";
import { timeframes } from "../../store/schema.js";
import { cutTo } from "./intervals.js";
import { ownedTimes } from "./owners.js";
import { type FrameTime, WearerSweep, type WornTimes } from "./wearer-sweep.js";

/** Time frames that one statement reads. */
const ROWS = 5_000;

/** The maximum length of a time frame. */
export const MAX_LENGTH_DAYS = 7;

const MAX_LENGTH_MS = MAX_LENGTH_DAYS * 86_400_000;

/** The time frames of an athlete by one manager on one device, from the first start to the last end. */
export interface Worn extends Interval {
  athleteId: number;
  deviceId: number;
  ownerId: number;
}

/** The devices and managers of an athlete's time frames. */
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

/**
 * The times whose samples are the athlete's, time frame by time frame, in the order of their starts. They are read once, in
 * statements of bounded size, with the time frames of other athletes in between.
 * @param fromMs leaves out what is earlier
 */
export async function* wornTimes(
  queries: Queries,
  worn: Worn,
  fromMs = worn.startMs,
): AsyncGenerator<WornTimes, void, undefined> {
  const within = { startMs: fromMs, stopMs: worn.stopMs };
  const owned = await ownedTimes(queries, worn, within);
  const [own, others] = [cutTo(owned), cutTo(owned)];
  const sweep = new WearerSweep();
  const cut = (times: WornTimes): WornTimes => ({
    frame: times.frame,
    own: times.own.flatMap(own),
    others: times.others.flatMap(others),
  });
  for await (const frame of framesFrom(queries, worn, within)) yield* sweep.add(frame).map(cut);
  yield* sweep.end().map(cut);
}

async function* framesFrom(
  queries: Queries,
  worn: Worn,
  { startMs, stopMs }: Interval,
): AsyncGenerator<FrameTime, void, undefined> {
  const { startTime, endTime, assignedAt, id, athleteId, deviceId, ownerId } = timeframes;
  const from = new Date(startMs);
  const isOwn = sql<boolean>`(${athleteId} = ${worn.athleteId})`;
  const columns = { id, isOwn, start: startTime, end: endTime, assignedAt };
  const matching = (...conditions: (SQL | undefined)[]) =>
    and(eq(deviceId, worn.deviceId), eq(ownerId, worn.ownerId), ...conditions);
  // Of those that started earlier, an older one that ends later says the same or prevails.
  const earlier = queries
    .select({
      ...columns,
      isOwn: isOwn.as("is_own"),
      reached: sql<Date | null>`max(${endTime}) OVER (
        PARTITION BY ${isOwn} ORDER BY ${assignedAt}, ${id} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )`.as("reached"),
    })
    .from(timeframes)
    .where(
      matching(lt(startTime, from), gte(startTime, new Date(startMs - MAX_LENGTH_MS)), gte(endTime, from)),
    )
    .as("earlier");
  const timeOf = ({ start, end, assignedAt, ...row }: FrameRow): FrameTime => ({
    ...row,
    startMs: Math.max(start.getTime(), startMs),
    stopMs: end.getTime(),
    assignedAtMs: assignedAt.getTime(),
  });
  const open = (after: FrameRow | undefined) =>
    queries
      .select({
        id: earlier.id,
        isOwn: earlier.isOwn,
        start: earlier.start,
        end: earlier.end,
        assignedAt: earlier.assignedAt,
      })
      .from(earlier)
      .where(
        and(
          or(isNull(earlier.reached), gt(earlier.end, earlier.reached)),
          after === undefined ? undefined : gt(earlier.id, after.id),
        ),
      )
      .orderBy(earlier.id)
      .limit(ROWS);
  const starting = (after: FrameRow | undefined) =>
    queries
      .select(columns)
      .from(timeframes)
      .where(
        matching(
          lte(startTime, new Date(stopMs)),
          after === undefined
            ? gte(startTime, from)
            : or(gt(startTime, after.start), and(eq(startTime, after.start), gt(id, after.id))),
        ),
      )
      .orderBy(startTime, id)
      .limit(ROWS);
  for (const read of [open, starting]) {
    for (let last: FrameRow | undefined; ; ) {
      const rows: FrameRow[] = await read(last);
      yield* rows.map(timeOf);
      last = rows.at(-1);
      if (rows.length < ROWS) break;
    }
  }
}
