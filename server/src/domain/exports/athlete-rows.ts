import { MATCH } from "asi-convert/squad";
import { and, eq, getTableColumns, gt, inArray, or, sql } from "drizzle-orm";
import {
  activities,
  applications,
  assignments,
  auditLog,
  computedData,
  identities,
  knownManagers,
  permissions,
  refreshTokens,
  sessionFigures,
  squadMembers,
  squads,
  timeframes,
} from "../../store/schema.js";
import { PEOPLE } from "../accounts/erase.js";
import type { Account } from "../accounts/find.js";
import { toAssignment } from "../assignments/resource.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { toMember } from "../members/resource.js";
import { toPermission } from "../permissions/resource.js";
import { SUM_OF_HALVES } from "../sessions/figures-inputs.js";
import { readDetails } from "../sessions/stored-figures.js";
import { toTimeframe } from "../timeframes/resource.js";
import { jsonArray } from "./json-array.js";

/*
 * The rows about an athlete in each file of the archive, as JSON text.
 */

/** Number of rows in one read. An activity can be several megabytes. */
const ROWS = 200;
const LARGE_ROWS = 4;
/** Number of results in one read. A result can have 400 kB. */
const RESULT_ROWS = 20;

/** Called with the number of rows written; default: 1. */
export type Count = (rows?: number) => void;

type Frame = typeof timeframes.$inferSelect;

/** Returns the path of the samples of a time frame in the archive. */
export const sampleFileName = ({ id, startTime }: Pick<Frame, "id" | "startTime">) =>
  `samples/timeframe-${id}_${startTime
    .toISOString()
    .replace(/[-:]|\.\d+Z/g, "")
    .slice(0, 15)}.csv`;

export const permissionsOf = ({ queries, clock }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select()
        .from(permissions)
        .where(and(eq(permissions.athleteId, id), gt(permissions.id, after)))
        .orderBy(permissions.id)
        .limit(limit),
    (row) => toPermission(row, clock.now()),
    count,
  );

/** Managers whom the athlete has looked up to grant permissions. */
export const knownManagersOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select({ id: knownManagers.managerId })
        .from(knownManagers)
        .where(and(eq(knownManagers.athleteId, id), gt(knownManagers.managerId, after)))
        .orderBy(knownManagers.managerId)
        .limit(limit),
    (row) => ({ manager: row.id }),
    count,
  );

/** The squads of which the athlete is or was a member. */
export const membershipsOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select({ ...getTableColumns(squadMembers), name: squads.name })
        .from(squadMembers)
        .innerJoin(squads, eq(squads.id, squadMembers.squadId))
        .where(and(eq(squadMembers.athleteId, id), gt(squadMembers.id, after)))
        .orderBy(squadMembers.id)
        .limit(limit),
    ({ name, ...member }) => ({ ...toMember(member), squad_name: name }),
    count,
  );

/** The devices that a manager has assigned to the athlete. */
export const assignmentsOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select()
        .from(assignments)
        .where(and(eq(assignments.athleteId, id), gt(assignments.id, after)))
        .orderBy(assignments.id)
        .limit(limit),
    (row) => ({ ...toAssignment(row), manager: row.ownerId }),
    count,
  );

/** The users of OpenID providers who can sign in to the account. */
export const identitiesOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select({
          id: identities.id,
          issuer: identities.issuer,
          subject: identities.subject,
          linked_at: identities.createdAt,
          last_used_at: identities.lastUsedAt,
        })
        .from(identities)
        .where(and(eq(identities.accountId, id), gt(identities.id, after)))
        .orderBy(identities.id)
        .limit(limit),
    (row) => row,
    count,
  );

/** Omits tokens and their hashes. */
export const sessionsOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select({
          id: refreshTokens.id,
          application: applications.name,
          browser: refreshTokens.browser,
          name: refreshTokens.name,
          signed_in_at: refreshTokens.createdAt,
          last_used_at: refreshTokens.lastUsedAt,
          expires_at: refreshTokens.expiresAt,
        })
        .from(refreshTokens)
        .innerJoin(applications, eq(applications.id, refreshTokens.applicationId))
        .where(and(eq(refreshTokens.accountId, id), gt(refreshTokens.id, after)))
        .orderBy(refreshTokens.id)
        .limit(limit),
    (row) => row,
    count,
  );

const framesAfter = ({ queries }: Context, { id }: Account, after: number, limit: number) =>
  queries
    .select()
    .from(timeframes)
    .where(and(eq(timeframes.athleteId, id), gt(timeframes.id, after)))
    .orderBy(timeframes.id)
    .limit(limit);

