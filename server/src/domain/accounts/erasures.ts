import { and, eq, inArray, or, sql } from "drizzle-orm";
import { appendErasure, erasureListOf, personHash } from "../../store/backup/erasure-list.js";
import { NOBODY } from "../../store/queue/job-queue.js";
import { auditLog, type ErasureKind, erasures, idempotencyKeys, jobs } from "../../store/schema.js";
import type { ErasureDetails } from "../change/events.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";
import { usernameHash, usernameKey } from "./usernames.js";

/**
 * Records that an account is deleted or erased: in the database, and in the list that outlives a restored backup. Call it
 * last in the transaction, after the row of the account is deleted: the entry must be on the disk before the commit, and the
 * next start erases an account whose transaction fails after it.
 */
export async function recordErasure(
  unit: UnitOfWork,
  account: Account,
  erasure: ErasureDetails | undefined,
): Promise<void> {
  const { queries, now } = unit;
  const kind: ErasureKind = erasure?.kind ?? "deleted";
  const entry = { person: personHash(account), at: now, kind };
  const [row] = await queries
    .insert(erasures)
    .values(entry)
    .onConflictDoUpdate({ target: erasures.person, set: { at: now, kind } })
    .returning({ id: erasures.id });
  if (erasure !== undefined) {
    await unit.audit("erasure", row?.id ?? 0, null, { person: entry.person, kind, rows: erasure.rows });
    await removeTraces(unit, account);
  }
  await appendErasure(erasureListOf(unit.config), entry);
}

/**
 * Removes the id of the person from what stays: the audit, the jobs that were charged to them (mails for a new
 * password), and the counters of the throttles.
 */
async function removeTraces({ queries }: UnitOfWork, { id, username }: Account): Promise<void> {
  await queries.delete(auditLog).where(and(eq(auditLog.entity, "account"), eq(auditLog.entityId, id)));
  await queries.update(auditLog).set({ accountId: null }).where(eq(auditLog.accountId, id));
  await queries.update(jobs).set({ chargedTo: NOBODY }).where(eq(jobs.chargedTo, id));
  const scopes = ["user", "rawData", "files", "newPassword"].map((scope) => `${scope}:user-${id}`);
  const name = usernameHash(usernameKey(username));
  await queries.execute(sql`
    DELETE FROM throttle_counters
    WHERE key = ANY(${sql.param(scopes)}::text[])
      OR starts_with(key, ${`failedPassword:${name} `}) OR starts_with(key, ${`passwordResetOfUser:${name} `})`);
}

/**
 * Removes stored responses of managers that name the athlete: of the managed athlete's own manager, and of those who have
 * created time frames.
 * @param managers accounts with permissions on the athlete, or with time frames of the athlete
 */
export async function eraseResponses(
  { queries }: UnitOfWork,
  { id }: Account,
  managers: readonly number[],
): Promise<void> {
  if (managers.length === 0) return;
  const names = (end: string) =>
    sql`position(convert_to(${`"athlete":${id}${end}`}, 'UTF8') IN ${idempotencyKeys.body}) > 0`;
  await queries
    .delete(idempotencyKeys)
    .where(and(inArray(idempotencyKeys.accountId, [...managers]), or(names(","), names("}"))));
}
