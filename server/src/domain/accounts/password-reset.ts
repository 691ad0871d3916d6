import { and, eq, gt, isNull } from "drizzle-orm";
import { accounts, passwordResets } from "../../store/schema.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { hashPassword } from "../secrets/passwords.js";
import { encryptSecret } from "../secrets/secrets.js";
import { hashResetToken, newToken } from "../secrets/tokens.js";
import { type Account, lockAccountByUsername } from "./find.js";
import { usesPassword } from "./provider-identity.js";
import { mayMailReset, RESET_LIFETIME_MS } from "./reset-mail-limit.js";
import { usernameHash, usernameKey } from "./usernames.js";
import { updateAccount } from "./write.js";

/** Request for an email with a link, as stored in its job. */
export interface ResetRequest {
  username: string;
  /** Address of the page, without a trailing slash. */
  page: string;
  requestId: string;
}

/**
 * Accepts a request for an email with a password reset link. A job looks up the account, so the request does the same
 * work whether the account exists or not.
 * @param page address of the page; must not come from the client
 */
export async function requestPasswordReset(ctx: Context, username: string, page: string): Promise<void> {
  const key = usernameKey(username);
  await transact(ctx, "requestPasswordReset", async (unit) => {
    const request: ResetRequest = { username: key, page, requestId: ctx.requestId };
    await unit.enqueue({
      kind: "mail",
      payload: { template: "password-reset-request", ...request },
      // Requests that arrive while another request waits share its email.
      uniqueKey: `password-reset ${usernameHash(key)}`,
    });
  });
}

/**
 * Emails the link if the account with this username can log in and has an address. Anyone can send requests, so
 * `mayMailReset` limits the emails without locking the user out.
 */
export async function answerResetRequest(
  ctx: Context,
  { username, page, requestId }: ResetRequest,
): Promise<void> {
  await transact({ ...ctx, requestId }, "requestPasswordReset", async (unit) => {
    const [account] = await unit.queries
      .select()
      .from(accounts)
      .where(eq(accounts.usernameKey, username))
      .for("no key update");
    if (account === undefined || !(await canReset(ctx, unit, account))) return;
    if (await mayMailReset(unit, account)) {
      await mailResetLink(ctx, unit, account, page);
    }
  });
}

/** Whether the user can sign in with a password, and has an address to which a link can be sent. */
const canReset = async ({ config }: Context, { queries }: UnitOfWork, account: Account): Promise<boolean> =>
  account.disabledAt === null && account.email !== "" && (await usesPassword({ queries, config }, account));

/**
 * Stores the hash of a new token, and queues the email with the token. Earlier links stay valid until one is used,
 * because a request by a stranger must not end them.
 * @returns the expiry of the link
 */
export async function mailResetLink(
  ctx: Context,
  unit: UnitOfWork,
  account: Account,
  page: string,
): Promise<Date> {
  const token = newToken();
  const expiresAt = new Date(unit.now.getTime() + RESET_LIFETIME_MS);
  await unit.queries
    .insert(passwordResets)
    .values({ tokenHash: hashResetToken(token), accountId: account.id, createdAt: unit.now, expiresAt });
  await unit.enqueue({
    kind: "mail",
    payload: {
      template: "password-reset",
      account: account.id,
      to: account.email,
      username: account.username,
      page,
      sealedToken: await encryptSecret(ctx, unit.queries, token),
      expiresAt: expiresAt.toISOString(),
    },
    chargedTo: account.id,
  });
  await unit.audit("account", account.id, null, { passwordReset: "link mailed" });
  return expiresAt;
}

/**
 * Emails the link for the operator.
 * @returns address of the recipient, and when the link expires
 * @throws ServiceError `not_found`, `cannot_log_in`, `password_sign_in_disabled`
 */
export async function mailResetForOperator(
  ctx: Context,
  username: string,
  page: string,
): Promise<{ username: string; email: string; expiresAt: Date }> {
  if (!ctx.config.passwordSignIn)
    throw errors.conflict("password_sign_in_disabled", "Users sign in only with the OpenID provider.");
  return transact(ctx, "account reset-password", async (unit) => {
    const account = await lockAccountByUsername(unit, username);
    const reason =
      account.disabledAt !== null
        ? "is disabled"
        : "has no email address, or its user cannot sign in with a password";
    if (!(await canReset(ctx, unit, account)))
      throw errors.conflict("cannot_log_in", `The account ${account.username} ${reason}.`);
    const expiresAt = await mailResetLink(ctx, unit, account, page);
    return { username: account.username, email: account.email, expiresAt };
  });
}

/**
 * Sets a new password with the token from a link. All sessions and all links of the account end,
 * and an email informs the user. A
 * password that is refused leaves the link valid.
 * @throws ServiceError `invalid_reset_token` on the field `token`; `invalid` on the field `password`; `throttled`
 */
export async function resetPassword(ctx: Context, token: string, password: string): Promise<void> {
  const tokenHash = hashResetToken(token);
  const isValid = (now: Date) =>
    and(
      eq(passwordResets.tokenHash, tokenHash),
      gt(passwordResets.expiresAt, now),
      isNull(accounts.disabledAt),
    );
  const [found] = await ctx.queries
    .select({ id: accounts.id, role: accounts.role, username: accounts.username })
    .from(passwordResets)
    .innerJoin(accounts, eq(accounts.id, passwordResets.accountId))
    .where(isValid(ctx.clock.now()));
  if (found === undefined) throw invalidToken();
  const passwordHash = await hashPassword(ctx, password, found.username);
  const set = async (unit: UnitOfWork) => {
    // Lock the account first, like every operation that ends sessions. Of two concurrent uses, the first then ends the
    // link of the second.
    const [account] = await unit.queries
      .select()
      .from(accounts)
      .where(eq(accounts.id, found.id))
      .for("update");
    const [left] = await unit.queries
      .select({ id: accounts.id })
      .from(passwordResets)
      .innerJoin(accounts, eq(accounts.id, passwordResets.accountId))
      .where(isValid(unit.now));
    if (account === undefined || left === undefined) throw invalidToken();
    // The link was sent to the current address, because a new address ends the links.
    await updateAccount(unit, account, { passwordHash, emailConfirmed: true });
  };
  await transact(ctx, "resetPassword", set, found.id);
}

const invalidToken = () =>
  errors.field(
    "token",
    "The link is invalid, has expired or has already been used. Request another link.",
    "invalid_reset_token",
  );
