import { isDeepStrictEqual } from "node:util";
import { eq, sql } from "drizzle-orm";
import { activities, timeframes } from "../../store/schema.js";
import type { TargetOf } from "../access.js";
import { sent } from "../accounts/store.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import { requireActivityRoom } from "../quotas.js";
import { removeInPortions, removeTimeframes } from "../timeframes/remove.js";
import type { UnitOfWork } from "../unit-of-work.js";
import { auditView } from "./audit.js";
import { checkActivity, requireSchemaOfTimeframes } from "./check.js";
import { activityItem, activityTag, wholeActivity } from "./list.js";
import type { NewActivity } from "./resource.js";
import type { ActivityHead } from "./rules.js";

export async function createActivity(ctx: Context, body: NewActivity) {
  return change(ctx, "createActivity", {}, async (unit) => {
    const columns = await checkActivity(ctx, unit, body, body.json);
    const [activity] = await unit.queries
      .insert(activities)
      .values({ json: {}, ...columns, createdAt: unit.now })
      .returning();
    if (activity === undefined) throw new Error("The activity was not inserted");
    await requireActivityRoom(unit, activity.ownerId);
    await unit.audit("activity", activity.id, null, auditView(activity));
    return activityItem(activity);
  });
}

/**
 * What an update makes of `json`. It may hold megabytes, so one that stays is read only to be compared, and neither written
 * nor judged again; unless another schema is to describe it.
 */
async function jsonChange({ queries }: UnitOfWork, before: ActivityHead, body: Partial<NewActivity>) {
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
    async (unit, before) => {
      const { name, jsonSchemaId: json_schema, ownerId: owner } = before;
      const changed = await jsonChange(unit, before, body);
      const columns = await checkActivity(
        ctx,
        unit,
        { name, json_schema, owner, ...sent(body) },
        changed?.after,
      );
      if (columns.jsonSchemaId !== before.jsonSchemaId) {
        await requireSchemaOfTimeframes(unit, id, columns.jsonSchemaId);
      }
      const [after] = await unit.queries
        .update(activities)
        .set({ ...columns, version: sql`${activities.version} + 1` })
        .where(eq(activities.id, id))
        .returning();
      if (after === undefined) throw errors.notFound();
      if (changed !== undefined && sizeOf(changed.after) > sizeOf(changed.before)) {
        await requireActivityRoom(unit, after.ownerId);
      }
      const { json, ...head } = after;
      if (changed === undefined) await unit.audit("activity", id, before, head);
      else {
        const wasWhole = { ...before, json: changed.before };
        await unit.audit("activity", id, auditView(wasWhole), auditView({ ...head, json }));
      }
      await unit.announce("activityUpdated", { activityId: id });
      return activityItem(after);
    },
    (_, target) => activityTag(target),
  );
}

/** Deletes an activity with its time frames, their computed data and its webhooks. */
export async function deleteActivity(ctx: Context, activity: number): Promise<void> {
  const ofActivity = eq(timeframes.activityId, activity);
  const remove = (work: (unit: UnitOfWork, before: TargetOf<"deleteActivity">) => Promise<unknown>) =>
    change(ctx, "deleteActivity", { activity }, work, (_, target) => activityTag(target));
  await removeInPortions(ctx.queries, ofActivity, (limit) =>
    remove((unit) => removeTimeframes(unit, ofActivity, { withActivity: true, limit })),
  );
  await remove(async (unit, before) => {
    await removeTimeframes(unit, ofActivity, { withActivity: true });
    // From here on no time frame can join the activity; one that did meanwhile goes too, and is reported.
    await unit.queries
      .select({ id: activities.id })
      .from(activities)
      .where(eq(activities.id, activity))
      .for("update");
    await removeTimeframes(unit, ofActivity, { withActivity: true });
    await unit.announce("activityDeleted", { activityId: activity });
    await unit.audit("activity", activity, auditView(await wholeActivity(unit.queries, before)), null);
    await unit.queries.delete(activities).where(eq(activities.id, activity));
  });
}