/**
 * Includes the `json` of an activity only if no other athlete has time frames in the activity, because it may describe
 * others.
 */
export const activitiesOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    LARGE_ROWS,
    (after, limit) =>
      queries
        .select({
          id: activities.id,
          name: activities.name,
          json_schema: activities.jsonSchemaId,
          // Do not read an omitted `json`, because it can be several megabytes.
          json: sql`CASE WHEN NOT EXISTS (
            SELECT FROM timeframes AS other WHERE other.activity_id = activities.id AND other.athlete_id <> ${id}
          ) THEN activities.json END`.mapWith(activities.json),
          owner: activities.ownerId,
        })
        .from(activities)
        .where(
          and(
            gt(activities.id, after),
            inArray(
              activities.id,
              queries
                .select({ id: timeframes.activityId })
                .from(timeframes)
                .where(eq(timeframes.athleteId, id)),
            ),
          ),
        )
        .orderBy(activities.id)
        .limit(limit),
    ({ json, ...activity }) => (json === null ? activity : { ...activity, json }),
    count,
  );

/** Omits serial numbers, because anyone who knows one can take a device without an owner. */
export const timeframesOf = (ctx: Context, athlete: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) => framesAfter(ctx, athlete, after, limit),
    (frame) => ({ ...toTimeframe(frame), samples: sampleFileName(frame) }),
    count,
  );

/** Stored results. They are not recomputed, because the export shows stored data. */
export const computedDataOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    RESULT_ROWS,
    (after, limit) =>
      queries
        .select({
          id: computedData.timeframeId,
          data: computedData.data,
          further: computedData.further,
          computedAt: computedData.computedAt,
        })
        .from(computedData)
        .innerJoin(timeframes, eq(timeframes.id, computedData.timeframeId))
        .where(and(eq(timeframes.athleteId, id), gt(computedData.timeframeId, after)))
        .orderBy(computedData.timeframeId)
        .limit(limit),
    (row) => ({
      timeframe: row.id,
      computed_at: row.computedAt.toISOString(),
      data: JSON.parse(row.data) as unknown,
      further: JSON.parse(row.further) as unknown,
    }),
    count,
  );

/** Figures of sessions of squads. Omits serial numbers. */
export const sessionFiguresOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    LARGE_ROWS,
    async (after, limit) => {
      const ids = await queries
        .selectDistinct({ id: sessionFigures.sessionId })
        .from(sessionFigures)
        .where(and(eq(sessionFigures.athleteId, id), gt(sessionFigures.sessionId, after)))
        .orderBy(sessionFigures.sessionId)
        .limit(limit);
      if (ids.length === 0) return [];
      const rows = await queries
        .select()
        .from(sessionFigures)
        .where(
          and(
            eq(sessionFigures.athleteId, id),
            inArray(
              sessionFigures.sessionId,
              ids.map((session) => session.id),
            ),
          ),
        )
        .orderBy(sessionFigures.sessionId, sessionFigures.period);
      return ids.map((session) => ({
        ...session,
        periods: rows.filter(({ sessionId }) => sessionId === session.id),
      }));
    },
    (session) => ({
      session: session.id,
      periods: session.periods.map(({ period, figures, details, computedAt }) => ({
        period: period === SUM_OF_HALVES ? MATCH : period,
        computed_at: computedAt.toISOString(),
        figures: JSON.parse(figures) as PlayerFigures["figures"],
        further: readDetails(details).further,
        definition: readDetails(details).definition,
      })),
    }),
    count,
  );

/** Changes by the athlete, of the athlete's account, and of rows that refer to the athlete. */
export const auditOf = ({ queries }: Context, { id }: Account, count: Count) =>
  jsonArray(
    ROWS,
    (after, limit) =>
      queries
        .select()
        .from(auditLog)
        .where(
          and(
            gt(auditLog.id, after),
            or(
              eq(auditLog.accountId, id),
              and(eq(auditLog.entity, "account"), eq(auditLog.entityId, id)),
              sql`${PEOPLE} && ARRAY[${String(id)}]`,
            ),
          ),
        )
        .orderBy(auditLog.id)
        .limit(limit),
    ({ at, accountId, operation, entity, entityId, before, after }) => ({
      at: at.toISOString(),
      by: accountId,
      operation,
      entity,
      entity_id: entityId,
      before,
      after,
    }),
    count,
  );
