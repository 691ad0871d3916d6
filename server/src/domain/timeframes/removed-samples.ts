import { and, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/database.js";
import type { Interval } from "../../store/samples/index.js";
import { removedSamples, timeframes } from "../../store/schema.js";

/**
 * Whether retention has removed samples of the time frame of the row of `timeframes`: its last result then stays,
 * because none as good can be computed any more.
 */
export const hasLostSamples: SQL<boolean> = sql<boolean>`EXISTS (SELECT 1 FROM ${removedSamples}
  WHERE ${removedSamples.deviceId} = ${timeframes.deviceId}
    AND to_timestamp(${removedSamples.startMs} / 1000.0) <= ${timeframes.endTime}
    AND to_timestamp(${removedSamples.stopMs} / 1000.0) >= ${timeframes.startTime})`;

/** Removed intervals closer than this are kept as one: no sample lies between them that a chunk could have held. */
const JOINED_WITHIN_MS = 300_000;

/**
 * Remembers that retention has removed samples. To be called in the transaction that removes them.
 * @param removed from the first to the last removed sample of each chunk
 */
export async function samplesRemoved(
  queries: Queries,
  deviceId: number,
  removed: readonly Interval[],
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

/** Takes back what is there again: the samples were loaded once more. */
export async function forgetRemoved(
  queries: Queries,
  deviceId: number,
  stored: readonly Interval[],
): Promise<void> {
  const starts = sql.param(stored.map(({ startMs }) => startMs));
  const stops = sql.param(stored.map(({ stopMs }) => stopMs));
  const touched = await queries
    .delete(removedSamples)
    .where(
      and(
        eq(removedSamples.deviceId, deviceId),
        sql`EXISTS (SELECT 1 FROM unnest(${starts}::bigint[], ${stops}::bigint[]) AS stored (start_ms, stop_ms)
          WHERE stored.start_ms <= ${removedSamples.stopMs} AND stored.stop_ms >= ${removedSamples.startMs})`,
      ),
    )
    .returning();
  const left = touched.flatMap((interval) => without(interval, stored));
  if (left.length > 0) {
    await queries.insert(removedSamples).values(left.map((interval) => ({ deviceId, ...interval })));
  }
}

/** What of a closed interval none of the others holds. */
function without({ startMs, stopMs }: Interval, others: readonly Interval[]): Interval[] {
  const left: Interval[] = [];
  let from = startMs;
  for (const other of others.toSorted((a, b) => a.startMs - b.startMs)) {
    if (other.stopMs < from || other.startMs > stopMs) continue;
    if (other.startMs > from) left.push({ startMs: from, stopMs: other.startMs - 1 });
    from = other.stopMs + 1;
  }
  if (from <= stopMs) left.push({ startMs: from, stopMs });
  return left;
}
