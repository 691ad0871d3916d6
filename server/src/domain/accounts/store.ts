import { randomUUID } from "node:crypto";
import { and, DrizzleQueryError, eq, ne, or, sql } from "drizzle-orm";
import {
  accessTokens,
  accounts,
  authorizationCodes,
  permissions,
  type Role,
  refreshTokens,
} from "../../store/schema.js";
import type { Context } from "../context.js";
import { errors } from "../errors.js";
import type { UnitOfWork } from "../unit-of-work.js";
import { withoutUndefined } from "../without-undefined.js";
import type { Account } from "./find.js";
import type { AthleteProfileInput, ManagerProfileInput } from "./resource.js";

type Values = Omit<typeof accounts.$inferInsert, "usernameKey" | "createdAt">;

/** Usernames are compared without regard to case, over all accounts. */
export const usernameKey = (username: string) => username.normalize("NFKC").toLowerCase();

/**
 * Characters that usernames must not contain: white space at either end, and invisible characters (control and format
 * characters, fillers, characters that are private or not assigned). A name with it would look like another's.
 */
const UNSEEN = /^\s|\s$|[\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** @throws ServiceError `invalid` on the field `username` */
function requireSeen(username: string): void {
  if (UNSEEN.test(username)) {
    throw errors.field("username", "White space at the ends and invisible characters are not allowed.");
  }
}

const TAKEN: Record<string, string> = {
  accounts_username_key_key: "username",
  accounts_external_id: "external_id",
};

const TAKEN_MESSAGE = "This value is already taken.";

/** Turns the database's word that a value is taken into the field error of that value. */
async function uniquely<T>(query: Promise<T>): Promise<T> {
  return query.catch((error: unknown) => {
    const cause = error instanceof DrizzleQueryError ? (error.cause as { constraint?: string }) : undefined;
    const field = TAKEN[cause?.constraint ?? ""];
    throw field === undefined ? error : errors.field(field, TAKEN_MESSAGE, "not_unique");
  });
}

/**
 * Checks whether username and external id are free and the username is valid, before expensive work. Only the
 * database can decide this reliably, when the row is written.
 * @param present the account that may have them, and keep a username of an earlier release
 * @throws ServiceError `not_unique` or `invalid` on the field
 */
export async function requireFree(
  { queries }: Context,
  role: Role,
  { username, externalId }: { username?: string | undefined; externalId?: string | null | undefined },
  present?: Pick<Account, "id" | "username">,
): Promise<void> {
  if (username !== undefined && username !== present?.username) requireSeen(username);
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

export async function insertAccount(unit: UnitOfWork, values: Values): Promise<Account> {
  const [account] = await uniquely(
    unit.queries
      .insert(accounts)
      .values({ ...values, usernameKey: usernameKey(values.username), createdAt: unit.now })
      .returning(),
  );
  if (account === undefined) throw new Error("The account was not inserted");
  await unit.announce("accountCreated", { account });
  return account;
}

/** Changes an account. */
export async function updateAccount(
  unit: UnitOfWork,
  before: Account,
  values: Partial<Values>,
): Promise<Account> {
  if (values.username !== undefined && values.username !== before.username) requireSeen(values.username);
  const [after] = await uniquely(
    unit.queries
      .update(accounts)
      .set({
        ...values,
        ...(values.username === undefined ? {} : { usernameKey: usernameKey(values.username) }),
        version: sql`${accounts.version} + 1`,
      })
      .where(eq(accounts.id, before.id))
      .returning(),
  );
  if (after === undefined) throw errors.notFound();
  await unit.announce("accountUpdated", { before, after });
  return after;
}

/** Ends every session of the account. */
export async function revokeTokens({ queries }: UnitOfWork, accountId: number): Promise<void> {
  await queries.delete(accessTokens).where(eq(accessTokens.accountId, accountId));
  await queries.delete(refreshTokens).where(eq(refreshTokens.accountId, accountId));
  await queries.delete(authorizationCodes).where(eq(authorizationCodes.accountId, accountId));
}

/** Columns of a profile as sent; absent fields do not change. */
export const managerProfileColumns = (profile: ManagerProfileInput = {}) =>
  withoutUndefined({ firstName: profile.first_name, lastName: profile.last_name });

export const athleteProfileColumns = (profile: AthleteProfileInput = {}) =>
  withoutUndefined({
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

/** A managed athlete's permissions for its manager: the last day is included (specification, "Permission"). */
const MANAGED_FROM = new Date("1970-01-01T00:00:00.000Z");
const MANAGED_UNTIL = new Date("2199-12-31T23:59:59.999Z");

/** Creates an athlete who does not log in, and its manager's READ, WRITE and SHARE. */
export async function insertManagedAthlete(
  unit: UnitOfWork,
  managerId: number,
  values: Partial<Values>,
): Promise<Account> {
  const athlete = await insertAccount(unit, {
    ...values,
    role: "ATHLETE",
    username: `MANAGED-${randomUUID()}`,
    email: "",
    managedBy: managerId,
  });
  await unit.queries.insert(permissions).values(
    (["READ", "WRITE", "SHARE"] as const).map((permission) => ({
      athleteId: athlete.id,
      managerId,
      permission,
      startTime: MANAGED_FROM,
      expirationTime: MANAGED_UNTIL,
    })),
  );
  return athlete;
}
