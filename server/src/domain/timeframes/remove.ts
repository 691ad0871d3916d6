import { inArray, type SQL } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Time frames that one transaction deletes; others wait for it. */
const AT_A_TIME = 100;

/**
 * Deletes time frames in separate transactions, a batch at a time, until the rest fits into one more transaction. The
 * caller deletes the rest there, with what they belong to. After an interruption, the client repeats the request.
 * @param remove runs `deleteTimeframes` in a transaction, with the given limit
 */
export async function deleteInBatches(
  queries: Queries,
  matching: SQL,
  remove: (limit: number) => Promise<unknown>,
): Promise<void> {
  for (
    let left = await queries.$count(timeframes, matching);
    left > AT_A_TIME;
    left = await queries.$count(timeframes, matching)
  ) {
    await remove(AT_A_TIME);
  }
}

/**
 * Deletes the matching time frames with their computed data. The number of statements does not depend on the number of time
 * frames. All deletions of time frames go through here: their own operation, and those of an activity and an athlete.
 * @param withActivity their activity is deleted in the same transaction
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
