import { and, eq, or, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { isLeased, isWaiting } from "../../store/queue/job-queue.js";
import { jobs } from "../../store/schema.js";

/**
 * Returns the number of recordings of some devices that wait to be loaded, and may add samples again that were removed.
 * @param of the devices; with an owner, only the recordings that this owner loads count, because others add no samples of the owner
 */
export const waitingLoads = (
  queries: Queries,
  of: readonly { deviceId: number; ownerId?: number }[],
): Promise<number> =>
  queries.$count(
    jobs,
    and(
      eq(jobs.kind, "bulk-load"),
      or(isWaiting, isLeased),
      sql`EXISTS (SELECT FROM unnest(${sql.param(of.map(({ deviceId }) => deviceId))}::bigint[],
          ${sql.param(of.map(({ ownerId }) => ownerId ?? null))}::bigint[]) AS one (device, owner)
        WHERE ${jobs.payload}->>'device' = device::text AND (owner IS NULL OR ${jobs.payload}->>'manager' = owner::text))`,
    ),
  );
