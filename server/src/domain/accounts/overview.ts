import { and, eq, gt, isNotNull, isNull } from "drizzle-orm";
import {
  accounts,
  activities,
  ownerships,
  permissions,
  type Role,
  refreshTokens,
  timeframes,
} from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { matchesSearch } from "../lists/listing.js";
import { PART_ROWS, type Part, partOf } from "../lists/parts.js";
import { accountByUsername } from "./find.js";
import { identityOf, normalizedIssuer, usesPassword } from "./provider-identity.js";

export interface AccountFilters {
  role?: Role | undefined;
  disabled?: boolean | undefined;
  /** Search terms; each must occur in the username, the email address or the name. */
  search?: string | undefined;
}

/** Omits the picture, which can be several megabytes. */
const columns = {
  id: accounts.id,
  role: accounts.role,
  username: accounts.username,
  email: accounts.email,
  firstName: accounts.firstName,
  lastName: accounts.lastName,
  externalId: accounts.externalId,
  managedBy: accounts.managedBy,
  disabledAt: accounts.disabledAt,
  createdAt: accounts.createdAt,
};

/** Returns a page of the accounts for the operator, ordered by id. */
export async function listAccounts(
  { queries }: Context,
  { role, disabled, search }: AccountFilters,
  after: number,
): Promise<Part<object>> {
  const rows = await queries
    .select(columns)
    .from(accounts)
    .where(
      and(
        gt(accounts.id, after),
        role && eq(accounts.role, role),
        disabled === undefined
          ? undefined
          : disabled
            ? isNotNull(accounts.disabledAt)
            : isNull(accounts.disabledAt),
        matchesSearch(search, [accounts.username, accounts.email, accounts.firstName, accounts.lastName]),
      ),
    )
    .orderBy(accounts.id)
    .limit(PART_ROWS);
  return partOf(rows, (row) => ({
    id: row.id,
    username: row.username,
    role: row.role.toLowerCase(),
    email: row.email,
    first_name: row.firstName,
    last_name: row.lastName,
    external_id: row.externalId,
    managed_by: row.managedBy,
    created: row.createdAt.toISOString(),
    disabled: row.disabledAt?.toISOString() ?? null,
  }));
}

/**
 * Returns an account for the operator, with the amount of its data.
 * @throws ServiceError `not_found`
 */
export async function showAccount(ctx: Context, username: string) {
  const { queries, config } = ctx;
  const account = await accountByUsername(queries, username);
  const { id } = account;
  const ownedNow = and(eq(ownerships.managerId, id), eq(ownerships.endTime, CURRENT_END));
  return {
    id,
    username: account.username,
    role: account.role.toLowerCase(),
    email: account.email,
    first_name: account.firstName,
    last_name: account.lastName,
    external_id: account.externalId,
    managed_by: account.managedBy,
    can_log_in:
      account.disabledAt === null &&
      ((await usesPassword(ctx, account)) ||
        (config.openidIssuer !== null &&
          (await identityOf(queries, id, normalizedIssuer(config.openidIssuer))) !== undefined)),
    can_create_managed_athletes: account.canCreateManagedAthletes,
    created: account.createdAt.toISOString(),
    disabled: account.disabledAt?.toISOString() ?? null,
    sessions: await queries.$count(refreshTokens, eq(refreshTokens.accountId, id)),
    devices: await queries.$count(ownerships, ownedNow),
    activities: await queries.$count(activities, eq(activities.ownerId, id)),
    timeframes: await queries.$count(
      timeframes,
      // One indexed column per role: an OR of both would read the whole table.
      account.role === "ATHLETE" ? eq(timeframes.athleteId, id) : eq(timeframes.ownerId, id),
    ),
    managed_athletes: await queries.$count(accounts, eq(accounts.managedBy, id)),
    permissions: await queries.$count(
      permissions,
      account.role === "ATHLETE" ? eq(permissions.athleteId, id) : eq(permissions.managerId, id),
    ),
  };
}
