import type { StaticDecode } from "@sinclair/typebox";
import { eq, sql } from "drizzle-orm";
import type { Queries } from "../../store/database.js";
import { bluetoothCommands, bluetoothConfigurations, type Pairings } from "../../store/schema.js";
import { change } from "../change.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import type { UnitOfWork } from "../unit-of-work.js";
import { bluetoothItem, type PairingsInput } from "./resource.js";

export async function findConfiguration(queries: Queries, deviceId: number) {
  const [row] = await queries
    .select()
    .from(bluetoothConfigurations)
    .where(eq(bluetoothConfigurations.deviceId, deviceId));
  return row;
}

export const retrieveBluetooth = async ({ queries }: Context, device: number) =>
  bluetoothItem(await findConfiguration(queries, device));

/**
 * Changes the target configuration; the device learns it at its next start, or at once when `immediate` and a device
 * link exists.
 */
export async function configureBluetooth(
  ctx: Context,
  device: number,
  body: StaticDecode<typeof PairingsInput>,
  immediate: boolean,
) {
  return change(
    ctx,
    "configureBluetooth",
    { device },
    async (unit) => {
      const before = await findConfiguration(unit.queries, device);
      return bluetoothItem(await setTarget(unit, device, merged(before?.target ?? {}, body), immediate));
    },
    async ({ queries }) => bluetoothItem(await findConfiguration(queries, device)),
  );
}

/** The target with what was sent; null clears, absent leaves. */
function merged(target: Pairings, body: StaticDecode<typeof PairingsInput>): Pairings {
  const result = { ...target };
  for (const name of ["pairing_1", "pairing_2"] as const) {
    const pairing = body[name];
    if (pairing === null) delete result[name];
    else if (pairing !== undefined) {
      result[name] = { mac_address: pairing.mac_address.toUpperCase(), name: pairing.name ?? null };
    }
  }
  if (result.pairing_1 !== undefined && result.pairing_1.mac_address === result.pairing_2?.mac_address) {
    throw errors.field("non_field_errors", "Both pairings have the same address.");
  }
  return result;
}

/** Sets the target and queues it for the device. */
async function setTarget(
  { queries, now, audit }: UnitOfWork,
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
  await audit("bluetooth", deviceId, before ?? null, after);
  return after;
}

/** Clears what a former owner set, on the device too, and hides what the device reported to that owner. */
export async function forgetOwner(unit: UnitOfWork, deviceId: number): Promise<void> {
  const { queries } = unit;
  if ((await findConfiguration(queries, deviceId)) === undefined) return;
  await queries.delete(bluetoothCommands).where(eq(bluetoothCommands.deviceId, deviceId));
  await queries
    .update(bluetoothConfigurations)
    .set({ reportedIn: null })
    .where(eq(bluetoothConfigurations.deviceId, deviceId));
  await setTarget(unit, deviceId, {}, false);
}
