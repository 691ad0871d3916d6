import { eq } from "drizzle-orm";
import { activities, timeframes } from "../../store/schema.js";
import { activityTag } from "../activities/resource.js";
import { readActivity } from "../activities/rules.js";
import type { TargetOf } from "../change/access.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { deleteInBatches, deleteTimeframes } from "../timeframes/remove.js";

/** Deletes an activity with its time frames, their computed data and its webhooks. */
export async function deleteActivity(ctx: Context, activity: number): Promise<void> {
  const ofActivity = eq(timeframes.activityId, activity);
  const remove = (work: (unit: UnitOfWork, before: TargetOf<"deleteActivity">) => Promise<void>) =>
    change(ctx, "deleteActivity", { activity }, work, (_, target) => activityTag(target));
  await deleteInBatches(ctx.queries, ofActivity, (limit) =>
    remove((unit) => deleteTimeframes(unit, ofActivity, { withActivity: true, limit })),
  );
  await remove(async (unit, before) => {
    await deleteTimeframes(unit, ofActivity, { withActivity: true });
    // The lock prevents adding time frames to the activity. One added before the lock is also deleted and reported.
    await unit.queries
      .select({ id: activities.id })
      .from(activities)
      .where(eq(activities.id, activity))
      .for("update");
    await deleteTimeframes(unit, ofActivity, { withActivity: true });
    await unit.announce("activityDeleted", { activity: await readActivity(unit.queries, before) });
    await unit.queries.delete(activities).where(eq(activities.id, activity));
  });
}
