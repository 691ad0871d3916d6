import type { RecordingInfo } from "asi-convert";
import { eq } from "drizzle-orm";
import { devices } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { updateDevice } from "../devices/device.js";

/**
 * Sets the firmware version of a device from the newest loaded recording, unless the device has reported one later.
 * @param latestMs time of the latest stored sample of the recording; null if there is none
 */
export async function recordFirmware(
  unit: UnitOfWork,
  deviceId: number,
  { firmwareVersion }: RecordingInfo,
  latestMs: number | null,
): Promise<void> {
  if (latestMs === null || firmwareVersion === "") return;
  const at = new Date(latestMs);
  const [device] = await unit.queries.select().from(devices).where(eq(devices.id, deviceId)).for("update");
  if (device === undefined || (device.firmwareAt !== null && device.firmwareAt >= at)) return;
  if (device.firmwareVersion !== firmwareVersion) {
    await updateDevice(unit, device, { firmwareVersion, firmwareAt: at });
    return;
  }
  // No visible property changes, so the version and the audit log do not change.
  await unit.queries.update(devices).set({ firmwareAt: at }).where(eq(devices.id, deviceId));
}
