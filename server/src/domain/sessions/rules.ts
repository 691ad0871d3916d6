import { and, eq, getTableColumns } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { activities, jsonSchemas, sessions } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Session } from "../change/events.js";
import type { Rule } from "../change/rule.js";
import { sportOf } from "../json-schemas/sport.js";

export type { Session };

const { activityId: id, ...columns } = getTableColumns(sessions);

/** Sessions with their activities, for conditions. */
export const selectSessions = (queries: Queries) =>
  queries
    .select({
      id,
      ...columns,
      name: activities.name,
      ownerId: activities.ownerId,
      activityVersion: activities.version,
      schemaName: jsonSchemas.name,
    })
    .from(sessions)
    .innerJoin(activities, eq(activities.id, sessions.activityId))
    .innerJoin(jsonSchemas, eq(jsonSchemas.id, activities.jsonSchemaId));

export const toSession = ({
  schemaName,
  ...row
}: Omit<Session, "sport"> & { schemaName: string }): Session => ({ ...row, sport: sportOf(schemaName) });

/** A session of another account is not found. */
export const ownSession: Rule<"session", Session> = {
  description: "The manager whose session it is",
  roles: ["MANAGER"],
  async find({ caller }, ids, { queries, lock }) {
    const query = selectSessions(queries).where(
      and(eq(sessions.activityId, ids.session), eq(activities.ownerId, caller?.id ?? 0)),
    );
    const [row] = await (lock ? query.for("no key update", { of: [activities, sessions] }) : query);
    if (row === undefined) throw errors.notFound();
    return toSession(row);
  },
};
