import type { Context } from "../context.js";
import { encryptSecret } from "../secrets.js";
import type { UnitOfWork } from "../unit-of-work.js";
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
