import { change } from "../change.js";
import type { Context } from "../context.js";
import { updateDevice } from "./device.js";
import { deviceItem } from "./resource.js";

/** @param name null or empty clears the name */
export async function setCustomName(ctx: Context, deviceId: number, name: string | null) {
  return change(ctx, "setCustomName", { device: deviceId }, async (unit, { device, ownership }) =>
    deviceItem(await updateDevice(unit, device, { customName: name || null }), ownership),
  );
}
