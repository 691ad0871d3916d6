import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { activities, jsonSchemas, sessions, squads } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Session } from "../change/events.js";
import type { Rule } from "../change/rule.js";
import { sportOf } from "../json-schemas/sport.js";
import { forEditors, forOwner } from "../squad-roles/narrow-rules.js";
import { isVisibleSession, roleColumn, type View, viewOf } from "../squad-roles/view.js";

export type { Session };

const { activityId: id, ...columns } = getTableColumns(sessions);

/** Selects sessions with their activities and squads, for conditions. @param role the role of the caller in the squad */
export const selectSessions = (queries: Queries, role: SQL<View["role"]> = sql`'owner'`) =>
  queries
    .select({
      role,
      id,
      ...columns,
      name: activities.name,
      ownerId: activities.ownerId,
      activityVersion: activities.version,
      schemaName: jsonSchemas.name,
    })
    .from(sessions)
    .innerJoin(activities, eq(activities.id, sessions.activityId))
    .innerJoin(squads, eq(squads.id, sessions.squadId))
    .innerJoin(jsonSchemas, eq(jsonSchemas.id, activities.jsonSchemaId));

/** @param role not a member of the session */
export const toSession = ({
  schemaName,
  role: _,
  ...row
}: Omit<Session, "sport"> & { schemaName: string; role?: View["role"] }): Session => ({
  ...row,
  sport: sportOf(schemaName),
});

/** A session, and the caller's view of it. */
export type SeenSession = Session & { view: View };

/** Finds a session that the caller can see. */
export const readableSession: Rule<"session", SeenSession> = {
  description:
    "The owner of the session, managers with a role in its squad, and athletes with a time frame in it",
  roles: ["MANAGER", "ATHLETE"],
  async find(ctx, ids, { queries, lock }) {
    const query = selectSessions(queries, roleColumn(ctx)).where(
      and(eq(sessions.activityId, ids.session), isVisibleSession(ctx, activities.id)),
    );
    const [row] = await (lock ? query.for("no key update", { of: [activities, sessions] }) : query);
    if (row === undefined) throw errors.notFound();
    return { ...toSession(row), view: viewOf(ctx, row.role) };
  },
};

export const ownSession = forOwner(readableSession, "The manager who owns the session");

export const editableSession = forEditors(
  readableSession,
  ({ squadId }) => squadId,
  "The owner of the session, and analysts of its squad",
);
