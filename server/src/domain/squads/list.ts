import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, gt } from "drizzle-orm";
import { squads } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { matchesSearch } from "../lists/listing.js";
import { isVisibleSquad } from "../squad-roles/view.js";
import { toSquad } from "./resource.js";

export const SquadFilters = Type.Object({ ...CursorQuery, search: Query.text("Text in name") });

/** Lists the squads that the caller can see, oldest first. */
export async function listSquads(ctx: Context, { search, ...paging }: StaticDecode<typeof SquadFilters>) {
  return cursorPage(paging, toSquad, (after, limit) =>
    ctx.queries
      .select()
      .from(squads)
      .where(and(isVisibleSquad(ctx), gt(squads.id, after), matchesSearch(search, [squads.name])))
      .orderBy(asc(squads.id))
      .limit(limit),
  );
}
