import { eq, sql } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { setNamed } from "../recipes/named.js";
import { checkTimeframe, requireActivityTakesMore, requireDevicesTake, saysTheSame } from "./check.js";
import { requireMatch, type TimeframeQuery, timeframeItem } from "./list.js";
import type { NewTimeframe } from "./resource.js";
import type { Timeframe } from "./rules.js";

/** Updates a time frame; absent fields do not change. */
export async function updateTimeframe(
  ctx: Context,
  operation: "updateTimeframe" | "updateTimeframePartially",
  { id }: Timeframe,
  query: TimeframeQuery,
  body: Partial<NewTimeframe>,
) {
  return change(
    ctx,
    operation,
    { timeframe: id },
    async (unit, before) => {
      await requireMatch({ ...ctx, queries: unit.queries }, before, query);
      const wanted = { ...asInput(before), ...body };
      const { columns, recipeIds } = await checkTimeframe(ctx, unit, wanted, before);
      if (columns.activityId !== before.activityId) await requireActivityTakesMore(unit, columns.activityId);
      const [after] = await unit.queries
        .update(timeframes)
        .set({
          ...columns,
          assignedAt: saysTheSame(before, wanted) ? before.assignedAt : unit.now,
          version: sql`${timeframes.version} + 1`,
        })
        .where(eq(timeframes.id, id))
        .returning();
      if (after === undefined) throw errors.notFound();
      if (!saysTheSame(before, wanted)) await requireDevicesTake(unit, [after]);
      if (recipeIds !== undefined) await setNamed(unit.queries, id, recipeIds);
      await unit.announce("timeframeUpdated", { before, after });
      return timeframeItem({ ...ctx, queries: unit.queries }, after, query);
    },
    (unit, target) => timeframeItem({ ...ctx, queries: unit.queries }, target, query),
  );
}

const asInput = (timeframe: Timeframe): NewTimeframe => ({
  start_time: timeframe.startTime,
  end_time: timeframe.endTime,
  params: timeframe.params,
  device: timeframe.deviceId,
  activity: timeframe.activityId,
  athlete: timeframe.athleteId,
  owner: timeframe.ownerId,
  json_schema: timeframe.jsonSchemaId,
});
