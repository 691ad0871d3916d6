import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, desc, eq, lt } from "drizzle-orm";
import { activities, sessions, squads } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { matchesSearch } from "../lists/listing.js";
import { isValidBetween } from "../lists/times.js";
import { isVisibleSession, roleColumn, type View, viewOf } from "../squad-roles/view.js";
import { Kind, toSessionResource } from "./resource.js";
import { selectSessions, toSession } from "./rules.js";

export const SessionFilters = Type.Object({
  ...CursorQuery,
  search: Query.text("Text in name, place or kind, or in the name of the squad"),
  squad: Query.integer("Id of the squad"),
  kind: Type.Optional(Kind),
  from: Query.dateTime("Only sessions that end later"),
  to: Query.dateTime("Only sessions that start earlier"),
});

/** Lists the sessions that the caller can see, newest first. */
export async function listSessions(
  ctx: Context,
  { search, squad, kind, from, to, ...paging }: StaticDecode<typeof SessionFilters>,
) {
  return cursorPage(
    paging,
    (row: Parameters<typeof toSession>[0] & { role: View["role"] }) =>
      toSessionResource({ ...toSession(row), view: viewOf(ctx, row.role) }),
    async (before, limit) =>
      selectSessions(ctx.queries, roleColumn(ctx))
        .where(
          and(
            isVisibleSession(ctx, activities.id),
            before === 0 ? undefined : lt(activities.id, before),
            squad === undefined ? undefined : eq(sessions.squadId, squad),
            kind === undefined ? undefined : eq(sessions.kind, kind),
            isValidBetween(sessions, from, to),
            matchesSearch(search, [activities.name, sessions.place, sessions.kind, squads.name]),
          ),
        )
        .orderBy(desc(activities.id))
        .limit(limit),
  );
}
