import { and, eq, gt, gte, lt, lte, or, type SQL, sql } from "drizzle-orm";
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

/** On which devices, and by which managers, an athlete has time frames. */
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

/**
 * The times whose samples are the athlete's, time frame by time frame, in the order of their starts. They are read once, in
 * statements of bounded size, with the time frames of other athletes in between.
 * @param fromMs leaves out what is earlier; time frames that started earlier are then one, without an id
 */
export async function* wornTimes(
  queries: Queries,
  worn: Worn,
  fromMs = worn.startMs,
): AsyncGenerator<WornTimes, void, undefined> {
  const within = { startMs: fromMs, stopMs: worn.stopMs };
  const owned = await ownedTimes(queries, worn, within);
  const [alone, shared] = [cutTo(owned), cutTo(owned)];
  const sweep = new WearerSweep();
  const cut = (times: WornTimes): WornTimes => ({
    frame: times.frame,
    alone: times.alone.flatMap(alone),
    shared: times.shared.flatMap(shared),
  });
  for await (const frame of framesFrom(queries, worn, within)) yield* sweep.add(frame).map(cut);
  yield* sweep.end().map(cut);
}

async function* framesFrom(
  queries: Queries,
  { athleteId, deviceId, ownerId }: Worn,
  { startMs, stopMs }: Interval,
): AsyncGenerator<FrameTime, void, undefined> {
  const isOwn = sql<boolean>`(${timeframes.athleteId} = ${athleteId})`;
  const matching = (condition: SQL | undefined) =>
    and(eq(timeframes.deviceId, deviceId), eq(timeframes.ownerId, ownerId), condition);
  const { startTime, endTime, id } = timeframes;
  const from = new Date(startMs);
  const lastEnd = (athletes: SQL) =>
    sql<Date | null>`max(${endTime}) FILTER (WHERE ${athletes})`.mapWith(endTime);
  const [open] = await queries
    .select({ own: lastEnd(isOwn), others: lastEnd(sql`NOT ${isOwn}`) })
    .from(timeframes)
    .where(
      matching(
        and(lt(startTime, from), gte(startTime, new Date(startMs - MAX_LENGTH_MS)), gte(endTime, from)),
      ),
    );
  if (open?.own) yield { id: 0, isOwn: true, startMs, stopMs: open.own.getTime() };
  if (open?.others) yield { id: 0, isOwn: false, startMs, stopMs: open.others.getTime() };
  let after = gte(startTime, from) as SQL | undefined;
  for (;;) {
    const rows = await queries
      .select({ id, isOwn, start: startTime, end: endTime })
      .from(timeframes)
      .where(matching(and(after, lte(startTime, new Date(stopMs)))))
      .orderBy(startTime, id)
      .limit(ROWS);
    for (const { start, end, ...row } of rows) {
      yield { ...row, startMs: start.getTime(), stopMs: end.getTime() };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = or(gt(startTime, last.start), and(eq(startTime, last.start), gt(id, last.id)));
  }
}
