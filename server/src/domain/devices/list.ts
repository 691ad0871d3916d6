import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, eq, exists, gte, lte, sql } from "drizzle-orm";
import { devices, ownerships, timeframes } from "../../store/schema.js";
import { CURRENT_END, ordering, PageQuery, Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { contains, listPage, matchesSearch, orderBy } from "../lists/listing.js";
import type { Device } from "./device.js";
import { deviceItem, toDevice } from "./resource.js";

const ORDERINGS = ["device_name", "custom_name", "serial_number", "device_type", "activation_time"] as const;

export const DeviceFilters = Type.Object({
  ...PageQuery,
  ordering: ordering(ORDERINGS),
  search: Query.text("Text in device_name, custom_name, serial_number or device_type"),
  current: Query.boolean("Only devices owned now"),
  device_name: Query.text("Contains"),
  serial_number: Query.text("Contains"),
  device_type: Query.text("Equals"),
  custom_name: Query.text("Contains"),
  activation_time_from: Query.dateTime("Activated at or after"),
  activation_time_to: Query.dateTime("Activated at or before"),
  activity: Query.integer("Linked to a time frame of this activity"),
});

type Filters = StaticDecode<typeof DeviceFilters>;

/** Conditions for the devices that the caller owns or has owned; `filtered` is undefined if there are no filters. */
function conditionsOf({ queries, caller }: Context, filters: Filters) {
  const me = caller?.id ?? 0;
  const mine = and(eq(ownerships.deviceId, devices.id), eq(ownerships.managerId, me));
  const owned = queries.select({ one: sql`1` }).from(ownerships).where(mine);
  const ownedNow = exists(
    queries
      .select({ one: sql`1` })
      .from(ownerships)
      .where(and(mine, eq(ownerships.endTime, CURRENT_END))),
  );
  // Filters and order must not reveal the name given by another owner to a former owner.
  const customName = sql<string | null>`CASE WHEN ${ownedNow} THEN ${devices.customName} END`;
  const inActivity = queries
    .select({ one: sql`1` })
    .from(timeframes)
    .where(
      and(
        eq(timeframes.deviceId, devices.id),
        eq(timeframes.ownerId, me),
        eq(timeframes.activityId, filters.activity ?? 0),
      ),
    );
  const filtered = and(
    contains(devices.deviceName, filters.device_name),
    contains(devices.serialNumber, filters.serial_number),
    contains(customName, filters.custom_name),
    filters.device_type === undefined ? undefined : eq(devices.deviceType, filters.device_type),
    filters.activation_time_from && gte(devices.activationTime, filters.activation_time_from),
    filters.activation_time_to && lte(devices.activationTime, filters.activation_time_to),
    filters.activity === undefined ? undefined : exists(inActivity),
    matchesSearch(filters.search, [devices.deviceName, customName, devices.serialNumber, devices.deviceType]),
  );
  return { everOwned: exists(owned), ownedNow, customName, filtered };
}

/** Lists the devices that the caller owns or has owned, each once. */
export async function listDevices(ctx: Context, filters: Filters) {
  const { everOwned, ownedNow, customName, filtered } = conditionsOf(ctx, filters);
  const orderings = {
    device_name: devices.deviceName,
    custom_name: sql`(${customName}) COLLATE "C"`,
    serial_number: devices.serialNumber,
    device_type: devices.deviceType,
    activation_time: devices.activationTime,
  };
  const matching = ctx.queries
    .select({ device: devices, isOwner: sql<boolean>`${ownedNow}`.as("is_owner") })
    .from(devices)
    .where(and(filters.current ? ownedNow : everOwned, filtered))
    .$dynamic();
  const order = orderBy(filters.ordering, orderings, devices.id);
  return listPage(ctx.queries, matching, order, filters, ({ device, isOwner }) => toDevice(device, isOwner));
}

/**
 * Finds the device if it also matches the filters of the list.
 * @param owned the device and the caller's current ownership
 */
export async function retrieveDevice(
  ctx: Context,
  { device, ownership }: { device: Device; ownership: { id: number } },
  filters: Filters,
) {
  const { filtered } = conditionsOf(ctx, filters);
  const passes =
    filtered === undefined ||
    (await ctx.queries.$count(devices, and(eq(devices.id, device.id), filtered))) > 0;
  if (!passes) throw errors.notFound();
  return deviceItem(device, ownership);
}
