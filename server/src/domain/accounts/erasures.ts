import { and, eq, inArray, sql } from "drizzle-orm";
import { appendErasure, erasureListOf, personHash } from "../../store/backup/erasure-list.js";
import { NOBODY, OWN_GROUP } from "../../store/queue/job-queue.js";
import { auditLog, type ErasureKind, erasures, jobs } from "../../store/schema.js";
import type { ErasureDetails } from "../change/events.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { deleting, type Erasing, erasing } from "./erase.js";
import type { Account } from "./find.js";
import { RESET_MAIL } from "./reset-mail-limit.js";
import { COUNTED_BY_USER, userKey } from "./user-counters.js";
import { usernameHash, usernameKey } from "./usernames.js";

/**
 * Records that an account is deleted or erased: in the database, and in the list that survives the restore of a backup. Call it
 * last in the transaction, after the row of the account is deleted. The entry must be on the disk before the commit. If the
 * transaction fails after that, the next start erases the account.
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

/** Entities of audit rows whose id is that of an account: the account, and the counts of its summarised entries. */
const OF_ONE = ["account", "audit"] as const;

/**
 * Removes the id of the person from the remaining rows: the audit log, jobs charged to the person (password reset
 * emails), and throttle counters.
 */
async function removeTraces({ queries }: UnitOfWork, { id, username }: Account): Promise<void> {
  await queries.delete(auditLog).where(and(inArray(auditLog.entity, [...OF_ONE]), eq(auditLog.entityId, id)));
  await queries.update(auditLog).set({ accountId: null }).where(eq(auditLog.accountId, id));
  await queries
    .update(jobs)
    .set({ chargedTo: NOBODY, chargedGroup: OWN_GROUP })
    .where(eq(jobs.chargedTo, id));
  const scopes = [...COUNTED_BY_USER, RESET_MAIL].map((scope) => `${scope}:${userKey(id)}`);
  const name = usernameHash(usernameKey(username));
  await queries.execute(sql`
    DELETE FROM throttle_counters
    WHERE key = ANY(${sql.param(scopes)}::text[])
      OR starts_with(key, ${`failedPassword:${name} `}) OR starts_with(key, ${`passwordResetOfUser:${name} `})`);
}

/**
 * Removes the id from rows whose number is unlimited. Run it in separate transactions before `removeTraces`, which removes the
 * rest.
 */
export const tracesOf = ({ id }: Pick<Account, "id">): Erasing[] => [
  ...OF_ONE.map((entity) => deleting(auditLog, sql`entity = ${entity} AND entity_id = ${id}`)),
  erasing(sql`UPDATE ${auditLog} SET account_id = NULL`, sql`${auditLog}`, sql`account_id = ${id}`),
  erasing(
    sql`UPDATE ${jobs} SET charged_to = ${NOBODY}, charged_group = ${OWN_GROUP}`,
    sql`${jobs}`,
    sql`charged_to = ${id}`,
  ),
];
