import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq, gte, lte, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { timeframes } from "../../store/schema.js";
import { ordering, PageQuery, Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { type Item, item } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";
import { orderBy } from "../lists/listing.js";
import { streamedPage } from "../lists/streamed-page.js";
import { type Details, detailsOf } from "./details.js";
import { toTimeframe } from "./resource.js";
import type { Timeframe } from "./rules.js";

const ORDERINGS = {
  start_time: timeframes.startTime,
  end_time: timeframes.endTime,
  device: timeframes.deviceId,
  athlete: timeframes.athleteId,
  activity: timeframes.activityId,
};

export const TimeframeFilters = Type.Object({
  ...PageQuery,
  ordering: ordering(Object.keys(ORDERINGS)),
  device: Query.integer("Device id"),
  athlete: Query.integer("Athlete id"),
  owner: Query.integer("Manager id"),
  activity: Query.integer("Activity id"),
  start_time_from: Query.dateTime("Starts at or after"),
  start_time_to: Query.dateTime("Starts at or before"),
  end_time_from: Query.dateTime("Ends at or after"),
  end_time_to: Query.dateTime("Ends at or before"),
  with_device: Query.boolean("Add device_details, the device"),
  with_activity: Query.boolean("Add activity_details, the activity without gpx in its json"),
  with_athlete: Query.boolean(
    "Add athlete_details, the athlete without profile_picture; null if you cannot read the athlete",
  ),
});

export type TimeframeQuery = StaticDecode<typeof TimeframeFilters>;

function matches({ caller }: Context, filters: TimeframeQuery): SQL | undefined {
  const equals = (column: PgColumn, value: number | undefined) =>
    value === undefined ? undefined : eq(column, value);
  return and(
    eq(timeframes.ownerId, caller?.id ?? 0),
    equals(timeframes.deviceId, filters.device),
    equals(timeframes.athleteId, filters.athlete),
    equals(timeframes.ownerId, filters.owner),
    equals(timeframes.activityId, filters.activity),
    filters.start_time_from && gte(timeframes.startTime, filters.start_time_from),
    filters.start_time_to && lte(timeframes.startTime, filters.start_time_to),
    filters.end_time_from && gte(timeframes.endTime, filters.end_time_from),
    filters.end_time_to && lte(timeframes.endTime, filters.end_time_to),
  );
}

const withDetails = (timeframe: Timeframe, details: Details) => ({
  ...toTimeframe(timeframe),
  ...details.of(timeframe),
});

/** Lists the caller's own time frames. */
export async function listTimeframes(ctx: Context, query: TimeframeQuery) {
  return streamedPage(
    ctx,
    { table: timeframes, id: timeframes.id, large: timeframes.params, where: matches(ctx, query) },
    orderBy(query.ordering, ORDERINGS, timeframes.id),
    query,
    async (rows: Timeframe[]) => {
      const details = await detailsOf(ctx, rows, query);
      return rows.map((row) => withDetails(row, details));
    },
  );
}

/** @throws ServiceError `not_found` when the time frame does not match the filters of the list */
export async function requireMatch(ctx: Context, { id }: Timeframe, filters: TimeframeQuery): Promise<void> {
  const found = await ctx.queries.$count(timeframes, and(eq(timeframes.id, id), matches(ctx, filters)));
  if (found === 0) throw errors.notFound();
}

/** Returns a time frame for its owner, with the requested details. */
export async function timeframeItem(
  ctx: Context,
  timeframe: Timeframe,
  query: TimeframeQuery,
): Promise<Item<ReturnType<typeof withDetails>>> {
  return item(withDetails(timeframe, await detailsOf(ctx, [timeframe], query)), timeframe.version);
}

export async function retrieveTimeframe(ctx: Context, timeframe: Timeframe, query: TimeframeQuery) {
  await requireMatch(ctx, timeframe, query);
  return timeframeItem(ctx, timeframe, query);
}
