import { createHash } from "node:crypto";
import { eq, min } from "drizzle-orm";
import { accounts } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { encryptSecret } from "../secrets/secrets.js";
import type { Account } from "./find.js";
import { userKey } from "./user-counters.js";

/** Normalises an address: a subaddress (RFC 5233) or another spelling must not count as another recipient. */
const plainAddress = (email: string) =>
  email
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\+[^@]*(?=@[^@]*$)/, "");

/** Identifies the recipient in counters without storing the address. */
export const recipientHash = (email: string) =>
  createHash("sha256").update(plainAddress(email)).digest("base64url");

/**
 * Counts the registration email before it is queued. Beyond the recipient's limit, a user who has
 * chosen a password gets no email but can register, so nobody can block the registration of others.
 * @returns whether to email the credentials
 * @throws ServiceError `throttled` when the password is known only from the email
 */
export async function countCredentialsMail(
  ctx: Context,
  email: string,
  hasGeneratedPassword: boolean,
): Promise<boolean> {
  try {
    await ctx.countRegistrationMail?.(recipientHash(email));
    return true;
  } catch (error) {
    if (hasGeneratedPassword || !(error instanceof ServiceError) || error.kind !== "throttled") throw error;
    return false;
  }
}

/** Values of a request that replaces credentials. */
interface Replaced {
  username?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
}

/**
 * Counts a change before it is made, because it emails the previous address, which anyone may have entered. Changes are counted
 * by account for the account that has had the address for the longest time, and by address for all others. Nobody can
 * therefore use up the limit of the owner of the address.
 * @throws ServiceError `throttled`
 */
export async function countChangedCredentials(
  ctx: Context,
  account: Account,
  { username, email, password }: Replaced,
): Promise<void> {
  const changesEmail = email !== undefined && email !== account.email;
  const changesUsername = username !== undefined && username !== account.username;
  if (account.email === "" || !(changesEmail || changesUsername || password !== undefined)) return;
  const [first] = await ctx.queries
    .select({ id: min(accounts.id) })
    .from(accounts)
    .where(eq(accounts.email, account.email));
  const key = first?.id === account.id ? userKey(account.id) : recipientHash(account.email);
  await ctx.countAccountMail?.(key, changesEmail);
}

/**
 * Queues the email with the credentials of a new user. It includes the password only when it was
 * generated.
 */
export async function mailCredentials(
  ctx: Context,
  unit: UnitOfWork,
  account: Account,
  generatedPassword: string | null,
): Promise<void> {
  await unit.enqueue({
    kind: "mail",
    payload: {
      template: "credentials",
      account: account.id,
      to: account.email,
      username: account.username,
      sealedPassword:
        generatedPassword === null ? null : await encryptSecret(ctx, unit.queries, generatedPassword),
    },
  });
}

/**
 * Queues emails saying that a user's password, email address or username has changed. They go to the previous address,
 * because someone who changes both would otherwise receive them.
 */
export async function mailChangedCredentials(
  unit: UnitOfWork,
  before: Account,
  after: Account,
): Promise<void> {
  if (before.email === "") return;
  const changed = [
    ...(after.passwordHash === before.passwordHash ? [] : ["password-changed"]),
    ...(after.email === before.email ? [] : ["address-changed"]),
    ...(after.username === before.username ? [] : ["username-changed"]),
  ];
  for (const template of changed) {
    await unit.enqueue({
      kind: "mail",
      payload: { template, account: before.id, to: before.email, username: after.username },
      chargedTo: before.id,
    });
  }
}
