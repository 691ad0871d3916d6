import { change, transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { type Device, findDevice, updateDevice } from "./device.js";
import { CUSTOM_NAME_PROBLEM, deviceItem, isCustomName } from "./resource.js";

/**
 * Sets the name that the owner gives a device.
 * @param name null or empty clears it
 */
export async function setCustomName(ctx: Context, deviceId: number, name: string | null) {
  return change(ctx, "setCustomName", { device: deviceId }, async (unit, { device, ownership }) =>
    deviceItem(await updateDevice(unit, device, { customName: name || null }), ownership),
  );
}

/**
 * Renames a device for the operator.
 * @param names `deviceName`, which a manager enters to take it; `customName`, which its owner sees; empty clears it
 * @throws ServiceError `not_found`; `invalid` on `device_name` or `custom_name`
 */
export async function renameDevice(
  ctx: Context,
  serialNumber: string,
  { deviceName, customName }: { deviceName?: string | undefined; customName?: string | undefined },
): Promise<Device> {
  if (deviceName === undefined && customName === undefined) {
    throw errors.field("device_name", "Name the device with --device-name or --custom-name.");
  }
  if (deviceName !== undefined && !/^[^\p{Cc}\p{Cs}]{1,150}$/u.test(deviceName)) {
    throw errors.field("device_name", "Expected 1 to 150 characters without control characters.");
  }
  if (customName !== undefined && !isCustomName(customName)) {
    throw errors.field("custom_name", CUSTOM_NAME_PROBLEM);
  }
  return transact(ctx, "device rename", async (unit) => {
    const device = await findDevice(unit, serialNumber);
    return updateDevice(unit, device, {
      deviceName,
      customName: customName === undefined ? undefined : customName || null,
    });
  });
}
