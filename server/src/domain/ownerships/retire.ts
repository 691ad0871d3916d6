import { and, eq } from "drizzle-orm";
import { ownerships } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { type Device, findDevice, updateDevice } from "../devices/device.js";
import { endOwnership } from "./release.js";

/**
 * Retires a device on behalf of the operator: its ownership ends, as it does on release, and no one can take the device again.
 * Former owners keep their samples.
 * @throws ServiceError `not_found`
 */
export const retireDevice = (ctx: Context, serialNumber: string): Promise<Device> =>
  transact(ctx, "device retire", async (unit) => {
    const device = await findDevice(unit, serialNumber);
    const [current] = await unit.queries
      .select()
      .from(ownerships)
      .where(and(eq(ownerships.deviceId, device.id), eq(ownerships.endTime, CURRENT_END)));
    if (current !== undefined) await endOwnership(unit, current);
    return device.retiredAt === null ? updateDevice(unit, device, { retiredAt: unit.now }) : device;
  });

/**
 * Restores a retired device, which can then be taken again.
 * @throws ServiceError `not_found`
 */
export const reinstateDevice = (ctx: Context, serialNumber: string): Promise<Device> =>
  transact(ctx, "device retire --undo", async (unit) => {
    const device = await findDevice(unit, serialNumber);
    return device.retiredAt === null ? device : updateDevice(unit, device, { retiredAt: null });
  });
