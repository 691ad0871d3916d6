import { eq, inArray } from "drizzle-orm";
import { bluetoothCommands, bluetoothConfigurations } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { findConfiguration, setTarget } from "./configuration.js";

/**
 * Clears the settings of a former owner, including those on the device, and hides the reports of the device from that
 * period of ownership.
 */
export async function deleteOwnerSettings(
  unit: UnitOfWork,
  { deviceId }: { deviceId: number },
): Promise<void> {
  const { queries } = unit;
  if ((await findConfiguration(queries, deviceId)) === undefined) return;
  await queries.delete(bluetoothCommands).where(eq(bluetoothCommands.deviceId, deviceId));
  await queries
    .update(bluetoothConfigurations)
    .set({ reportedIn: null })
    .where(eq(bluetoothConfigurations.deviceId, deviceId));
  await setTarget(unit, deviceId, {}, false);
}

/** Hides the reports of the device during these ownerships. Erases the settings on the device if nobody has owned it since. */
export async function eraseOwner(
  unit: UnitOfWork,
  { deviceId, ownershipIds, wasLast }: { deviceId: number; ownershipIds: number[]; wasLast: boolean },
): Promise<void> {
  const { queries } = unit;
  if (wasLast) {
    await deleteOwnerSettings(unit, { deviceId });
    await queries
      .update(bluetoothConfigurations)
      .set({ current: {} })
      .where(eq(bluetoothConfigurations.deviceId, deviceId));
  }
  if (ownershipIds.length === 0) return;
  await queries
    .update(bluetoothConfigurations)
    .set({ reportedIn: null })
    .where(inArray(bluetoothConfigurations.reportedIn, ownershipIds));
}
