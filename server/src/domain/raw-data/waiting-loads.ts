import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { isLeased, isWaiting } from "../../store/queue/job-queue.js";
import { jobs } from "../../store/schema.js";

/** Returns the number of recordings of a device that wait to be loaded, and may add samples again that were removed. */
export const waitingLoads = (queries: Queries, deviceId: number): Promise<number> =>
  countLoads(queries, sql`${jobs.payload}->>'device' = ${String(deviceId)}`);

/** Returns this number for several devices. Counts only recordings that the owner loads, because others add no samples of the owner. */
export const waitingLoadsOf = (
  queries: Queries,
  owned: readonly { deviceId: number; ownerId: number }[],
): Promise<number> => {
  const listOf = (ids: readonly number[]) => sql`${sql.param(ids.map(String))}::text[]`;
  return countLoads(
    queries,
    sql`(${jobs.payload}->>'device', ${jobs.payload}->>'manager') IN (SELECT * FROM unnest(
      ${listOf(owned.map(({ deviceId }) => deviceId))}, ${listOf(owned.map(({ ownerId }) => ownerId))}))`,
  );
};

const countLoads = (queries: Queries, isOf: SQL) =>
  queries.$count(jobs, and(eq(jobs.kind, "bulk-load"), or(isWaiting, isLeased), isOf));
