import { inArray, type SQL } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import type { Change } from "../change.js";
import { emitActivityEvent } from "../webhooks/events.js";

/**
 * Deletes the time frames that match, with their computed data. The one way in which a time frame goes: by its own
 * operation, with its activity, or with its athlete (operations, item 55).
 */
export async function removeTimeframes(change: Change, matching: SQL): Promise<void> {
  const { queries, audit } = change;
  const rows = await queries.select().from(timeframes).where(matching).orderBy(timeframes.id).for("update");
  for (const row of rows) {
    await emitActivityEvent(change, "timeframe-deleted", { activityId: row.activityId, timeframeId: row.id });
    await audit("timeframe", row.id, row, null);
  }
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await queries.delete(timeframes).where(inArray(timeframes.id, ids));
}
