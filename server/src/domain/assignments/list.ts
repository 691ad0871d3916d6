import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, getTableColumns, gt } from "drizzle-orm";
import { accounts, assignments, devices } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import { searchedPlayerName } from "../accounts/player-names.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { matchesSearch } from "../lists/listing.js";
import { isValidAt } from "../lists/times.js";
import { toAssignment } from "./resource.js";

export const AssignmentFilters = Type.Object({
  ...CursorQuery,
  search: Query.text("Text in the name of the player, or in the name or the serial number of the device"),
  device: Query.integer("Id of the device"),
  athlete: Query.integer("Id of the athlete"),
  at: Query.dateTime("Only assignments at this time"),
});

/** Lists the caller's own assignments, oldest first. */
export async function listAssignments(
  { queries, caller }: Context,
  { search, device, athlete, at, ...paging }: StaticDecode<typeof AssignmentFilters>,
) {
  return cursorPage(paging, toAssignment, (after, limit) =>
    queries
      .select(getTableColumns(assignments))
      .from(assignments)
      .innerJoin(accounts, eq(accounts.id, assignments.athleteId))
      .innerJoin(devices, eq(devices.id, assignments.deviceId))
      .where(
        and(
          eq(assignments.ownerId, caller?.id ?? 0),
          device === undefined ? undefined : eq(assignments.deviceId, device),
          athlete === undefined ? undefined : eq(assignments.athleteId, athlete),
          isValidAt(assignments, at),
          gt(assignments.id, after),
          matchesSearch(search, [searchedPlayerName, devices.deviceName, devices.serialNumber]),
        ),
      )
      .orderBy(asc(assignments.id))
      .limit(limit),
  );
}
