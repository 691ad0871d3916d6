import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import type { Queries } from "../../store/database.js";
import { activities } from "../../store/schema.js";
import { ordering, PageQuery, Query } from "../../wire/types.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import { type Item, type Tagged, tagged } from "../item.js";
import { contains, matchesSearch, orderBy } from "../listing.js";
import { streamedPage, weightOf } from "../streamed-page.js";
import { toActivity, toActivityHead } from "./resource.js";
import type { Activity, ActivityHead } from "./rules.js";

const ORDERINGS = { name: activities.name };

export const ActivityFilters = Type.Object({
  ...PageQuery,
  ordering: ordering(Object.keys(ORDERINGS)),
  search: Query.text("Found in name"),
  name: Query.text("Contains"),
  owner: Query.integer("Id of the owning manager"),
});

/** The caller's own activities. */
export async function listActivities(
  { queries, caller }: Context,
  filters: StaticDecode<typeof ActivityFilters>,
) {
  const where = and(
    eq(activities.ownerId, caller?.id ?? 0),
    filters.owner === undefined ? undefined : eq(activities.ownerId, filters.owner),
    contains(activities.name, filters.name),
    matchesSearch(filters.search, [activities.name]),
  );
  return streamedPage(
    queries,
    { table: activities, id: activities.id, where },
    weightOf(activities.json),
    orderBy(filters.ordering, ORDERINGS, activities.id),
    filters,
    async (rows: Activity[]) => rows.map(toActivity),
  );
}

/**
 * The activity with its `json`.
 * @throws ServiceError `not_found` when it has been deleted in the meantime
 */
export async function readActivity(queries: Queries, { id }: ActivityHead): Promise<Activity> {
  const [activity] = await queries.select().from(activities).where(eq(activities.id, id));
  if (activity === undefined) throw errors.notFound();
  return activity;
}

export const retrieveActivity = async ({ queries }: Context, activity: ActivityHead) =>
  activityItem(await readActivity(queries, activity));

export const activityItem = (activity: Activity): Item<ReturnType<typeof toActivity>> => ({
  resource: toActivity(activity),
  ...activityTag(activity),
});

/** Every change of `json` makes a new version, so the tag is computed without reading `json`. */
export const activityTag = (activity: ActivityHead): Tagged =>
  tagged(toActivityHead(activity), activity.version);
