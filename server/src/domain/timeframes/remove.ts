import { inArray, type SQL } from "drizzle-orm";
import type { Queries } from "../../store/database.js";
import { timeframes } from "../../store/schema.js";
import type { UnitOfWork } from "../unit-of-work.js";

/** Time frames that one transaction deletes, and others wait for. */
const AT_A_TIME = 100;

/**
 * Deletes time frames in transactions of their own, a few at a time, until few enough are left for one more. What is
 * deleted with them follows in that last one; a request that is cut off between them is repeated.
 * @param remove runs `removeTimeframes` in a transaction, with the limit given
 */
export async function removeInBatches(
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
 * Deletes the time frames that match, with their computed data, in as many statements for a thousand as for one. The one
 * way in which a time frame goes: by its own operation, with its activity, or with its athlete.
 * @param withActivity their activity is deleted in the same transaction
 * @param limit at most so many, those with the lowest ids
 */
export async function removeTimeframes(
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
