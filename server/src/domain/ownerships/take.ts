import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, desc, eq } from "drizzle-orm";
import { devices, ownerships } from "../../store/schema.js";
import { CURRENT_END, Text } from "../../wire/types.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { enforceOwnershipQuota } from "../change/quotas.js";
import { updateDevice } from "../devices/device.js";
import { deviceItem } from "../devices/resource.js";

export const TakenDevice = Type.Object(
  {
    serial_number: Text({ minLength: 1 }),
    device_name: Text({ minLength: 1 }),
  },
  { examples: [{ serial_number: "A1B2C3D4", device_name: "tracker-7" }] },
);

/**
 * Makes the caller the owner of an unowned device from now on. Locks the row of the device. The second of two
 * concurrent requests therefore sees the ownership of the first. A new owner does not see the settings of the former
 * owner.
 */
export async function takeOwnership(ctx: Context, body: StaticDecode<typeof TakenDevice>) {
  const me = ctx.caller?.id ?? 0;
  return change(ctx, "takeOwnership", {}, async (unit) => {
    const { queries, now } = unit;
    const [device] = await queries
      .select()
      .from(devices)
      .where(and(eq(devices.serialNumber, body.serial_number), eq(devices.deviceName, body.device_name)))
      .for("update");
    if (device === undefined) throw errors.notFound();
    if (device.retiredAt !== null) throw errors.conflict("device_retired", "The device is retired.");
    const [last] = await queries
      .select()
      .from(ownerships)
      .where(eq(ownerships.deviceId, device.id))
      // Ownerships do not overlap, so the ownership that begins last also ends last.
      .orderBy(desc(ownerships.startTime), desc(ownerships.id))
      .limit(1);
    if (last?.endTime.getTime() === CURRENT_END.getTime()) {
      if (last.managerId !== me) throw errors.forbidden("The device is owned by another manager.");
      return deviceItem(device, last);
    }
    const [ownership] = await queries
      .insert(ownerships)
      // The clocks of two processes may differ, but ownerships of a device must not overlap.
      .values({
        deviceId: device.id,
        managerId: me,
        startTime: last !== undefined && last.endTime > now ? last.endTime : now,
        endTime: CURRENT_END,
      })
      .returning();
    if (ownership === undefined) throw new Error("The ownership was not inserted");
    await enforceOwnershipQuota(unit, me);
    await unit.announce("ownershipChanged", { before: null, after: ownership });
    const isNewOwner = last !== undefined && last.managerId !== me;
    if (isNewOwner) await unit.announce("ownerReplaced", { deviceId: device.id });
    const taken = await updateDevice(unit, device, {
      activationTime: device.activationTime ?? now,
      customName: isNewOwner ? null : device.customName,
    });
    return deviceItem(taken, ownership);
  });
}
