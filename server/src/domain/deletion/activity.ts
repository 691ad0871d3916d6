import { eq, getTableColumns } from "drizzle-orm";
import { activities, timeframes } from "../../store/schema.js";
import { activityTag } from "../activities/resource.js";
import { type ActivityHead, readActivity } from "../activities/rules.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { detailsToMatch } from "../sessions/waiting-work.js";
import { deleteInBatches, deleteTimeframes } from "../timeframes/remove.js";

/** Runs a change to the activity in a transaction that locks it and checks the caller's right. */
type Run = (work: (unit: UnitOfWork, before: ActivityHead) => Promise<void>) => Promise<void>;

/** Deletes an activity with its time frames, their computed data and its webhooks. */
export const deleteActivity = (ctx: Context, activity: number): Promise<void> =>
  removeActivity(ctx, activity, (work) =>
    change(ctx, "deleteActivity", { activity }, work, (_, target) => activityTag(target)),
  );

/** Deletes a session and its activity. */
export const deleteSession = (ctx: Context, session: number): Promise<void> =>
  removeActivity(ctx, session, (work) =>
    change(
      ctx,
      "deleteSquadSession",
      { session },
      async (unit) => work(unit, await headOf(unit, session)),
      (_, target) => detailsToMatch(ctx, target),
    ),
  );

/** Returns the activity that the rule of sessions has locked. */
async function headOf({ queries }: UnitOfWork, session: number): Promise<ActivityHead> {
  const { json: _, ...columns } = getTableColumns(activities);
  const [activity] = await queries.select(columns).from(activities).where(eq(activities.id, session));
  if (activity === undefined) throw errors.notFound();
  return activity;
}

async function removeActivity(ctx: Context, activity: number, remove: Run): Promise<void> {
  const ofActivity = eq(timeframes.activityId, activity);
  await deleteInBatches(ctx.queries, ofActivity, (limit) =>
    remove((unit) => deleteTimeframes(unit, ofActivity, { withActivity: true, limit })),
  );
  await remove(async (unit, before) => {
    await deleteTimeframes(unit, ofActivity, { withActivity: true });
    // The lock prevents adding time frames to the activity. A time frame added before the lock is deleted and reported
    // too.
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
