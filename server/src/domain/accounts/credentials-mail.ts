import type { Context } from "../change/context.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { encryptSecret } from "../secrets/secrets.js";
import type { Account } from "./find.js";

/** Queues the mail with the credentials of a new user. It includes the password only when it was generated. */
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
 * Queues mails that the password or the mail address of a user has changed. They go to the address of before the change:
 * otherwise someone who changes both would receive them.
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
  ];
  for (const template of changed) {
    await unit.enqueue({
      kind: "mail",
      payload: { template, account: before.id, to: before.email, username: after.username },
      chargedTo: before.id,
    });
  }
}
