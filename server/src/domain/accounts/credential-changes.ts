import { eq } from "drizzle-orm";
import { accessTokens, refreshTokens } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { Account } from "./find.js";

/** How long after a login a token suffices to change the password and the email address. */
const FRESH_SIGN_IN_MS = 5 * 60_000;

/** Credentials in the body of a request. */
interface CredentialChange {
  password?: string | undefined;
  email?: string | undefined;
  current_password?: string | undefined;
}

/**
 * Checks that the user changes the credentials, and not someone who has found a token. The email
 * address counts as a credential, because password reset links are sent to it. A request that sends
 * the current values changes nothing and needs no proof.
 * @throws ServiceError `current_password_required`, or `wrong_password`, on the field `current_password`; `throttled` after
 *   too many wrong passwords
 */
export async function requireUser(ctx: Context, account: Account, change: CredentialChange): Promise<void> {
  const { password, email, current_password: current } = change;
  if (current !== undefined) return confirmPassword(ctx, current, "current_password");
  const changesEmail = email !== undefined && email !== account.email;
  if ((password === undefined && !changesEmail) || (await hasJustSignedIn(ctx))) return;
  if (!changesEmail && password !== undefined && (await ctx.isOwnPassword?.(password))) return;
  throw errors.field(
    "current_password",
    "Send your current password too: you signed in more than 5 minutes ago.",
    "current_password_required",
  );
}

/**
 * Checks the password of the caller before an irreversible operation, because the token may be stolen.
 * @param field the field with the password
 * @throws ServiceError `wrong_password`; `throttled` after too many of them
 */
export async function confirmPassword(ctx: Context, password: string, field = "password"): Promise<void> {
  if (!(await ctx.isOwnPassword?.(password)))
    throw errors.field(field, "The password is not correct.", "wrong_password");
}

/** Whether the session of the caller began recently with a password. Refreshing a token does not begin a session. */
async function hasJustSignedIn({ queries, clock, tokenHash }: Context): Promise<boolean> {
  if (tokenHash === undefined) return false;
  const [session] = await queries
    .select({ beganAt: refreshTokens.createdAt })
    .from(accessTokens)
    .innerJoin(refreshTokens, eq(refreshTokens.tokenHash, accessTokens.refreshHash))
    .where(eq(accessTokens.tokenHash, tokenHash));
  return session !== undefined && clock.now().getTime() - session.beganAt.getTime() <= FRESH_SIGN_IN_MS;
}
