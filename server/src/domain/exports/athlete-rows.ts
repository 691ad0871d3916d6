import { and, eq, getTableColumns, gt, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import {
  applications,
  assignments,
  auditLog,
  identities,
  knownManagers,
  permissions,
  refreshTokens,
  squadMembers,
  squads,
} from "../../store/schema.js";
import { relationsTo } from "../accounts/erase.js";
import type { Account } from "../accounts/find.js";
import { toAssignment } from "../assignments/resource.js";
import type { Context } from "../change/context.js";
import { toMember } from "../members/resource.js";
import { toPermission } from "../permissions/resource.js";
import { jsonArray, jsonArrayOf } from "./json-array.js";

/*
 * Reads the rows about an athlete for each file of the archive, as JSON text. `measured-rows.ts` reads the measured data.
 */

/** Number of rows in one read. */
export const ROWS = 200;

/** Called with the number of rows written; default: 1. */
export type Count = (rows?: number) => void;

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

/** Reads the managers whom the athlete has looked up to grant permissions. */
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

/** Reads the squads of which the athlete is or was a member. */
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

/** Reads the devices that a manager has assigned to the athlete. */
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

/** Reads the users of OpenID providers who can sign in to the account. */
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

/** Reads the sessions of the account, without tokens and their hashes. */
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

/** Reads the audited changes by the athlete, to the athlete's account, and to rows that refer to the athlete. */
export const auditOf = (ctx: Context, { id }: Account, count: Count) =>
  jsonArrayOf(auditEntries(ctx.queries, id, count));

/**
 * Reads the ids first, by the index of each relation and in no order. If the database had to find the next rows of any relation in
 * the order of their ids, it could read the whole log.
 */
async function* auditEntries(queries: Queries, id: number, count: Count): AsyncGenerator<unknown> {
  const found = new Set<number>();
  for (const relation of Object.values(relationsTo(id)))
    for (const row of await queries.select({ id: auditLog.id }).from(auditLog).where(relation))
      found.add(row.id);
  const ids = [...found].sort((a, b) => a - b);
  for (let at = 0; at < ids.length; at += ROWS) {
    const rows = await queries
      .select()
      .from(auditLog)
      .where(sql`${auditLog.id} = ANY(${sql.param(ids.slice(at, at + ROWS))}::bigint[])`)
      .orderBy(auditLog.id);
    for (const { at, accountId, operation, entity, entityId, before, after } of rows) {
      count();
      yield {
        at: at.toISOString(),
        by: accountId,
        operation,
        entity,
        entity_id: entityId,
        before: accountId === id ? before : withoutOthers(before, id),
        after: accountId === id ? after : withoutOthers(after, id),
      };
    }
  }
}

/** Returns the values of an audit row; null if they are about another athlete, to whom the change gives a time frame or a tracker. */
const withoutOthers = <Values>(values: Values, athleteId: number): Values | null =>
  typeof values === "object" &&
  values !== null &&
  "athleteId" in values &&
  Number(values.athleteId) !== athleteId
    ? null
    : values;
