import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { encryptSecret } from "../secrets/secrets.js";
import { recipientHash } from "./email-addresses.js";
import { type Account, isOldestWithAddress } from "./find.js";
import { userKey } from "./user-counters.js";

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

/** The columns that a request replaces. */
type Replaced = { [Column in "username" | "email" | "passwordHash"]?: string | null | undefined };

/**
 * Counts a change before it is made, because it sends an email to the previous address, which may belong to a stranger. Each
 * account has its own limit. Accounts that have not confirmed the address also share two, whatever the spelling of the address:
 * one for the oldest account with it and one for all others. So nobody can use up the limit of a user by entering the address of
 * the user, accounts that take turns at being the oldest have one limit, and a user whose account is neither confirms the address
 * with a password reset link, which is not counted.
 * @param account as it is when the change is made
 * @throws ServiceError `throttled`
 */
export async function countChangedCredentials(
  ctx: Context,
  account: Account,
  replaced: Replaced,
): Promise<void> {
  const changed = (["username", "email", "passwordHash"] as const).filter(
    (column) => replaced[column] !== undefined && replaced[column] !== account[column],
  );
  if (account.email === "" || changed.length === 0) return;
  for (const column of changed) await ctx.countAccountMail?.(userKey(account.id), column === "email");
  if (account.emailConfirmed) return;
  const recipient = recipientHash(account.email);
  const shared = (await isOldestWithAddress(ctx.queries, account)) ? `oldest ${recipient}` : recipient;
  for (const _ of changed) await ctx.countAccountMail?.(shared, false);
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
