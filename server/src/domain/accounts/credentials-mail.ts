import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { encryptSecret } from "../secrets/secrets.js";
import { recipientHash } from "./email-addresses.js";
import { type Account, isOldestWithAddress } from "./find.js";
import { userKey } from "./user-counters.js";

/**
 * Counts the registration email before it is queued. If the recipient's limit is exceeded, a user who has chosen a password gets
 * no email but can still register, so nobody can block the registration of others.
 * @returns whether to email the credentials
 * @throws ServiceError `throttled` when the limit is exceeded and only the email would contain the password
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
 * Counts a change before it is made, because the change sends an email to the previous address, which may belong to a stranger.
 * Each account has its own limit. Accounts that have not confirmed the address also share two limits, regardless of the spelling
 * of the address: one for the oldest account with the address, and one for all others. Therefore nobody can use up a user's limit
 * by entering the address of the user, and accounts that become the oldest one after another share one limit. A user whose
 * account is not the oldest can confirm the address with a password reset link, which is not counted.
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

/** Queues the email with the credentials of a new user. It includes the password only if the service generated it. */
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
 * Queues emails that inform a user of a changed password, email address or username. They go to the previous address, because
 * someone who also changes the address would otherwise receive them.
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
