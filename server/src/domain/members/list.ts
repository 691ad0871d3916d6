import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, getTableColumns, gt, lte, sql } from "drizzle-orm";
import { accounts, squadMembers, squads } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import { searchedPlayerName } from "../accounts/player-names.js";
import type { Context } from "../change/context.js";
import { cursorPage, endOfSearch, searchQuery } from "../lists/cursor-page.js";
import { matchesSearch } from "../lists/listing.js";
import { isValidAt } from "../lists/times.js";
import { isVisibleMember, roleColumn, viewOf } from "../squad-roles/view.js";
import { toMember } from "./resource.js";
import type { Member } from "./rules.js";

export const MemberFilters = Type.Object({
  ...CursorQuery,
  search: searchQuery("Text in the name of the player, in position or in number", "members"),
  squad: Query.integer("Id of the squad"),
  athlete: Query.integer("Id of the athlete"),
  at: Query.dateTime("Only members at this time"),
});

/** Lists the members that the caller can see, oldest first. */
export async function listMembers(
  ctx: Context,
  { search, squad, athlete, at, ...paging }: StaticDecode<typeof MemberFilters>,
) {
  const toResource = ({ role, ...member }: Member & { role: Parameters<typeof viewOf>[1] }) =>
    toMember(member, viewOf(ctx, role));
  const filtered = (after: number) =>
    and(
      isVisibleMember(ctx),
      squad === undefined ? undefined : eq(squadMembers.squadId, squad),
      athlete === undefined ? undefined : eq(squadMembers.athleteId, athlete),
      isValidAt(squadMembers, at),
      gt(squadMembers.id, after),
    );
  return cursorPage(
    paging,
    toResource,
    (after, limit, end) =>
      ctx.queries
        .select({ ...getTableColumns(squadMembers), role: roleColumn(ctx) })
        .from(squadMembers)
        .innerJoin(squads, eq(squads.id, squadMembers.squadId))
        .innerJoin(accounts, eq(accounts.id, squadMembers.athleteId))
        .where(
          and(
            filtered(after),
            end === undefined ? undefined : lte(squadMembers.id, end),
            matchesSearch(search, [
              searchedPlayerName,
              squadMembers.position,
              sql`${squadMembers.number}::text`,
            ]),
          ),
        )
        .orderBy(asc(squadMembers.id))
        .limit(limit),
    endOfSearch(search, (after) =>
      ctx.queries
        .select({ id: squadMembers.id })
        .from(squadMembers)
        .innerJoin(squads, eq(squads.id, squadMembers.squadId))
        .where(filtered(after))
        .orderBy(asc(squadMembers.id)),
    ),
  );
}
