import { and, eq, or, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { isLeased, isWaiting } from "../../store/queue/job-queue.js";
import { jobs } from "../../store/schema.js";

/** Returns the number of recordings of some devices that wait to be loaded, and may add samples again that were removed. */
export const waitingLoads = (queries: Queries, deviceIds: readonly number[]): Promise<number> =>
  queries.$count(
    jobs,
    and(
      eq(jobs.kind, "bulk-load"),
      or(isWaiting, isLeased),
      sql`${jobs.payload}->>'device' = ANY(${sql.param(deviceIds.map(String))}::text[])`,
    ),
  );
