import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, getTableColumns, gt, lte } from "drizzle-orm";
import { accounts, assignments, devices } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import { searchedPlayerName } from "../accounts/player-names.js";
import type { Context } from "../change/context.js";
import { cursorPage, endOfSearch, searchQuery } from "../lists/cursor-page.js";
import { matchesSearch } from "../lists/listing.js";
import { isValidAt } from "../lists/times.js";
import { toAssignment } from "./resource.js";

export const AssignmentFilters = Type.Object({
  ...CursorQuery,
  search: searchQuery(
    "Text in the name of the player, or in the name or the serial number of the device",
    "assignments",
  ),
  device: Query.integer("Id of the device"),
  athlete: Query.integer("Id of the athlete"),
  at: Query.dateTime("Only assignments at this time"),
});

/** Lists the caller's own assignments, oldest first. */
export async function listAssignments(
  { queries, caller }: Context,
  { search, device, athlete, at, ...paging }: StaticDecode<typeof AssignmentFilters>,
) {
  const filtered = (after: number) =>
    and(
      eq(assignments.ownerId, caller?.id ?? 0),
      device === undefined ? undefined : eq(assignments.deviceId, device),
      athlete === undefined ? undefined : eq(assignments.athleteId, athlete),
      isValidAt(assignments, at),
      gt(assignments.id, after),
    );
  return cursorPage(
    paging,
    toAssignment,
    (after, limit, end) =>
      queries
        .select(getTableColumns(assignments))
        .from(assignments)
        .innerJoin(accounts, eq(accounts.id, assignments.athleteId))
        .innerJoin(devices, eq(devices.id, assignments.deviceId))
        .where(
          and(
            filtered(after),
            end === undefined ? undefined : lte(assignments.id, end),
            matchesSearch(search, [searchedPlayerName, devices.deviceName, devices.serialNumber]),
          ),
        )
        .orderBy(asc(assignments.id))
        .limit(limit),
    endOfSearch(search, (after) =>
      queries
        .select({ id: assignments.id })
        .from(assignments)
        .where(filtered(after))
        .orderBy(asc(assignments.id)),
    ),
  );
}
