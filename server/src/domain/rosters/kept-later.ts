import { isDeepStrictEqual } from "node:util";
import type { Static } from "@sinclair/typebox";
import { inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { devices } from "../../store/schema.js";
import type { Assignment } from "../assignments/rules.js";
import type { Member } from "../members/rules.js";
import type { RosterResult } from "./resource.js";
import type { Changes, NewAssignment, NewMember } from "./write.js";

type KeptLater = Static<typeof RosterResult>["kept_later"];

/** Lists the later rows that a roster has kept, with their values that differ from it, by line and start. */
export async function keptLater(
  queries: Queries,
  members: Changes<Member, NewMember>,
  assignments: Changes<Assignment, NewAssignment>,
): Promise<KeptLater> {
  const deviceIds = [...new Set(assignments.keptLater.map(({ row }) => row.deviceId))];
  const named =
    deviceIds.length === 0
      ? []
      : await queries
          .select({ id: devices.id, serial: devices.serialNumber })
          .from(devices)
          .where(inArray(devices.id, deviceIds));
  const serials = new Map(named.map(({ id, serial }) => [id, serial]));
  const kept = [
    ...members.keptLater.map(({ player, row, wanted }) => ({
      ...{ player, row, wanted, serial: null },
      values: {
        ...(row.number === wanted.number ? {} : { number: row.number }),
        ...(row.position === wanted.position ? {} : { position: row.position }),
        ...(isDeepStrictEqual(row.params, wanted.params) ? {} : { params: otherParams(row, wanted) }),
      },
    })),
    ...assignments.keptLater.map(({ player, row, wanted }) => ({
      ...{ player, row, wanted, serial: serials.get(row.deviceId) ?? null },
      values: { worn_by: { athlete: row.athleteId } },
    })),
  ];
  return kept
    .sort((a, b) => a.player.line - b.player.line || a.row.startTime.getTime() - b.row.startTime.getTime())
    .map(({ player: { line, name }, row, wanted, serial, values }) => ({
      line,
      player: name,
      athlete: wanted.athleteId,
      from: row.startTime.toISOString(),
      serial_number: serial,
      ...values,
    }));
}

const otherParams = (row: Member, wanted: Member): Member["params"] =>
  Object.fromEntries(
    Object.entries(row.params).filter(
      ([name, value]) => !isDeepStrictEqual(value, wanted.params[name as keyof Member["params"]]),
    ),
  );
