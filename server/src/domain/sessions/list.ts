import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, desc, eq, gt, lt } from "drizzle-orm";
import { activities, sessions } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { Kind, toSessionResource } from "./resource.js";
import { selectSessions, toSession } from "./rules.js";

export const SessionFilters = Type.Object({
  ...CursorQuery,
  squad: Query.integer("Id of the squad"),
  kind: Type.Optional(Kind),
  from: Query.dateTime("Only sessions that end later"),
  to: Query.dateTime("Only sessions that start earlier"),
});

/** The caller's own sessions, the newest first. */
export async function listSessions(
  { queries, caller }: Context,
  { squad, kind, from, to, ...paging }: StaticDecode<typeof SessionFilters>,
) {
  return cursorPage(
    paging,
    (row: Parameters<typeof toSession>[0]) => toSessionResource(toSession(row)),
    async (before, limit) =>
      selectSessions(queries)
        .where(
          and(
            eq(activities.ownerId, caller?.id ?? 0),
            before === 0 ? undefined : lt(activities.id, before),
            squad === undefined ? undefined : eq(sessions.squadId, squad),
            kind === undefined ? undefined : eq(sessions.kind, kind),
            from && gt(sessions.endTime, from),
            to && lt(sessions.startTime, to),
          ),
        )
        .orderBy(desc(activities.id))
        .limit(limit),
  );
}
