import { and, eq, min } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts, type Role } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Lookup } from "../change/rule.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { usernameKey } from "./usernames.js";

export type Account = typeof accounts.$inferSelect;

/**
 * Returns the account with this id and role.
 * @throws ServiceError `not_found`
 */
export async function findAccount(role: Role, id: number, { queries, lock }: Lookup): Promise<Account> {
  const query = queries
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), eq(accounts.role, role)));
  const [account] = await (lock ? query.for("update") : query);
  if (account === undefined) throw errors.notFound();
  return account;
}

/**
 * Returns the account with this username, for the operator.
 * @throws ServiceError `not_found`
 */
export async function accountByUsername(queries: Queries, username: string): Promise<Account> {
  const [account] = await queries
    .select()
    .from(accounts)
    .where(eq(accounts.usernameKey, usernameKey(username)));
  if (account === undefined) throw errors.notFound(`There is no account ${username}.`);
  return account;
}

/**
 * Returns the account with this username, locked until the transaction ends; for the operator.
 * @throws ServiceError `not_found`
 */
export async function lockAccountByUsername({ queries }: UnitOfWork, username: string): Promise<Account> {
  const [account] = await queries
    .select()
    .from(accounts)
    .where(eq(accounts.usernameKey, usernameKey(username)))
    .for("update");
  if (account === undefined) throw errors.notFound(`There is no account ${username}.`);
  return account;
}

export const findAthlete = (id: number, lookup: Lookup): Promise<Account> =>
  findAccount("ATHLETE", id, lookup);

/** Whether no older account has the email address, in any spelling. */
export async function isOldestWithAddress(queries: Queries, { id, emailKey }: Account): Promise<boolean> {
  const [first] = await queries
    .select({ id: min(accounts.id) })
    .from(accounts)
    .where(eq(accounts.emailKey, emailKey));
  return first?.id === id;
}
