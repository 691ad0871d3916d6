import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, getTableColumns, gt, lte } from "drizzle-orm";
import { squadMembers, squads } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { toMember } from "./resource.js";

export const MemberFilters = Type.Object({
  ...CursorQuery,
  squad: Query.integer("Id of the squad"),
  athlete: Query.integer("Id of the athlete"),
  at: Query.dateTime("Only members at this time"),
});

/** The members of the caller's own squads, the oldest first. */
export async function listMembers(
  { queries, caller }: Context,
  { squad, athlete, at, ...paging }: StaticDecode<typeof MemberFilters>,
) {
  return cursorPage(paging, toMember, (after, limit) =>
    queries
      .select(getTableColumns(squadMembers))
      .from(squadMembers)
      .innerJoin(squads, eq(squads.id, squadMembers.squadId))
      .where(
        and(
          eq(squads.ownerId, caller?.id ?? 0),
          squad === undefined ? undefined : eq(squadMembers.squadId, squad),
          athlete === undefined ? undefined : eq(squadMembers.athleteId, athlete),
          at === undefined ? undefined : and(lte(squadMembers.startTime, at), gt(squadMembers.endTime, at)),
          gt(squadMembers.id, after),
        ),
      )
      .orderBy(asc(squadMembers.id))
      .limit(limit),
  );
}
