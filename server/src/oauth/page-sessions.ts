import { type Static, Type } from "@sinclair/typebox";
import { and, desc, eq, getTableColumns, gt, inArray, isNull, or } from "drizzle-orm";
import type { Session as SessionRow } from "../domain/accounts/rules.js";
import { change, transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import type { UnitOfWork } from "../domain/change/unit-of-work.js";
import { listPage, type Paging } from "../domain/lists/listing.js";
import { hashSessionToken, newToken } from "../domain/secrets/tokens.js";
import { accessTokens, applications, refreshTokens } from "../store/schema.js";
import { DateTimeOut, Nullable, Text } from "../wire/types.js";
import { deleteLeastRecentlyUsed, isGrantValid, type Parties } from "./issue-tokens.js";
import { findApplication, findUser, type PasswordAttempts } from "./model.js";
import { deleteSession, insertSession } from "./stored-sessions.js";

/** Application of the sessions of the page, added by a migration. */
export const PAGE_CLIENT_ID = "asi-page";

/** Lifetime of a session of the page. */
export const PAGE_SESSION_S = 12 * 60 * 60;

/** Maximum number of stored characters of a `User-Agent`; browsers send about 120. */
const MAX_BROWSER_CHARACTERS = 200;

export const Credentials = Type.Object(
  {
    username: Text({ minLength: 1 }),
    password: Type.String({ minLength: 1, maxLength: 4096, format: "password" }),
  },
  { examples: [{ username: "ann", password: "a long passphrase" }] },
);

export const Session = Type.Object(
  {
    id: Type.Integer(),
    application: Type.String({ description: "Page, or the name of an application" }),
    browser: Nullable(Type.String({ description: "User-Agent of the browser; null for applications" })),
    signed_in_at: DateTimeOut(),
    last_used_at: DateTimeOut({ description: "Time when the last token was issued for the session" }),
    expires_at: Nullable(DateTimeOut({ description: "Null for the sessions of applications" })),
    is_current: Type.Boolean({ description: "Whether this request belongs to the session" }),
  },
  {
    $id: "Session",
    examples: [
      {
        id: 3,
        application: "Page",
        browser: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        signed_in_at: "2024-01-01T06:00:00.000Z",
        last_used_at: "2024-01-01T06:00:00.000Z",
        expires_at: "2024-01-01T18:00:00.000Z",
        is_current: true,
      },
    ],
  },
);

const toSession = (
  { id, browser, createdAt, lastUsedAt, expiresAt }: SessionRow,
  application: string,
  isCurrent: boolean,
): Static<typeof Session> => ({
  id,
  application,
  browser,
  signed_in_at: createdAt.toISOString(),
  last_used_at: lastUsedAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
  is_current: isCurrent,
});

/**
 * Signs a user in to the page.
 * @param replaces hash of the token in the replaced cookie, whose session ends
 * @returns the session, and the token for the cookie, which is not stored
 * @throws ServiceError `wrong_credentials`, `account_disabled`, `provider_required`, `throttled` after too many wrong
 *   credentials, `gone` if the application of the page is revoked
 */
export async function signIn(
  ctx: Context,
  attempts: PasswordAttempts,
  { username, password }: Static<typeof Credentials>,
  userAgent: string | undefined,
  replaces: Uint8Array | undefined,
): Promise<{ session: Static<typeof Session>; token: string }> {
  const application = await findApplication(ctx, PAGE_CLIENT_ID);
  if (application === undefined) throw errors.gone("Signing in to the page is disabled.");
  const account = await findUser(ctx, attempts, username, password);
  if (account === undefined) throw wrongCredentials();
  const parties = { accountId: account.id, applicationId: application.id };
  const token = newToken();
  const create = async (unit: UnitOfWork) => {
    const grant = { kind: "password", passwordHash: account.passwordHash } as const;
    if (!(await isGrantValid(unit, parties, grant))) throw wrongCredentials();
    return beginSession(unit, parties, { token, userAgent, replaces, authenticatedAt: unit.now });
  };
  const row = await transact(ctx, "createSession", create, account.id);
  return { session: toSession(row, application.name, true), token };
}

/** A new session of the page. */
export interface NewPageSession {
  token: string;
  userAgent: string | undefined;
  /** Hash of the token of the replaced session. */
  replaces: Uint8Array | undefined;
  /** Time at which the user entered a password, here or at the provider; null if the provider does not report it. */
  authenticatedAt: Date | null;
}

/** Stores a session of the page, after the grant has been checked with `isGrantValid` in the same transaction. */
export async function beginSession(
  unit: UnitOfWork,
  parties: Parties,
  { token, userAgent, replaces, authenticatedAt }: NewPageSession,
): Promise<SessionRow> {
  const { queries, now, config } = unit;
  if (replaces !== undefined) await endSessionOf(unit, replaces);
  const dropped = await deleteLeastRecentlyUsed(queries, parties, config.refreshTokensPerApplication - 1);
  // Otherwise, the user could neither see nor end these sessions.
  await queries.delete(accessTokens).where(inArray(accessTokens.refreshHash, dropped));
  const row = await insertSession(unit, parties, {
    accessHash: hashSessionToken(token),
    expiresAt: new Date(now.getTime() + PAGE_SESSION_S * 1000),
    authenticatedAt,
    browser: userAgent?.slice(0, MAX_BROWSER_CHARACTERS) ?? null,
  });
  const { accountId, applicationId } = parties;
  await unit.audit("account", accountId, null, { session: "begun", application: applicationId });
  return row;
}

const wrongCredentials = () =>
  errors.field("non_field_errors", "The username or the password is wrong.", "wrong_credentials");

/** Lists the caller's active sessions, most recently used first. */
export async function listOwnSessions(ctx: Context, query: Paging) {
  const { queries, caller, clock, tokenHash } = ctx;
  const current = tokenHash && (await sessionHashOf(queries, tokenHash));
  const matching = queries
    .select({ session: getTableColumns(refreshTokens), application: applications.name })
    .from(refreshTokens)
    .innerJoin(applications, eq(applications.id, refreshTokens.applicationId))
    .where(
      and(
        eq(refreshTokens.accountId, caller?.id ?? 0),
        isNull(refreshTokens.name),
        or(isNull(refreshTokens.expiresAt), gt(refreshTokens.expiresAt, clock.now())),
      ),
    )
    .$dynamic();
  const order = [desc(refreshTokens.lastUsedAt), desc(refreshTokens.id)];
  return listPage(queries, matching, order, query, ({ session, application }) =>
    toSession(session, application, current != null && Buffer.compare(current, session.tokenHash) === 0),
  );
}

/** Returns the session of an access token, identified by its refresh token; null if the token has none. */
async function sessionHashOf(queries: Context["queries"], tokenHash: Uint8Array) {
  const [token] = await queries
    .select({ refreshHash: accessTokens.refreshHash })
    .from(accessTokens)
    .where(eq(accessTokens.tokenHash, tokenHash));
  return token?.refreshHash;
}

/** Ends the session of the request: all its tokens become invalid immediately. */
export async function endSession(ctx: Context): Promise<void> {
  await change(ctx, "endSession", {}, async (unit) => {
    if (ctx.tokenHash !== undefined) await endSessionOf(unit, ctx.tokenHash);
  });
}

/** Ends a session of the caller. */
export async function endOtherSession(ctx: Context, id: number): Promise<void> {
  await change(ctx, "endOtherSession", { page_session: id }, (unit, session) => end(unit, session.tokenHash));
}

/** Ends the session of an access token. */
async function endSessionOf(unit: UnitOfWork, tokenHash: Uint8Array): Promise<void> {
  const refreshHash = await sessionHashOf(unit.queries, tokenHash);
  if (refreshHash != null) await end(unit, refreshHash);
  await unit.queries.delete(accessTokens).where(eq(accessTokens.tokenHash, tokenHash));
}

async function end(unit: UnitOfWork, refreshHash: Uint8Array): Promise<void> {
  const ended = await deleteSession(unit, refreshHash);
  if (ended === undefined) return;
  await unit.audit("account", ended.accountId, null, { session: "ended", application: ended.applicationId });
}
