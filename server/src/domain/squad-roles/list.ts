import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, getTableColumns, gt } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts, squadGrants, squads } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { toGrant, toInvitation } from "./resource.js";

export const GrantFilters = Type.Object(CursorQuery);

/** Returns the accounts that the owner has invited to a squad, oldest first. */
export async function listGrants(
  { queries }: Context,
  squadId: number,
  paging: StaticDecode<typeof GrantFilters>,
) {
  return cursorPage(paging, toGrant, (after, limit) =>
    queries
      .select()
      .from(squadGrants)
      .where(and(eq(squadGrants.squadId, squadId), gt(squadGrants.id, after)))
      .orderBy(asc(squadGrants.id))
      .limit(limit),
  );
}

/** Selects invitations with the names of their squads and owners, for conditions. */
export const selectInvitations = (queries: Queries) =>
  queries
    .select({ ...getTableColumns(squadGrants), squadName: squads.name, owner: accounts.username })
    .from(squadGrants)
    .innerJoin(squads, eq(squads.id, squadGrants.squadId))
    .innerJoin(accounts, eq(accounts.id, squads.ownerId));

/** Returns the open and accepted invitations of the caller, oldest first. */
export async function listInvitations(
  { queries, caller }: Context,
  paging: StaticDecode<typeof GrantFilters>,
) {
  return cursorPage(paging, toInvitation, (after, limit) =>
    selectInvitations(queries)
      .where(and(eq(squadGrants.guestId, caller?.id ?? 0), gt(squadGrants.id, after)))
      .orderBy(asc(squadGrants.id))
      .limit(limit),
  );
}
