import { and, eq, gt, lte } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type Interval, normaliseIntervals } from "../../store/samples/index.js";
import { ownerships } from "../../store/schema.js";
import { intersect } from "./intervals.js";

/*
 * Whose a sample is.
 *
 * - It is the manager's who owned the device at its time (`timesOf`). Nobody's samples are not stored.
 * - Of these, it is an athlete's when a time frame of that manager says that the athlete wore the device then, and the
 *   athlete's alone when no time frame of that manager says so of another athlete (`WearerSweep`). Time frames of other
 *   managers say nothing about it.
 *
 * Loading, reading, computed data, retention, the extension of an ownership backwards, the export of an athlete, and the erasure
 * of an athlete or a manager are all derived from these two.
 */

/** When a manager owned a device: from `startTime` on, up to `endTime`, which is not included. */
export interface OwnedTime {
  startTime: Date;
  endTime: Date;
}

/** The times of ownerships, as closed intervals, ascending and disjoint. */
export const timesOf = (owned: readonly OwnedTime[]): Interval[] =>
  normaliseIntervals(
    owned.map(({ startTime, endTime }) => ({ startMs: startTime.getTime(), stopMs: endTime.getTime() - 1 })),
  );

/** The times within an interval whose samples are the manager's. */
export const timesWithin = (owned: readonly OwnedTime[], within: Interval): Interval[] =>
  intersect([within], timesOf(owned));

/** Reads the ownerships of a device by a manager that overlap an interval, and returns `timesWithin`. */
export async function ownedTimes(
  queries: Queries,
  { deviceId, ownerId }: { deviceId: number; ownerId: number },
  within: Interval,
): Promise<Interval[]> {
  const owned = await queries
    .select({ startTime: ownerships.startTime, endTime: ownerships.endTime })
    .from(ownerships)
    .where(
      and(
        eq(ownerships.deviceId, deviceId),
        eq(ownerships.managerId, ownerId),
        gt(ownerships.endTime, new Date(within.startMs)),
        lte(ownerships.startTime, new Date(within.stopMs)),
      ),
    );
  return timesWithin(owned, within);
}
