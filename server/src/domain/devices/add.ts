import { devices } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

export interface NewDevice {
  serialNumber: string;
  deviceName: string;
  deviceType: string;
}

/** Serial numbers allowed in the header of a recording. File names contain them. */
const SERIAL_NUMBER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,149}$/;

/** Adds all devices, or none if one is invalid. */
export async function addDevices(ctx: Context, added: readonly NewDevice[]) {
  return transact(ctx, "device add", async (unit) => {
    const rows = [];
    for (const device of added) rows.push(await addDevice(unit, device));
    return rows;
  });
}

async function addDevice({ queries, now, announce }: UnitOfWork, device: NewDevice) {
  if (!SERIAL_NUMBER.test(device.serialNumber)) {
    throw errors.field(
      "serial_number",
      `"${device.serialNumber}": letters, digits, . _ - only, not beginning with . or -`,
    );
  }
  if (device.deviceName === "") {
    throw errors.field("device_name", `The device ${device.serialNumber} has no name.`);
  }
  const [row] = await queries
    .insert(devices)
    .values({ ...device, createdAt: now })
    .onConflictDoNothing()
    .returning();
  if (row === undefined)
    throw errors.field(
      "serial_number",
      `A device with the serial number ${device.serialNumber} already exists.`,
    );
  await announce("deviceChanged", { before: null, after: row });
  return row;
}
