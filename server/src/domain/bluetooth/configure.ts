import type { StaticDecode } from "@sinclair/typebox";
import type { Pairings } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { findConfiguration, setTarget } from "./configuration.js";
import { bluetoothItem, type PairingsInput } from "./resource.js";

export const retrieveBluetooth = async ({ queries }: Context, device: number) =>
  bluetoothItem(await findConfiguration(queries, device));

/**
 * Changes the target configuration; the device receives it at its next start, or immediately when `immediate` is set
 * and the device is linked.
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

/** Returns the target with the fields sent; null clears a field, an absent field does not change. */
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
