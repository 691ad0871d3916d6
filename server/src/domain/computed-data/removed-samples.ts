import { and, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import { BUCKET_MS, type Interval } from "../../store/samples/index.js";
import { ownerships, removedSamples, timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { without } from "../sample-ownership/intervals.js";
import { millisecondsOf } from "./multirange.js";

/**
 * Condition: whether retention has removed samples of the time frame in the row of `timeframes`. Its last result is
 * then kept, because a new result would lack these samples. Samples of other owners of the device do not count.
 */
export const hasLostSamples: SQL<boolean> = sql<boolean>`EXISTS (SELECT 1 FROM ${removedSamples} JOIN ${ownerships}
    ON ${ownerships.deviceId} = ${timeframes.deviceId} AND ${ownerships.managerId} = ${timeframes.ownerId}
  WHERE ${removedSamples.deviceId} = ${timeframes.deviceId}
    AND greatest(to_timestamp(${removedSamples.startMs} / 1000.0), ${ownerships.startTime}, ${timeframes.startTime})
      <= least(to_timestamp(${removedSamples.stopMs} / 1000.0), ${ownerships.endTime} - interval '1 ms', ${timeframes.endTime}))`;

/** Removed intervals with a smaller distance are merged, because no chunk can have contained a sample between them. */
const JOINED_WITHIN_MS = BUCKET_MS;

/** Records that retention has removed samples. */
export async function recordRemovals(
  { queries }: UnitOfWork,
  { deviceId, removed }: { deviceId: number; removed: readonly Interval[] },
): Promise<void> {
  for (const { startMs, stopMs } of removed) {
    const near = and(
      eq(removedSamples.deviceId, deviceId),
      lte(removedSamples.startMs, stopMs + JOINED_WITHIN_MS),
      gte(removedSamples.stopMs, startMs - JOINED_WITHIN_MS),
    );
    const joined = await queries.delete(removedSamples).where(near).returning();
    await queries.insert(removedSamples).values({
      deviceId,
      startMs: Math.min(startMs, ...joined.map((interval) => interval.startMs)),
      stopMs: Math.max(stopMs, ...joined.map((interval) => interval.stopMs)),
    });
  }
}

/** Number of rows in one statement, which can have at most 65,535 parameters. */
const ROWS_PER_INSERT = 5_000;

/**
 * Removes recorded intervals whose samples have been loaded again.
 * @param event `changed` is ascending and disjoint
 */
export async function deleteRemovalRecords(
  { queries }: UnitOfWork,
  { deviceId, changed: stored }: { deviceId: number; changed: readonly Interval[] },
): Promise<void> {
  if (stored.length === 0) return;
  const touched = await queries
    .delete(removedSamples)
    .where(
      and(
        eq(removedSamples.deviceId, deviceId),
        sql`int8range(${removedSamples.startMs}, ${removedSamples.stopMs}, '[]') && ${millisecondsOf(stored)}`,
      ),
    )
    .returning();
  const left = without(
    touched.toSorted((a, b) => a.startMs - b.startMs),
    stored,
  );
  for (let at = 0; at < left.length; at += ROWS_PER_INSERT) {
    const rows = left.slice(at, at + ROWS_PER_INSERT);
    await queries.insert(removedSamples).values(rows.map((interval) => ({ deviceId, ...interval })));
  }
}
