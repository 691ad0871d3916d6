import { isDeepStrictEqual } from "node:util";
import { eq, sql } from "drizzle-orm";
import { activities, timeframes } from "../../store/schema.js";
import type { TargetOf } from "../access.js";
import { sent } from "../accounts/store.js";
import { type Change, change } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import { requireActivityRoom } from "../quotas.js";
import { recompute } from "../timeframes/recompute.js";
import { removeInPortions, removeTimeframes } from "../timeframes/remove.js";
import { emitActivityEvent } from "../webhooks/events.js";
import { auditView } from "./audit.js";
import { checkActivity, requireSchemaOfTimeframes } from "./check.js";
import { activityItem, activityTag, wholeActivity } from "./list.js";
import type { NewActivity } from "./resource.js";
import type { ActivityHead } from "./rules.js";

export async function createActivity(ctx: Context, body: NewActivity) {
  return change(ctx, "createActivity", {}, async (change) => {
    const columns = await checkActivity(ctx, change, body, body.json);
    const [activity] = await change.queries
      .insert(activities)
      .values({ json: {}, ...columns, createdAt: change.now })
      .returning();
    if (activity === undefined) throw new Error("The activity was not inserted");
    await requireActivityRoom(change, activity.ownerId);
    await change.audit("activity", activity.id, null, auditView(activity));
    return activityItem(activity);
  });
}

/**
 * What an update makes of `json`. It may hold megabytes, so one that stays is read only to be compared, and neither written
 * nor judged again; unless another schema is to describe it.
 */
async function jsonChange({ queries }: Change, before: ActivityHead, body: Partial<NewActivity>) {
  const hasOtherSchema = body.json_schema !== undefined && body.json_schema !== before.jsonSchemaId;
  if (body.json === undefined && !hasOtherSchema) return undefined;
  const { json } = await wholeActivity(queries, before);
  const after = body.json ?? json;
  const isSame = isDeepStrictEqual(after, json);
  return isSame && !hasOtherSchema ? undefined : { before: json, after };
}

/** Characters of `json` as text. Those of a course are counted without writing it out. */
function sizeOf({ gpx, ...rest }: Record<string, unknown>): number {
  return typeof gpx === "string"
    ? JSON.stringify(rest).length + gpx.length
    : JSON.stringify({ gpx, ...rest }).length;
}

/**
 * Changes an activity; what was not sent stays. The computed data of all its time frames are computed again
 * (specification, "States and transitions").
 */
export async function updateActivity(ctx: Context, { id }: ActivityHead, body: Partial<NewActivity>) {
  return change(
    ctx,
    "updateActivity",
    { activity: id },
    async (change, before) => {
      const { name, jsonSchemaId: json_schema, ownerId: owner } = before;
      const changed = await jsonChange(change, before, body);
      const columns = await checkActivity(
        ctx,
        change,
        { name, json_schema, owner, ...sent(body) },
        changed?.after,
      );
      if (columns.jsonSchemaId !== before.jsonSchemaId) {
        await requireSchemaOfTimeframes(change, id, columns.jsonSchemaId);
      }
      const [after] = await change.queries
        .update(activities)
        .set({ ...columns, version: sql`${activities.version} + 1` })
        .where(eq(activities.id, id))
        .returning();
      if (after === undefined) throw errors.notFound();
      if (changed !== undefined && sizeOf(changed.after) > sizeOf(changed.before)) {
        await requireActivityRoom(change, after.ownerId);
      }
      const { json, ...head } = after;
      if (changed === undefined) await change.audit("activity", id, before, head);
      else {
        const wasWhole = { ...before, json: changed.before };
        await change.audit("activity", id, auditView(wasWhole), auditView({ ...head, json }));
      }
      await emitActivityEvent(change, "activity-updated", { activityId: id });
      await recompute(change, eq(timeframes.activityId, id));
      return activityItem(after);
    },
    (_, target) => activityTag(target),
  );
}

/** Deletes an activity with its time frames, their computed data and its webhooks. */
export async function deleteActivity(ctx: Context, activity: number): Promise<void> {
  const ofActivity = eq(timeframes.activityId, activity);
  const remove = (work: (change: Change, before: TargetOf<"deleteActivity">) => Promise<unknown>) =>
    change(ctx, "deleteActivity", { activity }, work, (_, target) => activityTag(target));
  await removeInPortions(ctx.queries, ofActivity, (limit) =>
    remove((change) => removeTimeframes(change, ofActivity, { withActivity: true, limit })),
  );
  await remove(async (change, before) => {
    await removeTimeframes(change, ofActivity, { withActivity: true });
    // From here on no time frame can join the activity; one that did meanwhile goes too, and is reported.
    await change.queries
      .select({ id: activities.id })
      .from(activities)
      .where(eq(activities.id, activity))
      .for("update");
    await removeTimeframes(change, ofActivity, { withActivity: true });
    await emitActivityEvent(change, "activity-deleted", { activityId: activity });
    await change.audit("activity", activity, auditView(await wholeActivity(change.queries, before)), null);
    await change.queries.delete(activities).where(eq(activities.id, activity));
  });
}
