import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import { activities } from "../../store/schema.js";
import { ordering, PageQuery, Query } from "../../wire/types.js";
import type { Context } from "../context.js";
import { contains, matchesSearch, orderBy } from "../listing.js";
import { streamedPage, weightOf } from "../streamed-page.js";
import { activityItem, toActivity } from "./resource.js";
import { type Activity, type ActivityHead, readActivity } from "./rules.js";

const ORDERINGS = { name: activities.name };

export const ActivityFilters = Type.Object({
  ...PageQuery,
  ordering: ordering(Object.keys(ORDERINGS)),
  search: Query.text("Found in name"),
  name: Query.text("Contains"),
  owner: Query.integer("Id of the owning manager"),
});

/** The caller's own activities. */
export async function listActivities(ctx: Context, filters: StaticDecode<typeof ActivityFilters>) {
  const where = and(
    eq(activities.ownerId, ctx.caller?.id ?? 0),
    filters.owner === undefined ? undefined : eq(activities.ownerId, filters.owner),
    contains(activities.name, filters.name),
    matchesSearch(filters.search, [activities.name]),
  );
  return streamedPage(
    ctx,
    { table: activities, id: activities.id, where },
    weightOf(activities.json),
    orderBy(filters.ordering, ORDERINGS, activities.id),
    filters,
    async (rows: Activity[]) => rows.map(toActivity),
  );
}

export const retrieveActivity = async ({ queries }: Context, activity: ActivityHead) =>
  activityItem(await readActivity(queries, activity));
