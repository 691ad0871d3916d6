import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { isLeased, isWaiting } from "../../store/queue/job-queue.js";
import { auditLog, idempotencyKeys, jobs } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";
import { usernameKey } from "./usernames.js";

/** The accounts in the values of an audit row; the index has the same expression. */
export const PEOPLE = sql`(ARRAY[
  before->>'athleteId', after->>'athleteId', before->>'managerId', after->>'managerId',
  before->>'ownerId', after->>'ownerId', before->>'managedBy', after->>'managedBy'
])`;

/** Whether an audit row has values. The indexes of those that have name the same condition, so erased rows are not read again. */
const HAS_VALUES = sql`(before IS NOT NULL OR after IS NOT NULL)`;

/** Rows that one transaction erases at most; others wait for it. */
const ROWS_AT_A_TIME = 1_000;

/** Erases a limited number of rows. @returns how many */
export type Erasing = (queries: UnitOfWork["queries"], limit: number) => Promise<number>;

/** Removes rows, or changes them so that the condition matches them no more. */
export const erasing =
  (change: SQL, table: SQL, condition: SQL, order = sql``): Erasing =>
  async (queries, limit) => {
    const { rowCount } = await queries.execute(sql`
      ${change} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition} ${order} LIMIT ${limit} FOR UPDATE
      ))`);
    return rowCount ?? 0;
  };

/** Deletes rows. */
export const deleting = (table: PgTable, condition: SQL): Erasing =>
  erasing(sql`DELETE FROM ${table}`, sql`${table}`, condition);

/**
 * Erases a part of what accounts have without a bound, one kind after the other.
 * @returns whether there is more: call it again in another transaction
 */
export async function eraseSome({ queries }: UnitOfWork, kinds: readonly Erasing[]): Promise<boolean> {
  let left = ROWS_AT_A_TIME;
  for (const erase of kinds) {
    left -= await erase(queries, left);
    if (left <= 0) return true;
  }
  return false;
}

const erasingValues = (condition: SQL, order?: SQL) =>
  erasing(sql`UPDATE ${auditLog} SET before = NULL, after = NULL`, sql`${auditLog}`, condition, order);

/** The values in the audit of changes by the person, and of changes to the person. */
const valuesOf = (id: number): Erasing[] => [
  // In the orders of their indexes, so that the database reads these.
  erasingValues(sql`account_id = ${id} AND ${HAS_VALUES}`, sql`ORDER BY id`),
  erasingValues(sql`entity = 'account' AND entity_id = ${id} AND ${HAS_VALUES}`, sql`ORDER BY at`),
  // Matches only rows with values. With the condition for it, the database also reads all of an index that has the same one.
  erasingValues(sql`${PEOPLE} && ARRAY[${String(id)}]`),
];

/**
 * The rows about a person, apart from those of the account, whose number has no limit: the values in the
 * audit, jobs, stored responses. Erase it in transactions of its own before `erasePerson`, which erases the rest.
 */
export const ofPerson = ({ id }: Pick<Account, "id">): Erasing[] => [
  ...valuesOf(id),
  deleting(jobs, sql`account_id = ${id}`),
  deleting(jobs, sql`charged_to = ${id} AND kind IN ('webhook-fan-out', 'webhook')`),
  deleting(idempotencyKeys, sql`account_id = ${id}`),
];

/**
 * Erases the data of a person outside of the rows of the account, in the transaction that deletes the account and before
 * its row is deleted. The audit keeps who did what and when; the values are erased, of changes by the person and of
 * changes to the person. Also removes waiting mails, and jobs of the person.
 */
export async function erasePerson({ queries }: UnitOfWork, { id, username }: Account): Promise<void> {
  for (const erase of valuesOf(id)) await erase(queries, Number.MAX_SAFE_INTEGER);
  await queries.delete(jobs).where(
    and(
      eq(jobs.kind, "mail"),
      or(isWaiting, isLeased),
      // Requests for a new password name no account; usernames are unique.
      or(
        sql`${jobs.payload}->>'account' = ${String(id)}`,
        sql`(NOT ${jobs.payload} ? 'account' AND ${jobs.payload}->>'username' IN (${username}, ${usernameKey(username)}))`,
      ),
    ),
  );
  // Their recordings, and the times of those.
  await queries.delete(jobs).where(eq(jobs.accountId, id));
  // Pending webhook jobs, which contain URLs and secrets. Computations stay, because they may belong to time frames
  // of other accounts.
  await queries
    .delete(jobs)
    .where(and(inArray(jobs.kind, ["webhook-fan-out", "webhook"]), eq(jobs.chargedTo, id)));
}
