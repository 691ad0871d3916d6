import { and, eq, sql } from "drizzle-orm";
import { preparedOnce, type Queries } from "../../store/connection/database.js";
import { devices, ownerships } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { Lookup, Rule } from "../change/rule.js";
import type { Device } from "../devices/device.js";

export type Ownership = typeof ownerships.$inferSelect;

/** A device and the caller's current ownership. */
export interface OwnedDevice {
  device: Device;
  ownership: Ownership;
}

/** Returns the device with this serial number if the caller owns it now. */
export async function findOwnedDevice(
  { queries, caller }: Context,
  serialNumber: string,
): Promise<OwnedDevice | undefined> {
  const [row] = await queries
    .select({ device: devices, ownership: ownerships })
    .from(devices)
    .innerJoin(ownerships, and(eq(ownerships.deviceId, devices.id), eq(ownerships.endTime, CURRENT_END)))
    .where(and(eq(devices.serialNumber, serialNumber), eq(ownerships.managerId, caller?.id ?? 0)));
  return row;
}

async function requireOwnedDevice(ctx: Context, id: number, lookup: Lookup, neverActivated?: () => Error) {
  const { device, ownership } = await (lookup.lock ? lockCurrentOwnership : findCurrentOwnership)(
    lookup.queries,
    id,
  );
  if (device === undefined) throw errors.notFound();
  if (neverActivated !== undefined && device.activationTime === null) throw neverActivated();
  if (!ownership || ownership.managerId !== ctx.caller?.id) throw errors.forbidden();
  return { device, ownership };
}

const currentOwnershipOfDevice = preparedOnce((queries) =>
  queries
    .select({ device: devices, ownership: ownerships })
    .from(devices)
    .leftJoin(ownerships, and(eq(ownerships.deviceId, devices.id), eq(ownerships.endTime, CURRENT_END)))
    .where(eq(devices.id, sql.placeholder("device")))
    .prepare("current_ownership_of_device"),
);

async function findCurrentOwnership(queries: Queries, device: number) {
  const [row] = await currentOwnershipOfDevice(queries).execute({ device });
  return { device: row?.device, ownership: row?.ownership };
}

/**
 * Locks the device, then reads its current ownership, because only a statement that starts after the lock sees the changes of the
 * previous holder.
 */
async function lockCurrentOwnership(queries: Queries, id: number) {
  const [device] = await queries.select().from(devices).where(eq(devices.id, id)).for("update");
  const [ownership] = await queries
    .select()
    .from(ownerships)
    .where(and(eq(ownerships.deviceId, id), eq(ownerships.endTime, CURRENT_END)));
  return { device, ownership };
}

export const currentOwner: Rule<"device", OwnedDevice> = {
  description: "The manager who currently owns the device",
  roles: ["MANAGER"],
  find: (ctx, ids, lookup) => requireOwnedDevice(ctx, ids.device, lookup),
};

/** Do not reveal to others whether a device exists, because its serial number suffices to take it. */
export const currentOwnerOfSerial: Rule<"serial", OwnedDevice> = {
  description: "The manager who currently owns the device",
  roles: ["MANAGER"],
  async find(ctx, { serial }, lookup) {
    const owned = await findOwnedDevice({ ...ctx, queries: lookup.queries }, serial);
    if (owned === undefined) throw errors.notFound();
    return lookup.lock ? requireOwnedDevice(ctx, owned.device.id, lookup) : owned;
  },
};

export const currentOwnerToRelease: Rule<"device", OwnedDevice> = {
  ...currentOwner,
  find: (ctx, ids, lookup) =>
    requireOwnedDevice(ctx, ids.device, lookup, () =>
      errors.conflict("device_not_activated", "The device has never been activated."),
    ),
};

/** A device that the caller has owned. */
export interface OnceOwnedDevice {
  device: Device;
  /** Id and version of the caller's last ownership. */
  lastVersion: string;
}

const onceOwnedDevice = preparedOnce((queries) =>
  queries
    .select({
      device: devices,
      lastVersion: sql<string | null>`(SELECT own.id || '.' || own.version FROM ownerships AS own
        WHERE own.device_id = devices.id AND own.manager_id = ${sql.placeholder("manager")} ORDER BY own.start_time DESC LIMIT 1)`,
    })
    .from(devices)
    .where(eq(devices.id, sql.placeholder("device")))
    .prepare("once_owned_device"),
);

export const everOwner: Rule<"device", OnceOwnedDevice> = {
  description:
    "The manager who owned the device between start and stop; samples recorded at other times are omitted",
  roles: ["MANAGER"],
  async find(ctx, ids, { queries }) {
    const [row] = await onceOwnedDevice(queries).execute({
      device: ids.device,
      manager: ctx.caller?.id ?? 0,
    });
    if (row === undefined) throw errors.notFound();
    const { device, lastVersion } = row;
    if (lastVersion === null) throw errors.forbidden();
    return { device, lastVersion };
  },
};

export const ownOwnership: Rule<"device_ownership", Ownership> = {
  description: "Managers, on their own ownerships",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const [ownership] = await lookup.queries
      .select()
      .from(ownerships)
      .where(eq(ownerships.id, ids.device_ownership));
    if (ownership === undefined || ownership.managerId !== ctx.caller?.id) throw errors.notFound();
    return ownership;
  },
};

/** Whether a manager owns or has owned a device. Does not reveal whether a device of another manager exists, because a serial number suffices to take a device. */
export async function hasOwned(queries: Queries, managerId: number, deviceId: number): Promise<boolean> {
  const owned = await queries
    .select({ id: ownerships.id })
    .from(ownerships)
    .where(and(eq(ownerships.deviceId, deviceId), eq(ownerships.managerId, managerId)))
    .limit(1);
  return owned.length > 0;
}
