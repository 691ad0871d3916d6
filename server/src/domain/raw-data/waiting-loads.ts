import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { isLeased, isWaiting } from "../../store/queue/job-queue.js";
import { jobs, recordingStreams } from "../../store/schema.js";

/**
 * Returns the number of recordings of a device that wait to be loaded or are still being streamed, and may add samples again that
 * were removed.
 */
export const waitingLoads = (queries: Queries, deviceId: number): Promise<number> =>
  countLoads(queries, (device) => sql`${device} = ${String(deviceId)}`);

/** Returns this number for several devices. Counts only recordings that the owner loads, because others add no samples of the owner. */
export const waitingLoadsOf = (
  queries: Queries,
  owned: readonly { deviceId: number; ownerId: number }[],
): Promise<number> => {
  const listOf = (ids: readonly number[]) => sql`${sql.param(ids.map(String))}::text[]`;
  const devices = listOf(owned.map(({ deviceId }) => deviceId));
  const owners = listOf(owned.map(({ ownerId }) => ownerId));
  return countLoads(
    queries,
    (device, manager) => sql`(${device}, ${manager}) IN (SELECT * FROM unnest(${devices}, ${owners}))`,
  );
};

/** @param isOf condition for the ids of a device and a manager, as text */
async function countLoads(queries: Queries, isOf: (device: SQL, manager: SQL) => SQL): Promise<number> {
  const ofJob = isOf(sql`${jobs.payload}->>'device'`, sql`${jobs.payload}->>'manager'`);
  const { deviceId, managerId, endedAt } = recordingStreams;
  const ofStream = isOf(sql`${deviceId}::text`, sql`${managerId}::text`);
  return (
    (await queries.$count(jobs, and(eq(jobs.kind, "bulk-load"), or(isWaiting, isLeased), ofJob))) +
    (await queries.$count(recordingStreams, and(isNull(endedAt), ofStream)))
  );
}
