import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, count, eq, inArray, max, min } from "drizzle-orm";
import { activities, timeframes, webhooks } from "../../store/schema.js";
import { ordering, PageQuery, Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { contains, matchesSearch, orderBy } from "../lists/listing.js";
import { streamedPage } from "../lists/streamed-page.js";
import { activityItem, toActivity } from "./resource.js";
import { type Activity, type ActivityHead, readActivity } from "./rules.js";

const ORDERINGS = { name: activities.name };

export const ActivityFilters = Type.Object({
  ...PageQuery,
  ordering: ordering(Object.keys(ORDERINGS)),
  search: Query.text("Text in the name"),
  name: Query.text("Contains"),
  owner: Query.integer("Id of the owning manager"),
  with_summary: Query.boolean(
    "Adds summary: the times of the time frames of each activity, and the numbers of its time frames and webhooks",
  ),
});

/** Lists the caller's own activities. */
export async function listActivities(ctx: Context, filters: StaticDecode<typeof ActivityFilters>) {
  const where = and(
    eq(activities.ownerId, ctx.caller?.id ?? 0),
    filters.owner === undefined ? undefined : eq(activities.ownerId, filters.owner),
    contains(activities.name, filters.name),
    matchesSearch(filters.search, [activities.name]),
  );
  return streamedPage(
    ctx,
    { table: activities, id: activities.id, large: activities.json, where },
    orderBy(filters.ordering, ORDERINGS, activities.id),
    filters,
    async (rows: Activity[]) =>
      filters.with_summary === true
        ? withSummaries(
            ctx,
            rows.map((row) => toActivity(row)),
          )
        : rows.map(toActivity),
  );
}

async function withSummaries({ queries }: Context, listed: ReturnType<typeof toActivity>[]) {
  const ids = listed.map(({ id }) => id);
  const frames = await queries
    .select({
      activity: timeframes.activityId,
      start: min(timeframes.startTime),
      end: max(timeframes.endTime),
      count: count(),
    })
    .from(timeframes)
    .where(inArray(timeframes.activityId, ids))
    .groupBy(timeframes.activityId);
  const hooks = await queries
    .select({ activity: webhooks.activityId, count: count() })
    .from(webhooks)
    .where(inArray(webhooks.activityId, ids))
    .groupBy(webhooks.activityId);
  const framesOf = new Map(frames.map((one) => [one.activity, one]));
  const hooksOf = new Map(hooks.map((one) => [one.activity, one.count]));
  return listed.map((activity) => {
    const own = framesOf.get(activity.id);
    return {
      ...activity,
      summary: {
        start_time: own?.start?.toISOString() ?? null,
        end_time: own?.end?.toISOString() ?? null,
        timeframes: own?.count ?? 0,
        webhooks: hooksOf.get(activity.id) ?? 0,
      },
    };
  });
}

export const retrieveActivity = async ({ queries }: Context, activity: ActivityHead) =>
  activityItem(await readActivity(queries, activity));
