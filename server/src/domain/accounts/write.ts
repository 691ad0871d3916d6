import { and, DrizzleQueryError, eq, ne, or, sql } from "drizzle-orm";
import {
  accessTokens,
  accounts,
  authorizationCodes,
  deviceCodes,
  passwordResets,
  type Role,
  refreshTokens,
} from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";
import type { AthleteProfileInput, ManagerProfileInput } from "./resource.js";
import { requireVisibleCharacters, usernameKey } from "./usernames.js";

/** Columns of an account that its creation or an update sets. */
export type AccountValues = Omit<typeof accounts.$inferInsert, "usernameKey" | "createdAt">;

const TAKEN: Record<string, string> = {
  accounts_username_key_key: "username",
  accounts_external_id: "external_id",
};

const TAKEN_MESSAGE = "This value is already taken.";

/** Converts a violated unique constraint to the error of the field. */
async function withUniqueErrors<T>(query: Promise<T>): Promise<T> {
  return query.catch((error: unknown) => {
    const cause = error instanceof DrizzleQueryError ? (error.cause as { constraint?: string }) : undefined;
    const field = TAKEN[cause?.constraint ?? ""];
    throw field === undefined ? error : errors.field(field, TAKEN_MESSAGE, "not_unique");
  });
}

/**
 * Checks before expensive work that the username is valid and that username and external id are free. Only the database can check
 * this reliably, when the row is written.
 * @param present the account that is updated, which may keep its values
 * @throws ServiceError `not_unique` or `invalid` on the field
 */
export async function requireAvailable(
  { queries }: Context,
  role: Role,
  { username, externalId }: { username?: string | undefined; externalId?: string | null | undefined },
  present?: Pick<Account, "id" | "username">,
): Promise<void> {
  if (username !== undefined && username !== present?.username) requireVisibleCharacters(username);
  const hasName = username === undefined ? undefined : eq(accounts.usernameKey, usernameKey(username));
  const hasId = externalId ? and(eq(accounts.role, role), eq(accounts.externalId, externalId)) : undefined;
  if (hasName === undefined && hasId === undefined) return;
  const taken = await queries
    .select({ key: accounts.usernameKey })
    .from(accounts)
    .where(and(or(hasName, hasId), ne(accounts.id, present?.id ?? 0)));
  for (const { key } of taken) {
    const field = username !== undefined && key === usernameKey(username) ? "username" : "external_id";
    throw errors.field(field, TAKEN_MESSAGE, "not_unique");
  }
}

export async function insertAccounts(
  unit: UnitOfWork,
  rows: readonly AccountValues[],
): Promise<[Account, ...Account[]]> {
  const [first, ...others] = await withUniqueErrors(
    unit.queries
      .insert(accounts)
      .values(
        rows.map((values) => ({
          ...values,
          usernameKey: usernameKey(values.username),
          createdAt: unit.now,
        })),
      )
      .returning(),
  );
  if (first === undefined) throw new Error("No account was inserted");
  const created: [Account, ...Account[]] = [first, ...others];
  await unit.announce("accountsCreated", { created });
  return created;
}

export const insertAccount = async (unit: UnitOfWork, values: AccountValues): Promise<Account> =>
  (await insertAccounts(unit, [values]))[0];

/**
 * Changes an account. Columns without a value keep theirs.
 * @param isMailed whether the user gets an email about changed credentials
 */
export async function updateAccount(
  unit: UnitOfWork,
  before: Account,
  values: { [Column in keyof AccountValues]?: AccountValues[Column] | undefined },
  isMailed = true,
): Promise<Account> {
  if (values.username !== undefined && values.username !== before.username)
    requireVisibleCharacters(values.username);
  const [after] = await withUniqueErrors(
    unit.queries
      .update(accounts)
      .set({
        ...values,
        ...(values.email === undefined || values.email === before.email ? {} : { emailConfirmed: false }),
        ...(values.username === undefined ? {} : { usernameKey: usernameKey(values.username) }),
        version: sql`${accounts.version} + 1`,
      })
      .where(eq(accounts.id, before.id))
      .returning(),
  );
  if (after === undefined) throw errors.notFound();
  await unit.announce("accountUpdated", { before, after, isMailed });
  return after;
}

/** Invalidates the password reset links of the account. */
export async function revokeResets({ queries }: UnitOfWork, accountId: number): Promise<void> {
  await queries.delete(passwordResets).where(eq(passwordResets.accountId, accountId));
}

/** Ends all sessions of the account and invalidates its password reset links. */
export async function revokeTokens(unit: UnitOfWork, accountId: number): Promise<void> {
  const { queries } = unit;
  await queries.delete(accessTokens).where(eq(accessTokens.accountId, accountId));
  await queries.delete(refreshTokens).where(eq(refreshTokens.accountId, accountId));
  await queries.delete(authorizationCodes).where(eq(authorizationCodes.accountId, accountId));
  await queries.delete(deviceCodes).where(eq(deviceCodes.accountId, accountId));
  await revokeResets(unit, accountId);
}

/** Returns the columns of a profile as sent; absent fields do not change. */
export const managerProfileColumns = (profile: ManagerProfileInput = {}) => ({
  firstName: profile.first_name,
  lastName: profile.last_name,
});

export const athleteProfileColumns = (profile: AthleteProfileInput = {}) => ({
  profileExternalId: profile.external_id,
  firstName: profile.first_name,
  lastName: profile.last_name,
  gender: profile.gender,
  weightKg: profile.weight,
  heightM: profile.height,
  birthDate: profile.birth_date,
  nationality: profile.nationality,
  profilePicture: profile.profile_picture,
});
