import { eq } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { requireMatch, type TimeframeQuery, timeframeItem } from "./list.js";
import { deleteTimeframes } from "./remove.js";

/** Deletes a time frame with its computed data. */
export async function deleteTimeframe(ctx: Context, timeframe: number, query: TimeframeQuery): Promise<void> {
  await change(
    ctx,
    "deleteTimeframe",
    { timeframe },
    async (unit, target) => {
      await requireMatch({ ...ctx, queries: unit.queries }, target, query);
      await deleteTimeframes(unit, eq(timeframes.id, timeframe));
    },
    (unit, target) => timeframeItem({ ...ctx, queries: unit.queries }, target, query),
  );
}
