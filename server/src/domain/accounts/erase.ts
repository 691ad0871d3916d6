import { and, eq, inArray, or, sql } from "drizzle-orm";
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

/**
 * Erases the data of a person outside of the rows of the account, in the transaction that deletes the account and before
 * its row is deleted. The audit keeps who did what and when; the values are erased, of changes by the person and of
 * changes to the person. Also removes waiting mails, jobs of the person, and stored responses that show the person.
 */
export async function erasePerson(
  { queries }: UnitOfWork,
  { id, username, managedBy }: Account,
): Promise<void> {
  await queries
    .update(auditLog)
    .set({ before: null, after: null })
    .where(
      and(
        or(
          eq(auditLog.accountId, id),
          and(eq(auditLog.entity, "account"), eq(auditLog.entityId, id)),
          sql`${PEOPLE} && ARRAY[${String(id)}]`,
        ),
        sql`(before IS NOT NULL OR after IS NOT NULL)`,
      ),
    );
  await queries.delete(jobs).where(
    and(
      eq(jobs.kind, "mail"),
      or(isWaiting, isLeased),
      // Those of earlier releases and requests for a new password name no account; usernames are unique.
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
  if (managedBy === null) return;
  // The stored response to the creation of a managed athlete. Its username holds a random UUID.
  await queries
    .delete(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.accountId, managedBy),
        sql`position(convert_to(${username}, 'UTF8') IN ${idempotencyKeys.body}) > 0`,
      ),
    );
}
