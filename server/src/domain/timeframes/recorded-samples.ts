import { and, eq, gte, lte, ne } from "drizzle-orm";
import type { Queries } from "../../store/database.js";
import type { Interval } from "../../store/samples/index.js";
import { ownerships, timeframes } from "../../store/schema.js";
import type { Timeframe } from "./rules.js";

/** What says whose samples they are. */
type Worn = Pick<Timeframe, "deviceId" | "ownerId" | "athleteId" | "startTime" | "endTime">;

/**
 * The times whose samples were recorded for the athlete of a time frame: those of its device from its start to its end,
 * as long as its owner owned the device. Nothing else says who wore a device. The computed data use the same samples.
 */
export async function recordedTimes(queries: Queries, frame: Worn): Promise<Interval[]> {
  const owned = await queries
    .select({ start: ownerships.startTime, end: ownerships.endTime })
    .from(ownerships)
    .where(and(eq(ownerships.deviceId, frame.deviceId), eq(ownerships.managerId, frame.ownerId)))
    .orderBy(ownerships.startTime, ownerships.id);
  return owned
    .map(({ start, end }) => ({
      startMs: Math.max(start.getTime(), frame.startTime.getTime()),
      // An ownership does not include its end; a time frame does.
      stopMs: Math.min(end.getTime() - 1, frame.endTime.getTime()),
    }))
    .filter(({ startMs, stopMs }) => startMs <= stopMs);
}

/** The same without the times that a time frame of another athlete on the same device covers too. */
export async function timesOfAthleteAlone(queries: Queries, frame: Worn): Promise<Interval[]> {
  const others = await queries
    .select({ start: timeframes.startTime, end: timeframes.endTime })
    .from(timeframes)
    .where(
      and(
        eq(timeframes.deviceId, frame.deviceId),
        ne(timeframes.athleteId, frame.athleteId),
        lte(timeframes.startTime, frame.endTime),
        gte(timeframes.endTime, frame.startTime),
      ),
    );
  return others.reduce(
    (left, { start, end }) => left.flatMap((one) => without(one, start.getTime(), end.getTime())),
    await recordedTimes(queries, frame),
  );
}

/** A closed interval without another closed one. */
export const without = ({ startMs, stopMs }: Interval, fromMs: number, toMs: number): Interval[] =>
  [
    { startMs, stopMs: Math.min(stopMs, fromMs - 1) },
    { startMs: Math.max(startMs, toMs + 1), stopMs },
  ].filter((part) => part.startMs <= part.stopMs);
