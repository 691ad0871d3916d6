import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { encryptSecret } from "../secrets/secrets.js";
import { recipientHash } from "./email-addresses.js";
import type { Account } from "./find.js";
import { userKey } from "./user-counters.js";

/** Counts an email in limits that strangers can use up, and returns whether the limits allow it. */
async function isWithin(count: () => Promise<void>): Promise<boolean> {
  try {
    await count();
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === "throttled") return false;
    throw error;
  }
}

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
  const count = async () => ctx.countRegistrationMail?.(recipientHash(email));
  if (!hasGeneratedPassword) return isWithin(count);
  await count();
  return true;
}

/** The columns that a request replaces. */
type Replaced = { [Column in "username" | "email" | "passwordHash"]?: string | null | undefined };

/**
 * Counts a change before it is made, because the change sends an email to the previous address, which may belong to a
 * stranger. Each account has its own limit. If the account has not confirmed the address, the email also counts for the
 * address of the caller, like a registration, and for the mailbox. Others can use up these two limits, so above them the
 * change is made without an email.
 * @param account as it is when the change is made
 * @returns whether to email the change
 * @throws ServiceError `throttled` above the limit of the account, or for a new email address above the limit of the caller
 */
export async function countChangedCredentials(
  ctx: Context,
  account: Account,
  replaced: Replaced,
): Promise<boolean> {
  const changed = (["username", "email", "passwordHash"] as const).filter(
    (column) => replaced[column] !== undefined && replaced[column] !== account[column],
  );
  if (account.email === "") return false;
  for (const column of changed) {
    // The account can send emails to the new address.
    if (column === "email") await ctx.countRegistration?.();
    await ctx.countAccountMail?.(userKey(account.id));
  }
  if (account.emailConfirmed) return true;
  return isWithin(async () => {
    for (const _ of changed) {
      await ctx.countRegistration?.();
      await ctx.countAccountMail?.(recipientHash(account.email));
    }
  });
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
