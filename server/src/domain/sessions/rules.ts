import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { activities, jsonSchemas, sessions, squads } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Session } from "../change/events.js";
import type { Rule } from "../change/rule.js";
import { sportOf } from "../json-schemas/sport.js";
import { isVisibleSession, lockView, mayEdit, roleColumn, type View, viewOf } from "../squad-roles/view.js";

export type { Session };

const { activityId: id, ...columns } = getTableColumns(sessions);

/**
 * Selects sessions with their activities and squads, for conditions. @param role the role of the caller in the squad
 */
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

/** The session is not found if the caller cannot see it. */
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

export const ownSession: Rule<"session", SeenSession> = {
  description: "The manager who owns the session",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const session = await readableSession.find(ctx, ids, lookup);
    if (session.view.role !== "owner") throw errors.forbidden();
    return session;
  },
};

export const editableSession: Rule<"session", SeenSession> = {
  description: "The owner of the session, and analysts of its squad",
  roles: ["MANAGER"],
  async find(ctx, ids, lookup) {
    const session = await readableSession.find(ctx, ids, lookup);
    const { queries, lock } = lookup;
    const view = lock ? await lockView(queries, ctx, session.squadId, session.view) : session.view;
    if (!mayEdit(view)) throw errors.forbidden();
    return { ...session, view };
  },
};
