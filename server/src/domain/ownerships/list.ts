import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq, gte, lte, sql } from "drizzle-orm";
import { devices, ownerships } from "../../store/schema.js";
import { CURRENT_END, PageQuery, Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { type Item, item } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";
import { listPage, orderBy } from "../lists/listing.js";
import { toOwnership } from "./resource.js";
import type { Ownership } from "./rules.js";

export const OwnershipFilters = Type.Object({
  ...PageQuery,
  device: Query.text("Device id"),
  device_name: Query.text("Equals"),
  start_time_from: Query.dateTime("Started at or after"),
  start_time_to: Query.dateTime("Started at or before"),
  end_time_from: Query.dateTime("Ended at or after"),
  end_time_to: Query.dateTime("Ended at or before"),
});

type Filters = StaticDecode<typeof OwnershipFilters>;

/** Parses a device id; an invalid id matches no device. */
const deviceIdOf = (text: string) =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0;

function matchingOwnerships({ queries, caller }: Context, filters: Filters, id?: number) {
  const me = caller?.id ?? 0;
  const ownedNow = sql<boolean>`EXISTS (SELECT 1 FROM ownerships AS now_owned WHERE now_owned.device_id = ${devices.id}
    AND now_owned.manager_id = ${me} AND now_owned.end_time = ${CURRENT_END.toISOString()}::timestamptz)`;
  return queries
    .select({ ownership: ownerships, device: devices, isOwner: ownedNow.as("is_owner") })
    .from(ownerships)
    .innerJoin(devices, eq(devices.id, ownerships.deviceId))
    .where(
      and(
        eq(ownerships.managerId, me),
        id === undefined ? undefined : eq(ownerships.id, id),
        filters.device === undefined ? undefined : eq(ownerships.deviceId, deviceIdOf(filters.device)),
        filters.device_name === undefined ? undefined : eq(devices.deviceName, filters.device_name),
        filters.start_time_from && gte(ownerships.startTime, filters.start_time_from),
        filters.start_time_to && lte(ownerships.startTime, filters.start_time_to),
        filters.end_time_from && gte(ownerships.endTime, filters.end_time_from),
        filters.end_time_to && lte(ownerships.endTime, filters.end_time_to),
      ),
    )
    .$dynamic();
}

/** Lists the caller's own ownerships, current and ended. */
export async function listOwnerships(ctx: Context, filters: Filters) {
  return listPage(
    ctx.queries,
    matchingOwnerships(ctx, filters),
    orderBy(undefined, {}, ownerships.id),
    filters,
    ({ ownership, device, isOwner }) => toOwnership(ownership, device, isOwner),
  );
}

/** Finds one of the caller's ownerships if it also matches the filters of the list. */
export async function retrieveOwnership(
  ctx: Context,
  { id }: Ownership,
  filters: Filters,
): Promise<Item<ReturnType<typeof toOwnership>>> {
  const [row] = await matchingOwnerships(ctx, filters, id);
  if (row === undefined) throw errors.notFound();
  return item(toOwnership(row.ownership, row.device, row.isOwner), row.ownership.version, row.device.version);
}
