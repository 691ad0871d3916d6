import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Queries } from "../../store/connection/database.js";
import { nextRows } from "../../store/connection/next-rows.js";
import { isLeased, isWaiting } from "../../store/queue/job-queue.js";
import { auditLog, changes, idempotencyKeys, jobs } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";
import { usernameKey } from "./usernames.js";

/** Ids of accounts in the values of an audit row. An index uses this expression. */
const PEOPLE = sql`(ARRAY[
  before->>'athleteId', after->>'athleteId', before->>'managerId', after->>'managerId',
  before->>'ownerId', after->>'ownerId', before->>'managedBy', after->>'managedBy',
  before->>'accountId', after->>'accountId'
])`;

/**
 * Whether an audit row is by an account, is about it, or names it. Each condition has an index. The query for the id hides it from
 * the planner: if much of the log names an account, the planner expects the first rows soon, and would read the log from its start.
 */
export const relationsTo = (id: number) => ({
  isBy: sql`account_id = ${id}`,
  isAbout: sql`entity = 'account' AND entity_id = ${id}`,
  names: sql`${PEOPLE} && ARRAY[(SELECT ${String(id)})]`,
});

/** Whether an audit row is by an account, about it, or names it. */
export const concerns = (id: number): SQL => {
  const { isBy, isAbout } = relationsTo(id);
  // In the order of ids, the planner must know how few rows can name the account.
  return sql`(${isBy} OR (${isAbout}) OR ${PEOPLE} && ARRAY[${String(id)}])`;
};

/** Whether an audit row has values. Partial indexes use this condition to exclude erased rows. */
const HAS_VALUES = sql`(before IS NOT NULL OR after IS NOT NULL)`;

/** Maximum number of rows that one transaction erases, because other transactions wait for it. */
const ROWS_AT_A_TIME = 1_000;

/** Erases a limited number of rows. @returns their number */
export type Erasing = (queries: UnitOfWork["queries"], limit: number) => Promise<number>;

/** Removes rows, or changes them so that the condition no longer matches. */
export const erasing =
  (change: SQL, table: SQL, condition: SQL, { order, long }: { order?: SQL; long?: SQL } = {}): Erasing =>
  async (queries, limit) => {
    const rows = nextRows(table, condition, { order, limit, long, lock: sql`FOR UPDATE` });
    const { rowCount } = await queries.execute(sql`${change} WHERE ctid = ANY(${rows})`);
    const count = rowCount ?? 0;
    // Fewer rows than the limit can be all, or those with enough bytes.
    return long !== undefined && count > 0 ? limit : count;
  };

/** Deletes rows. @param long a column with long values */
export const deleting = (table: PgTable, condition: SQL, long?: SQL): Erasing =>
  erasing(sql`DELETE FROM ${table}`, sql`${table}`, condition, long && { long });

/** Erases all rows of the kinds, a limited number in each transaction. */
export async function eraseInParts(
  run: (work: (unit: UnitOfWork) => Promise<boolean>) => Promise<boolean>,
  kinds: readonly Erasing[],
): Promise<void> {
  while (await run((unit) => eraseSome(unit, kinds)));
}

/**
 * Erases a limited number of rows, one kind after another.
 * @returns whether there may be more rows; then call it again in another transaction
 */
export async function eraseSome({ queries }: UnitOfWork, kinds: readonly Erasing[]): Promise<boolean> {
  let left = ROWS_AT_A_TIME;
  for (const erase of kinds) {
    left -= await erase(queries, left);
    if (left <= 0) return true;
  }
  return false;
}

/**
 * Finds audit rows in no order, by the index of a condition. If the database had to find the next rows in the order of their ids,
 * it could read the whole log.
 */
export const findAuditRows = async (queries: Queries, condition: SQL, limit: number): Promise<number[]> => {
  const rows = await queries.select({ id: auditLog.id }).from(auditLog).where(condition).limit(limit);
  return rows.map(({ id }) => id);
};

const ERASED = sql`UPDATE ${auditLog} SET before = NULL, after = NULL`;

const erasingValues = (condition: SQL, order: SQL) => erasing(ERASED, sql`${auditLog}`, condition, { order });

/** Number of audit rows that name a person and are found at a time. */
const NAMING_ROWS = 50_000;

/**
 * Erases audited values that match a condition with a GIN index. Each search reads all index entries of the person, including those
 * of erased rows, so one search finds the rows for many transactions. Values that are written after the last search are left.
 */
function erasingFound(condition: SQL): Erasing {
  let found: number[] = [];
  let isDone = false;
  return async (queries, limit) => {
    let count = 0;
    while (count < limit && !isDone) {
      const next = found.splice(0, limit - count);
      if (next.length > 0) await queries.execute(sql`${ERASED} WHERE id = ANY(${sql.param(next)}::bigint[])`);
      else found = await findAuditRows(queries, condition, NAMING_ROWS);
      isDone = next.length === 0 && found.length === 0;
      count += next.length;
    }
    return count;
  };
}

/** Erases the audited values of changes by the person and of changes to the person. */
const valuesOf = (id: number): Erasing[] => {
  const { isBy, isAbout, names } = relationsTo(id);
  return [
    // Sort in the order of the indexes, so that the database uses them.
    erasingValues(sql`${isBy} AND ${HAS_VALUES}`, sql`ORDER BY id`),
    erasingValues(sql`${isAbout} AND ${HAS_VALUES}`, sql`ORDER BY at`),
    // Matches only rows with values. With `HAS_VALUES`, the database would also read a whole index that has this condition.
    erasingFound(names),
  ];
};

/**
 * Erases the rows about a person that do not belong to the account and whose number is unlimited: values in the audit log, jobs,
 * and stored responses. Call `eraseInParts` with it before `erasePerson`, which erases the rest.
 */
export const ofPerson = ({ id }: Pick<Account, "id">): Erasing[] => [
  ...valuesOf(id),
  deleting(jobs, sql`account_id = ${id}`),
  deleting(jobs, sql`charged_to = ${id} AND kind IN ('webhook-fan-out', 'webhook')`),
  deleting(idempotencyKeys, sql`account_id = ${id}`, sql`body`),
  deleting(changes, sql`account_id = ${id}`),
];

/**
 * Erases the data of a person outside the rows of the account. Call it in the transaction that deletes the account, before its
 * row is deleted. The audit log keeps the author, the time and the kind of each change, but the values of changes by and to the
 * person are erased. Queued emails and jobs of the person are removed too.
 */
export async function erasePerson({ queries }: UnitOfWork, { id, username }: Account): Promise<void> {
  for (const erase of valuesOf(id)) await erase(queries, Number.MAX_SAFE_INTEGER);
  await queries.delete(jobs).where(
    and(
      eq(jobs.kind, "mail"),
      or(isWaiting, isLeased),
      // Password reset requests contain a username instead of an account id; usernames are unique.
      or(
        sql`${jobs.payload}->>'account' = ${String(id)}`,
        sql`(NOT ${jobs.payload} ? 'account' AND ${jobs.payload}->>'username' IN (${username}, ${usernameKey(username)}))`,
      ),
    ),
  );
  await queries.delete(changes).where(eq(changes.accountId, id));
  // Delete jobs that contain recordings and their times.
  await queries.delete(jobs).where(eq(jobs.accountId, id));
  // Delete pending webhook jobs, which contain URLs and secrets. Keep computations, because they may belong to time
  // frames of other accounts.
  await queries
    .delete(jobs)
    .where(and(inArray(jobs.kind, ["webhook-fan-out", "webhook"]), eq(jobs.chargedTo, id)));
}
