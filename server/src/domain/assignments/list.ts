import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, gt, lte } from "drizzle-orm";
import { assignments } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { toAssignment } from "./resource.js";

export const AssignmentFilters = Type.Object({
  ...CursorQuery,
  device: Query.integer("Id of the device"),
  athlete: Query.integer("Id of the athlete"),
  at: Query.dateTime("Only assignments at this time"),
});

/** The caller's own assignments, oldest first. */
export async function listAssignments(
  { queries, caller }: Context,
  { device, athlete, at, ...paging }: StaticDecode<typeof AssignmentFilters>,
) {
  return cursorPage(paging, toAssignment, (after, limit) =>
    queries
      .select()
      .from(assignments)
      .where(
        and(
          eq(assignments.ownerId, caller?.id ?? 0),
          device === undefined ? undefined : eq(assignments.deviceId, device),
          athlete === undefined ? undefined : eq(assignments.athleteId, athlete),
          at === undefined ? undefined : and(lte(assignments.startTime, at), gt(assignments.endTime, at)),
          gt(assignments.id, after),
        ),
      )
      .orderBy(asc(assignments.id))
      .limit(limit),
  );
}
