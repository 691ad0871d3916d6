import { and, asc, eq, gt, gte, lt, type SQL, sql } from "drizzle-orm";
import { accounts, auditLog } from "../../store/schema.js";
import { concerns } from "../accounts/erase.js";
import { usernameKey } from "../accounts/usernames.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { PART_ROWS, type Part, partOf } from "../lists/parts.js";

export interface AuditFilters {
  /** Entries at or after this time. */
  from?: Date | undefined;
  /** Entries before this time. */
  to?: Date | undefined;
  /** Entries by or about the account with this username, or that name it. */
  account?: string | undefined;
  /** Id of the account, instead of its username. It also finds a deleted account. */
  accountId?: number | undefined;
}

const toEntry = ({ at, accountId, entityId, requestId, ...row }: typeof auditLog.$inferSelect) => ({
  id: row.id,
  at: at.toISOString(),
  account: accountId,
  operator: row.operator,
  operation: row.operation,
  entity: row.entity,
  entity_id: entityId,
  before: row.before,
  after: row.after,
  request_id: requestId,
});

export type AuditEntry = ReturnType<typeof toEntry>;

/**
 * Returns a part of the audit log for the operator, oldest entry first. Reading the first part adds an entry with the
 * reader and the filters.
 * @param after only entries with higher ids; 0 for the first part
 * @throws ServiceError `not_found` when the account does not exist; on the field `from` when it is not before `to`; on
 *   the field `account` when there is also an id
 */
export async function exportAudit(
  ctx: Context,
  filters: AuditFilters,
  after: number,
): Promise<Part<AuditEntry>> {
  const { queries } = ctx;
  const { from, to, account } = filters;
  if (from !== undefined && to !== undefined && from >= to)
    throw errors.field("from", "Must be before --to.");
  if (account !== undefined && filters.accountId !== undefined)
    throw errors.field("account", "Give either --account or --account-id.");
  const accountId = account === undefined ? filters.accountId : await accountIdOf(ctx, account);
  const inTime = and(
    from === undefined ? undefined : gte(auditLog.at, from),
    to === undefined ? undefined : lt(auditLog.at, to),
  );
  const firstAfter = after > 0 || inTime === undefined ? after : await before(ctx, inTime);
  const rows = await queries
    .select()
    .from(auditLog)
    .where(
      and(gt(auditLog.id, firstAfter), inTime, accountId === undefined ? undefined : concerns(accountId)),
    )
    .orderBy(asc(auditLog.id))
    .limit(PART_ROWS);
  if (after === 0)
    await transact(ctx, "audit export", ({ audit }) =>
      // Without the username, and with a key by which an erasure finds the person
      audit("audit", 0, null, { from: from ?? null, to: to ?? null, accountId: accountId ?? null }),
    );
  return partOf(rows, toEntry);
}

/**
 * Returns the id before the first entry at or after a time. `+ 0` makes the database use the index on times; otherwise it scans
 * the index on ids from the oldest entry.
 */
async function before({ queries }: Context, inTime: SQL): Promise<number> {
  const [first] = await queries
    .select({ id: sql<number | null>`min(${auditLog.id} + 0)`.mapWith(Number) })
    .from(auditLog)
    .where(inTime);
  return (first?.id ?? 1) - 1;
}

/** Returns the id of the account with a username. A deleted account has entries but no username. */
async function accountIdOf({ queries }: Context, account: string): Promise<number> {
  const [found] = await queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.usernameKey, usernameKey(account)));
  if (found === undefined)
    throw errors.notFound(`There is no account ${account}. Use --account-id for a deleted account.`);
  return found.id;
}
