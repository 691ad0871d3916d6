import { inArray, type SQL } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Number of time frames that one transaction deletes, because other transactions wait for it. */
const AT_A_TIME = 100;

/**
 * The same for an athlete. Each can be in another activity with a hundred webhooks, and in another session of an account with twenty.
 * The transaction notifies all of them, and sends an account at most 200 events.
 */
export const OF_ATHLETE_AT_A_TIME = 10;

/**
 * Deletes time frames in batches, each in a separate transaction, until the rest fits into one transaction. The caller then
 * deletes the rest with its parent. After an interruption, the client repeats the request.
 * @param remove runs `deleteTimeframes` in a transaction, with the given limit
 */
export async function deleteInBatches(
  queries: Queries,
  matching: SQL,
  remove: (limit: number) => Promise<unknown>,
  atATime = AT_A_TIME,
): Promise<void> {
  const next = () =>
    queries
      .select({ id: timeframes.id })
      .from(timeframes)
      .where(matching)
      .limit(atATime + 1);
  while ((await next()).length > atATime) await remove(atATime);
}

/**
 * Deletes the matching time frames with their computed data. The number of statements does not depend on the number of time
 * frames. Every deletion of time frames, including with an activity or an athlete, uses this
 * function.
 * @param withActivity whether the same transaction deletes their activity
 * @param limit maximum number of time frames; deletes those with the lowest ids
 */
export async function deleteTimeframes(
  unit: UnitOfWork,
  matching: SQL,
  { withActivity = false, limit }: { withActivity?: boolean; limit?: number } = {},
): Promise<void> {
  const { queries } = unit;
  const query = queries.select().from(timeframes).where(matching).orderBy(timeframes.id).$dynamic();
  const rows = await (limit === undefined ? query : query.limit(limit)).for("update");
  await unit.announce("timeframesDeleted", { deleted: rows, withActivity });
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await queries.delete(timeframes).where(inArray(timeframes.id, ids));
}
