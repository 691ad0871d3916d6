import { MAX_GAP_MS } from "asi-convert";
import { eq, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { type Interval, intervalsIn, millisecondsOf, textOfMultirange } from "../../store/samples/index.js";
import { recordingStreams } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { intersect } from "../sample-ownership/intervals.js";
import { ownedTimes } from "../sample-ownership/owners.js";
import type { RecordingStream } from "./resource.js";

/**
 * Returns the changed times of a stream merged with the given ones. Times closer than the longest gap of a range form
 * one interval, as in the result of an upload, so a recording has at most a few thousand intervals.
 */
export const withChanges = (changed: readonly Interval[]) => ({
  changed: sql`(
    SELECT range_agg(int8range(lower(wide), upper(wide) - ${MAX_GAP_MS}::bigint)) FROM unnest((
      SELECT range_agg(int8range(lower(one), upper(one) + ${MAX_GAP_MS}::bigint))
      FROM unnest(coalesce(${recordingStreams.changed}, '{}') + ${millisecondsOf(changed)}) AS one
    )) AS wide)`,
});

/** Announces the samples of a stream that were stored since the last announcement. The device must be locked. */
export async function announceChanges(
  { queries, announce }: Pick<UnitOfWork, "queries" | "announce">,
  stream: RecordingStream,
): Promise<void> {
  if (stream.changed === null) return;
  const { deviceId, managerId: ownerId } = stream;
  const changed = await changedTimes(queries, stream);
  await queries
    .update(recordingStreams)
    .set({ changed: null })
    .where(eq(recordingStreams.deviceId, deviceId));
  if (changed.length > 0) await announce("samplesStored", { deviceId, ownerId, changed });
}

/** Returns the changed times at which the manager owned the device, because others may have owned it in between. */
async function changedTimes(
  queries: Queries,
  { deviceId, managerId: ownerId, changed }: RecordingStream,
): Promise<Interval[]> {
  const { rows } = await queries.execute<{ times: string }>(
    sql`SELECT ${textOfMultirange(sql`${changed}::int8multirange`)} AS times`,
  );
  const times = intervalsIn(rows[0]?.times ?? "[]");
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return [];
  const within = { startMs: first.startMs, stopMs: last.stopMs };
  return intersect(times, await ownedTimes(queries, { deviceId, ownerId }, within));
}
