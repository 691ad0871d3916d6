import { Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { accessTokens, accounts, refreshTokens } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { Account } from "./find.js";
import { usesPassword } from "./provider-identity.js";

/** Returns the schema of the caller's password, for `confirmPassword`. */
export const OwnPassword = (purpose: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      format: "password",
      description: `${purpose}. If you can sign in only with the OpenID provider, you must have signed in at most 5 minutes ago instead`,
    }),
  );

/** Time after a login during which a token suffices to change the credentials. */
const FRESH_SIGN_IN_MS = 5 * 60_000;

/** Credentials in the body of a request. */
interface CredentialChange {
  username?: string | undefined;
  password?: string | undefined;
  email?: string | undefined;
  current_password?: string | undefined;
}

/**
 * Checks that the user, and not someone who has found a token, changes the credentials: the password, the username, without which
 * the user cannot sign in, or the email address, to which password reset links are sent. A request that sends the current values
 * changes nothing and needs no proof.
 * @throws ServiceError `current_password_required`, or `wrong_password`, on the field `current_password`; `throttled` after
 *   too many wrong passwords
 */
export async function requireUser(ctx: Context, account: Account, change: CredentialChange): Promise<void> {
  const { username = account.username, email = account.email, password, current_password: current } = change;
  if (current !== undefined) return confirmPassword(ctx, current, "current_password");
  const changesLogin = username !== account.username || email !== account.email;
  if ((password === undefined && !changesLogin) || (await hasJustSignedIn(ctx))) return;
  if (!(await usesPassword(ctx, account))) throw signInAgain("current_password");
  if (!changesLogin && password !== undefined && (await ctx.isOwnPassword?.(password))) return;
  throw errors.field(
    "current_password",
    "Send your current password too: you signed in more than 5 minutes ago.",
    "current_password_required",
  );
}

const signInAgain = (field: string) =>
  errors.field(
    field,
    "Sign in again with the OpenID provider: it last authenticated you more than 5 minutes ago, or does not say when.",
    "sign_in_again",
  );

/**
 * Checks the password of the caller before an irreversible operation, because the token may be stolen. A caller who signs in only
 * with the OpenID provider must have signed in recently instead.
 * @param field the field with the password
 * @throws ServiceError `wrong_password`, `password_required`, `sign_in_again`; `throttled` after too many wrong passwords
 */
export async function confirmPassword(
  ctx: Context,
  password: string | undefined,
  field = "password",
): Promise<void> {
  if (password === undefined) {
    const [account] = await ctx.queries
      .select({ id: accounts.id, passwordHash: accounts.passwordHash })
      .from(accounts)
      .where(eq(accounts.id, ctx.caller?.id ?? 0));
    if (account === undefined || (await usesPassword(ctx, account)))
      throw errors.field(field, "Send your password too.", "password_required");
    if (!(await hasJustSignedIn(ctx))) throw signInAgain(field);
    return;
  }
  if (!(await ctx.isOwnPassword?.(password)))
    throw errors.field(field, "The password is not correct.", "wrong_password");
}

/**
 * Checks the password of the caller like `confirmPassword`, unless the user has just signed in.
 * @throws ServiceError as `confirmPassword`
 */
export async function confirmUnlessFresh(ctx: Context, password: string | undefined): Promise<void> {
  if (password !== undefined || !(await hasJustSignedIn(ctx))) await confirmPassword(ctx, password);
}

/** Whether the user of the session has recently authenticated. Refreshing a token does not count. */
async function hasJustSignedIn({ queries, clock, tokenHash }: Context): Promise<boolean> {
  if (tokenHash === undefined) return false;
  const [session] = await queries
    .select({ at: refreshTokens.authenticatedAt })
    .from(accessTokens)
    .innerJoin(refreshTokens, eq(refreshTokens.tokenHash, accessTokens.refreshHash))
    .where(eq(accessTokens.tokenHash, tokenHash));
  return session?.at != null && clock.now().getTime() - session.at.getTime() <= FRESH_SIGN_IN_MS;
}
