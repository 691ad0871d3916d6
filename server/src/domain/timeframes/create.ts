import { timeframes } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { enforceTimeframeQuota } from "../change/quotas.js";
import { setNamed } from "../recipes/named.js";
import { checkTimeframe, requireActivityTakesMore, requireDevicesTake } from "./check.js";
import { timeframeItem } from "./list.js";
import type { NewTimeframe } from "./resource.js";

/** Creates a time frame; its data is computed later. */
export async function createTimeframe(ctx: Context, body: NewTimeframe) {
  return change(ctx, "createTimeframe", {}, async (unit) => {
    const { columns, recipeIds = [] } = await checkTimeframe(ctx, unit, body);
    await requireActivityTakesMore(unit, columns.activityId);
    const [timeframe] = await unit.queries
      .insert(timeframes)
      .values({ ...columns, assignedAt: unit.now })
      .returning();
    if (timeframe === undefined) throw new Error("The time frame was not inserted");
    await setNamed(unit.queries, timeframe.id, recipeIds);
    await enforceTimeframeQuota(unit, timeframe.ownerId);
    await requireDevicesTake(unit, [timeframe]);
    await unit.announce("timeframeCreated", { timeframe });
    return timeframeItem(ctx, timeframe, {});
  });
}
