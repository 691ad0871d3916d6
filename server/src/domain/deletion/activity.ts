import { eq } from "drizzle-orm";
import { activities, timeframes } from "../../store/schema.js";
import { activityTag } from "../activities/resource.js";
import { type ActivityHead, findActivity, readActivity } from "../activities/rules.js";
import { change, transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { deriveUnlessDeleted } from "../sessions/derive-sessions.js";
import { detailsToMatch } from "../sessions/waiting-work.js";
import { deleteInBatches, deleteTimeframes } from "../timeframes/remove.js";

/** Runs work in a transaction. */
type Run = (work: (unit: UnitOfWork) => Promise<void>) => Promise<void>;

/** Deletes an activity with its time frames, their computed data and its webhooks. */
export const deleteActivity = (ctx: Context, activity: number): Promise<void> =>
  removeActivity(ctx, activity, "deleteActivity", (work) =>
    change(ctx, "deleteActivity", { activity }, work, (_, target) => activityTag(target)),
  );

/** Deletes a session and its activity. */
export const deleteSession = (ctx: Context, session: number): Promise<void> =>
  removeActivity(ctx, session, "deleteSquadSession", (work) =>
    change(ctx, "deleteSquadSession", { session }, work, (_, target) => detailsToMatch(ctx, target)),
  );

/**
 * Removes an activity in several transactions if it has many time frames.
 * @param first runs the first one, and checks the caller's right and `If-Match`. The others do not, because a refusal would leave an
 * activity without some of its time frames.
 */
async function removeActivity(ctx: Context, activity: number, operation: string, first: Run): Promise<void> {
  let run = first;
  const remove = async (work: (unit: UnitOfWork, before: ActivityHead) => Promise<void>) => {
    await run(async (unit) =>
      work(unit, await findActivity(activity, { queries: unit.queries, lock: true })),
    );
    run = (work) => transact(ctx, operation, work);
  };
  const ofActivity = eq(timeframes.activityId, activity);
  await deleteInBatches(ctx.queries, ofActivity, (limit) =>
    remove(async (unit) => {
      await deleteTimeframes(unit, ofActivity, { withActivity: true, limit });
      await deriveUnlessDeleted(unit, activity);
    }),
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
