import { eq, sql } from "drizzle-orm";
import { activities, timeframes } from "../../store/schema.js";
import { sent } from "../accounts/store.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import { recompute } from "../timeframes/recompute.js";
import { removeTimeframes } from "../timeframes/remove.js";
import { emitActivityEvent } from "../webhooks/events.js";
import { auditView } from "./audit.js";
import { checkActivity, requireSchemaOfTimeframes } from "./check.js";
import { activityItem } from "./list.js";
import { type NewActivity, toActivity } from "./resource.js";
import type { Activity } from "./rules.js";

export async function createActivity(ctx: Context, body: NewActivity) {
  return change(ctx, "createActivity", {}, async (change) => {
    const columns = await checkActivity(ctx, change, body);
    const [activity] = await change.queries
      .insert(activities)
      .values({ ...columns, createdAt: change.now })
      .returning();
    if (activity === undefined) throw new Error("The activity was not inserted");
    await change.audit("activity", activity.id, null, auditView(activity));
    return activityItem(activity);
  });
}

/**
 * Changes an activity; what was not sent stays. The computed data of all its time frames are computed anew
 * (specification, "States and transitions").
 */
export async function updateActivity(ctx: Context, { id }: Activity, body: Partial<NewActivity>) {
  return change(
    ctx,
    "updateActivity",
    { activity: id },
    async (change, before) => {
      const columns = await checkActivity(ctx, change, { ...toActivity(before), ...sent(body) });
      if (columns.jsonSchemaId !== before.jsonSchemaId) {
        await requireSchemaOfTimeframes(change, id, columns.jsonSchemaId);
      }
      const [after] = await change.queries
        .update(activities)
        .set({ ...columns, version: sql`${activities.version} + 1` })
        .where(eq(activities.id, id))
        .returning();
      if (after === undefined) throw errors.notFound();
      await change.audit("activity", id, auditView(before), auditView(after));
      await emitActivityEvent(change, "activity-updated", { activityId: id });
      await recompute(change, eq(timeframes.activityId, id));
      return activityItem(after);
    },
    async (_, target) => activityItem(target),
  );
}

/** Deletes an activity with its time frames, their computed data and its webhooks (operations, item 55). */
export async function deleteActivity(ctx: Context, activity: number): Promise<void> {
  await change(
    ctx,
    "deleteActivity",
    { activity },
    async (change, before) => {
      const ofActivity = eq(timeframes.activityId, activity);
      await removeTimeframes(change, ofActivity, { withActivity: true });
      // From here on no time frame can join the activity; one that did meanwhile goes too, and is reported.
      await change.queries.select().from(activities).where(eq(activities.id, activity)).for("update");
      await removeTimeframes(change, ofActivity, { withActivity: true });
      await emitActivityEvent(change, "activity-deleted", { activityId: activity });
      await change.audit("activity", activity, auditView(before), null);
      await change.queries.delete(activities).where(eq(activities.id, activity));
    },
    async (_, target) => activityItem(target),
  );
}
