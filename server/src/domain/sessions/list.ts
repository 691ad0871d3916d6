import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, desc, eq, gte, lt } from "drizzle-orm";
import { activities, sessions, squads } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { cursorPage, endOfSearch, searchQuery } from "../lists/cursor-page.js";
import { matchesSearch } from "../lists/listing.js";
import { isValidBetween } from "../lists/times.js";
import { isVisibleSession, roleColumn, type View, viewOf } from "../squad-roles/view.js";
import { Kind, toSessionResource } from "./resource.js";
import { selectSessions, toSession } from "./rules.js";

export const SessionFilters = Type.Object({
  ...CursorQuery,
  search: searchQuery("Text in name, place or kind, or in the name of the squad", "sessions"),
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
  const filtered = (before: number) =>
    and(
      isVisibleSession(ctx, activities.id),
      before === 0 ? undefined : lt(activities.id, before),
      squad === undefined ? undefined : eq(sessions.squadId, squad),
      kind === undefined ? undefined : eq(sessions.kind, kind),
      isValidBetween(sessions, from, to),
    );
  return cursorPage(
    paging,
    (row: Parameters<typeof toSession>[0] & { role: View["role"] }) =>
      toSessionResource({ ...toSession(row), view: viewOf(ctx, row.role) }),
    async (before, limit, end) =>
      selectSessions(ctx.queries, roleColumn(ctx))
        .where(
          and(
            filtered(before),
            end === undefined ? undefined : gte(activities.id, end),
            matchesSearch(search, [activities.name, sessions.place, sessions.kind, squads.name]),
          ),
        )
        .orderBy(desc(activities.id))
        .limit(limit),
    endOfSearch(search, (before) =>
      ctx.queries
        .select({ id: activities.id })
        .from(activities)
        .innerJoin(sessions, eq(sessions.activityId, activities.id))
        .innerJoin(squads, eq(squads.id, sessions.squadId))
        .where(filtered(before))
        .orderBy(desc(activities.id)),
    ),
  );
}
