import { isDeepStrictEqual } from "node:util";
import { eq, sql } from "drizzle-orm";
import { timeframes } from "../../store/schema.js";
import { sent } from "../accounts/store.js";
import { type Change, change } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import { requireTimeframeRoom } from "../quotas.js";
import { emitActivityEvent } from "../webhooks/events.js";
import { checkTimeframe } from "./check.js";
import { requireMatch, type TimeframeQuery, timeframeItem } from "./list.js";
import { queueComputation } from "./recompute.js";
import { removeTimeframes } from "./remove.js";
import type { NewTimeframe } from "./resource.js";
import type { Timeframe } from "./rules.js";

/** Creates a time frame; its data are computed afterwards. */
export async function createTimeframe(ctx: Context, body: NewTimeframe) {
  return change(ctx, "createTimeframe", {}, async (change) => {
    const columns = await checkTimeframe(ctx, change, body);
    await requireRoom(change, columns.activityId);
    const [timeframe] = await change.queries
      .insert(timeframes)
      .values({ ...columns, createdAt: change.now })
      .returning();
    if (timeframe === undefined) throw new Error("The time frame was not inserted");
    await requireTimeframeRoom(change, timeframe.ownerId);
    await change.audit("timeframe", timeframe.id, null, timeframe);
    await emit(change, "timeframe-created", timeframe.activityId, timeframe.id);
    await queueComputation(change, [timeframe]);
    return timeframeItem(ctx, timeframe, {});
  });
}

/**
 * An activity goes with its time frames in one transaction, which others wait for.
 * @throws ServiceError `too_many_timeframes`
 */
async function requireRoom({ queries, config }: Change, activityId: number): Promise<void> {
  const known = await queries.$count(timeframes, eq(timeframes.activityId, activityId));
  if (known < config.activityMaxTimeframes) return;
  throw errors.conflict(
    "too_many_timeframes",
    `An activity has at most ${config.activityMaxTimeframes} time frames. Use another activity for more.`,
  );
}

const emit = (
  change: Change,
  kind: "timeframe-created" | "timeframe-updated",
  activityId: number,
  timeframeId: number,
) => emitActivityEvent(change, kind, { activityId, timeframeId });

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
    async (change, before) => {
      await requireMatch({ ...ctx, queries: change.queries }, before, query);
      const columns = await checkTimeframe(ctx, change, { ...asInput(before), ...sent(body) }, before);
      if (columns.activityId !== before.activityId) await requireRoom(change, columns.activityId);
      const [after] = await change.queries
        .update(timeframes)
        .set({ ...columns, version: sql`${timeframes.version} + 1` })
        .where(eq(timeframes.id, id))
        .returning();
      if (after === undefined) throw errors.notFound();
      const hasSameParams = isDeepStrictEqual(after.params, before.params);
      const view = ({ params, ...rest }: Timeframe) => (hasSameParams ? rest : { ...rest, params });
      await change.audit("timeframe", id, view(before), view(after));
      for (const activityId of new Set([before.activityId, after.activityId])) {
        await emit(change, "timeframe-updated", activityId, id);
      }
      await queueComputation(change, [after]);
      return timeframeItem({ ...ctx, queries: change.queries }, after, query);
    },
    (change, target) => timeframeItem({ ...ctx, queries: change.queries }, target, query),
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
    async (change, target) => {
      await requireMatch({ ...ctx, queries: change.queries }, target, query);
      await removeTimeframes(change, eq(timeframes.id, timeframe));
    },
    (change, target) => timeframeItem({ ...ctx, queries: change.queries }, target, query),
  );
}
