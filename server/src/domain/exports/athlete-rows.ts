import { and, eq, getTableColumns, gt, max, min, sql } from "drizzle-orm";
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
import { concerns, findAuditRows, relationsTo } from "../accounts/erase.js";
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

/** Number of ids that are found at once and kept. */
const MAX_IDS = 50_000;

/** Number of rows of the log that one statement looks through. */
const LOOKED_THROUGH = 20_000;

/**
 * Reads the ids of the audit rows about an athlete, in ascending order. If there are many, it looks through the whole log in short
 * statements, because other requests to the embedded database wait for a statement.
 * @returns groups of ids, which can be empty
 */
async function* auditIds(queries: Queries, id: number): AsyncGenerator<number[]> {
  const found = new Set<number>();
  for (const relation of Object.values(relationsTo(id))) {
    if (found.size > MAX_IDS) break;
    for (const row of await findAuditRows(queries, relation, MAX_IDS + 1)) found.add(row);
  }
  if (found.size <= MAX_IDS) {
    yield [...found].sort((a, b) => a - b);
    return;
  }
  found.clear();
  const [log] = await queries.select({ first: min(auditLog.id), last: max(auditLog.id) }).from(auditLog);
  const last = log?.last ?? 0;
  for (let after = (log?.first ?? 1) - 1; after < last; after += LOOKED_THROUGH) {
    // With `OFFSET 0`, the database does not search the whole indexes of the relations for each statement.
    const { rows } = await queries.execute<{ id: string }>(sql`
      SELECT id FROM (
        SELECT * FROM ${auditLog} WHERE id > ${after} AND id <= ${after + LOOKED_THROUGH} OFFSET 0
      ) AS looked_through WHERE ${concerns(id)} ORDER BY id`);
    yield rows.map((row) => Number(row.id));
  }
}

async function* auditEntries(queries: Queries, id: number, count: Count): AsyncGenerator<unknown> {
  for await (const ids of auditIds(queries, id)) {
    yield undefined;
    for (let at = 0; at < ids.length; at += ROWS)
      yield* entriesOf(queries, id, ids.slice(at, at + ROWS), count);
  }
}

async function* entriesOf(
  queries: Queries,
  id: number,
  ids: readonly number[],
  count: Count,
): AsyncGenerator<unknown> {
  const rows = await queries
    .select()
    .from(auditLog)
    .where(sql`${auditLog.id} = ANY(${sql.param(ids)}::bigint[])`)
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

/** Returns the values of an audit row; null if they are about another athlete, to whom the change gives a time frame or a tracker. */
const withoutOthers = <Values>(values: Values, athleteId: number): Values | null =>
  typeof values === "object" &&
  values !== null &&
  "athleteId" in values &&
  Number(values.athleteId) !== athleteId
    ? null
    : values;
