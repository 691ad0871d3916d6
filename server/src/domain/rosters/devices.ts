import { and, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { devices, ownerships } from "../../store/schema.js";
import { groupBy } from "../change/group-by.js";
import type { Problems } from "./problems.js";
import type { RosterPlayer } from "./read.js";

/**
 * Finds the devices of the players by serial number, among those that the manager owns or has owned. Serial numbers are
 * case-insensitive.
 */
export async function findDevices(
  queries: Queries,
  managerId: number,
  players: readonly RosterPlayer[],
  problems: Problems,
): Promise<Map<RosterPlayer, number[]>> {
  const wanted = [...new Set(players.flatMap(({ serials }) => serials.map((one) => one.toLowerCase())))];
  const lower = sql<string>`lower(${devices.serialNumber})`;
  const owned =
    wanted.length === 0
      ? []
      : await queries
          .selectDistinct({ id: devices.id, serial: lower })
          .from(ownerships)
          .innerJoin(devices, eq(devices.id, ownerships.deviceId))
          .where(and(eq(ownerships.managerId, managerId), inArray(lower, wanted)));
  const bySerial = groupBy(owned, ({ serial }) => serial);
  const found = new Map<RosterPlayer, number[]>();
  for (const player of players) {
    const ids = new Set<number>();
    for (const serial of player.serials) {
      const [device, ...others] = bySerial.get(serial.toLowerCase()) ?? [];
      if (device !== undefined && others.length === 0) ids.add(device.id);
      else {
        problems.add(
          player.line,
          device === undefined
            ? `You have no device with the serial number ${serial}. Take its ownership, or correct the serial number.`
            : `Several of your devices have the serial number ${serial}, in different letter cases. Leave serial empty, and assign them one by one.`,
        );
      }
    }
    found.set(player, [...ids]);
  }
  return found;
}
