import { activities } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { enforceActivityQuota } from "../change/quotas.js";
import { checkActivity } from "./check.js";
import { activityItem, type NewActivity } from "./resource.js";

export async function createActivity(ctx: Context, body: NewActivity) {
  return change(ctx, "createActivity", {}, async (unit) => {
    const columns = await checkActivity(ctx, unit, body, body.json);
    const [activity] = await unit.queries
      .insert(activities)
      .values({ json: {}, ...columns, createdAt: unit.now })
      .returning();
    if (activity === undefined) throw new Error("The activity was not inserted");
    await enforceActivityQuota(unit, activity.ownerId);
    await unit.announce("activityCreated", { activity });
    return activityItem(activity);
  });
}
