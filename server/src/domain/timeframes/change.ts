import { isDeepStrictEqual } from "node:util";
import { eq, sql } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { sent } from "../accounts/store.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import { requireTimeframeRoom } from "../quotas.js";
import type { UnitOfWork } from "../unit-of-work.js";
import { checkTimeframe } from "./check.js";
import { requireMatch, type TimeframeQuery, timeframeItem } from "./list.js";
import { removeTimeframes } from "./remove.js";
import type { NewTimeframe } from "./resource.js";
import type { Timeframe } from "./rules.js";

/** Creates a time frame; its data are computed afterwards. */
export async function createTimeframe(ctx: Context, body: NewTimeframe) {
  return change(ctx, "createTimeframe", {}, async (unit) => {
    const columns = await checkTimeframe(ctx, unit, body);
    await requireRoom(unit, columns.activityId);
    const [timeframe] = await unit.queries
      .insert(timeframes)
      .values({ ...columns, createdAt: unit.now })
      .returning();
    if (timeframe === undefined) throw new Error("The time frame was not inserted");
    await requireTimeframeRoom(unit, timeframe.ownerId);
    await unit.audit("timeframe", timeframe.id, null, timeframe);
    await unit.announce("timeframeCreated", { timeframe });
    return timeframeItem(ctx, timeframe, {});
  });
}

/**
 * An activity goes with its time frames in one transaction, which others wait for.
 * @throws ServiceError `too_many_timeframes`
 */
async function requireRoom({ queries, config }: UnitOfWork, activityId: number): Promise<void> {
  const known = await queries.$count(timeframes, eq(timeframes.activityId, activityId));
  if (known < config.activityMaxTimeframes) return;
  throw errors.conflict(
    "too_many_timeframes",
    `An activity has at most ${config.activityMaxTimeframes} time frames. Use another activity for more.`,
  );
}

/**
 * Changes a time frame; what was not sent stays. Its data are computed again. One that moves to another activity is
 * reported to the webhooks of both.
 */
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
      const columns = await checkTimeframe(ctx, unit, { ...asInput(before), ...sent(body) }, before);
      if (columns.activityId !== before.activityId) await requireRoom(unit, columns.activityId);
      const [after] = await unit.queries
        .update(timeframes)
        .set({ ...columns, version: sql`${timeframes.version} + 1` })
        .where(eq(timeframes.id, id))
        .returning();
      if (after === undefined) throw errors.notFound();
      const hasSameParams = isDeepStrictEqual(after.params, before.params);
      const view = ({ params, ...rest }: Timeframe) => (hasSameParams ? rest : { ...rest, params });
      await unit.audit("timeframe", id, view(before), view(after));
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

export async function deleteTimeframe(ctx: Context, timeframe: number, query: TimeframeQuery): Promise<void> {
  await change(
    ctx,
    "deleteTimeframe",
    { timeframe },
    async (unit, target) => {
      await requireMatch({ ...ctx, queries: unit.queries }, target, query);
      await removeTimeframes(unit, eq(timeframes.id, timeframe));
    },
    (unit, target) => timeframeItem({ ...ctx, queries: unit.queries }, target, query),
  );
}
