import { and, eq, lte, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { bluetoothCommands, bluetoothConfigurations, type Pairings } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/**
 * Maximum number of commands kept for a device that has not started since they were queued. The device cannot report an older
 * version, just as it cannot report a version that was never sent *(choice)*.
 */
const MOST_COMMANDS = 100;

export async function findConfiguration(queries: Queries, deviceId: number) {
  const [row] = await queries
    .select()
    .from(bluetoothConfigurations)
    .where(eq(bluetoothConfigurations.deviceId, deviceId));
  return row;
}

/** Sets the target configuration and queues it for the device. */
export async function setTarget(
  { queries, now, announce }: UnitOfWork,
  deviceId: number,
  target: Pairings,
  immediate: boolean,
) {
  const before = await findConfiguration(queries, deviceId);
  const [after] = await queries
    .insert(bluetoothConfigurations)
    .values({ deviceId, target, current: {} })
    .onConflictDoUpdate({
      target: bluetoothConfigurations.deviceId,
      set: { target, version: sql`${bluetoothConfigurations.version} + 1` },
    })
    .returning();
  if (after === undefined) throw new Error("The configuration was not stored");
  await queries
    .insert(bluetoothCommands)
    .values({ deviceId, configurationVersion: after.version, target, immediate, createdAt: now });
  const oldest = lte(bluetoothCommands.configurationVersion, after.version - MOST_COMMANDS);
  await queries.delete(bluetoothCommands).where(and(eq(bluetoothCommands.deviceId, deviceId), oldest));
  await announce("bluetoothChanged", { deviceId, before: before ?? null, after });
  return after;
}
