import { eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import type { Interval } from "../../store/samples/index.js";
import { ownerships, recordingStreams } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { RecordingStream } from "./resource.js";

/** Times closer than this are one interval, as in the result of an upload, so a recording has at most some thousand of them. */
const MERGED_MS = 300_000;

/** Whether effects of the stream are still to come. */
export const hasChanges: SQL = isNotNull(recordingStreams.changed);

const multirangeOf = (times: readonly Interval[]): SQL =>
  sql`(SELECT range_agg(int8range(start_ms, stop_ms, '[]')) FROM unnest(
    ${sql.param(times.map(({ startMs }) => startMs))}::bigint[], ${sql.param(times.map(({ stopMs }) => stopMs))}::bigint[]
  ) AS changed (start_ms, stop_ms))`;

/** The changed times of a stream and these. */
export const withChanges = (changed: readonly Interval[]) => ({
  changed: sql`(
    SELECT range_agg(int8range(lower(wide), upper(wide) - ${MERGED_MS}::bigint)) FROM unnest((
      SELECT range_agg(int8range(lower(one), upper(one) + ${MERGED_MS}::bigint))
      FROM unnest(coalesce(${recordingStreams.changed}, '{}') + ${multirangeOf(changed)}) AS one
    )) AS wide)`,
});

/** Announces the samples of a stream that are stored since the last announcement. The device must be locked. */
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

/** The changed times at which the manager owned the device: between two of them, others may have owned it. */
async function changedTimes(
  queries: Queries,
  { deviceId, managerId, changed }: RecordingStream,
): Promise<Interval[]> {
  const msOf = (time: string) => sql.raw(`(extract(epoch FROM ${time}) * 1000)::bigint`);
  const { rows } = await queries.execute<{ times: string }>(sql`
    SELECT coalesce(json_agg(json_build_array(lower(one), upper(one)) ORDER BY one), '[]')::text AS times
    FROM unnest(${changed}::int8multirange * (
      SELECT coalesce(range_agg(int8range(${msOf("start_time")}, ${msOf("end_time")})), '{}')
      FROM ${ownerships} WHERE device_id = ${deviceId} AND manager_id = ${managerId}
    )) AS one`);
  const times = JSON.parse(rows[0]?.times ?? "[]") as [fromMs: number, toMs: number][];
  return times.map(([fromMs, toMs]) => ({ startMs: fromMs, stopMs: toMs - 1 }));
}
