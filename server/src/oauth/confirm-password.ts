import type { Context } from "../domain/context.js";
import { errors } from "../domain/errors.js";
import { findUser, type PasswordAttempts } from "./model.js";

/**
 * Checks the password of the caller before what cannot be undone, because a token may be in the wrong hands.
 * @throws ServiceError `wrong_password`; `throttled` after too many of them
 */
export async function confirmPassword(
  ctx: Context,
  attempts: PasswordAttempts,
  password: string,
): Promise<void> {
  const { caller } = ctx;
  if (caller === null) throw errors.unauthenticated(false);
  const account = await findUser(ctx, attempts, caller.username, password);
  if (account?.id !== caller.id)
    throw errors.field("password", "The password is not correct.", "wrong_password");
}
