import { and, between, gte, inArray, sql } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { MAX_LENGTH_DAYS } from "../sample-ownership/wearers.js";
import type { Timeframe } from "./rules.js";

const MAX_LENGTH_MS = MAX_LENGTH_DAYS * 86_400_000;

/**
 * Returns the age of time frames that are created or moved now: later than that of all others of the same devices at these times, which
 * therefore keep their samples. The clock alone is not enough, because another process may have a clock that is ahead, or the clock
 * may have been corrected.
 */
export async function assignmentTime(
  { queries, now }: Pick<UnitOfWork, "queries" | "now">,
  rows: readonly Pick<Timeframe, "deviceId" | "ownerId" | "startTime" | "endTime">[],
): Promise<Date> {
  if (rows.length === 0) return now;
  const fromMs = rows.reduce((least, { startTime }) => Math.min(least, startTime.getTime()), Infinity);
  const toMs = rows.reduce((most, { endTime }) => Math.max(most, endTime.getTime()), -Infinity);
  const { deviceId, ownerId, startTime, endTime, assignedAt } = timeframes;
  const [latest] = await queries
    .select({ at: sql<Date | null>`max(${assignedAt})`.mapWith(assignedAt) })
    .from(timeframes)
    .where(
      and(
        inArray(deviceId, [...new Set(rows.map((row) => row.deviceId))]),
        inArray(ownerId, [...new Set(rows.map((row) => row.ownerId))]),
        // No time frame is longer, so an index finds these.
        between(startTime, new Date(fromMs - MAX_LENGTH_MS), new Date(toMs)),
        gte(endTime, new Date(fromMs)),
      ),
    );
  return new Date(Math.max(now.getTime(), (latest?.at?.getTime() ?? -Infinity) + 1));
}
