import { eq, getTableColumns } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { activities } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Lookup, Rule } from "../change/rule.js";

export type Activity = typeof activities.$inferSelect;

/** An activity without its `json`, which can be several megabytes. */
export type ActivityHead = Omit<Activity, "json">;

const { json: _json, ...headColumns } = getTableColumns(activities);

/** Finds an activity. */
export async function findActivity(id: number, { queries, lock }: Lookup): Promise<ActivityHead> {
  const query = queries.select(headColumns).from(activities).where(eq(activities.id, id));
  // A stronger lock could deadlock: a concurrent change to a time frame locks its row and then refers to the activity.
  const [activity] = await (lock ? query.for("no key update") : query);
  if (activity === undefined) throw errors.notFound();
  return activity;
}

/**
 * Returns the activity with its `json`.
 * @throws ServiceError `not_found` when it has been deleted in the meantime
 */
export async function readActivity(queries: Queries, { id }: ActivityHead): Promise<Activity> {
  const [activity] = await queries.select().from(activities).where(eq(activities.id, id));
  if (activity === undefined) throw errors.notFound();
  return activity;
}

export const ownActivity: Rule<"activity", ActivityHead> = {
  description: "The manager who owns the activity",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const activity = await findActivity(ids.activity, lookup);
    if (activity.ownerId !== ctx.caller?.id) throw errors.forbidden();
    return activity;
  },
};

/** The permission on each time frame is checked separately: see `retrieveActivityComputedData`. */
export const anyActivity: Rule<"activity", ActivityHead> = {
  description: "Managers with READ permission on the athlete of a time frame from its start to its end",
  roles: ["MANAGER"],
  find: (_ctx, ids, lookup) => findActivity(ids.activity, lookup),
};
