import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, gt } from "drizzle-orm";
import { squads } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { toSquad } from "./resource.js";

export const SquadFilters = Type.Object(CursorQuery);

/** The caller's own squads, the oldest first. */
export async function listSquads({ queries, caller }: Context, paging: StaticDecode<typeof SquadFilters>) {
  return cursorPage(paging, toSquad, (after, limit) =>
    queries
      .select()
      .from(squads)
      .where(and(eq(squads.ownerId, caller?.id ?? 0), gt(squads.id, after)))
      .orderBy(asc(squads.id))
      .limit(limit),
  );
}
