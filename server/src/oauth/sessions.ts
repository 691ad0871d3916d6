import { and, eq, isNull, or, sql } from "drizzle-orm";
import { deleting, eraseInParts } from "../domain/accounts/erase.js";
import { lockAccountByUsername } from "../domain/accounts/find.js";
import { revokeTokens } from "../domain/accounts/write.js";
import { transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { errors } from "../domain/change/errors.js";
import type { UnitOfWork } from "../domain/change/unit-of-work.js";
import type { Queries } from "../store/connection/database.js";
import {
  accessTokens,
  applications,
  authorizationCodes,
  deviceCodes,
  refreshTokens,
} from "../store/schema.js";
import { lockApplication } from "./applications.js";
import { ACCESS_TOKEN_LIFETIME_S } from "./issue-tokens.js";

/** Result of a login: a refresh token and the access tokens issued for it. */
export interface Session {
  /** Null for access tokens whose refresh token has been deleted. */
  id: number | null;
  /** Name of a personal token; null for others. */
  name: string | null;
  application: string;
  clientId: string;
  issuedAt: Date;
  /** Time when the last access token was issued. */
  lastUsedAt: Date;
  /** Number of access tokens that have not expired. */
  accessTokens: number;
}

/**
 * Lists the sessions of an account without their tokens, most recently used first.
 * @throws ServiceError `not_found`
 */
export async function listSessions(
  ctx: Context,
  username: string,
): Promise<{ username: string; sessions: Session[] }> {
  return transact(ctx, "session list", async (unit) => {
    const account = await lockAccountByUsername(unit, username);
    return { username: account.username, sessions: await sessionsOf(unit.queries, account.id, unit.now) };
  });
}

async function sessionsOf(queries: Queries, accountId: number, now: Date): Promise<Session[]> {
  const liveTokens = sql<number>`count(${accessTokens.tokenHash}) FILTER (WHERE ${accessTokens.expiresAt} > ${now})::int`;
  const named = { application: applications.name, clientId: applications.clientId };
  const sessions = await queries
    .select({
      id: refreshTokens.id,
      name: refreshTokens.name,
      ...named,
      issuedAt: refreshTokens.createdAt,
      lastUsedAt: refreshTokens.lastUsedAt,
      accessTokens: liveTokens,
    })
    .from(refreshTokens)
    .innerJoin(applications, eq(applications.id, refreshTokens.applicationId))
    .leftJoin(accessTokens, eq(accessTokens.refreshHash, refreshTokens.tokenHash))
    .where(eq(refreshTokens.accountId, accountId))
    .groupBy(refreshTokens.tokenHash, applications.id);
  const left = await queries
    .select({ ...named, expiresAt: accessTokens.expiresAt })
    .from(accessTokens)
    .innerJoin(applications, eq(applications.id, accessTokens.applicationId))
    .leftJoin(refreshTokens, eq(refreshTokens.tokenHash, accessTokens.refreshHash))
    .where(
      and(
        eq(accessTokens.accountId, accountId),
        sql`${accessTokens.expiresAt} > ${now}`,
        or(isNull(accessTokens.refreshHash), isNull(refreshTokens.tokenHash)),
      ),
    );
  const alone = left.map(({ expiresAt, ...rest }) => {
    const issuedAt = new Date(expiresAt.getTime() - ACCESS_TOKEN_LIFETIME_S * 1000);
    return { id: null, name: null, ...rest, issuedAt, lastUsedAt: issuedAt, accessTokens: 1 };
  });
  return [...sessions, ...alone].sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime());
}

/**
 * Ends one session of an account, or all of them.
 * @param id id of the session; undefined for all sessions
 * @returns the stored username
 * @throws ServiceError `not_found`
 */
export async function revokeSessions(
  ctx: Context,
  username: string,
  id: number | undefined,
): Promise<string> {
  return transact(ctx, "session revoke", async (unit) => {
    const account = await lockAccountByUsername(unit, username);
    if (id === undefined) {
      await revokeTokens(unit, account.id);
      await unit.audit("account", account.id, null, { tokens: "revoked" });
    } else {
      await revokeSession(unit, account.id, id);
    }
    return account.username;
  });
}

async function revokeSession(unit: UnitOfWork, accountId: number, id: number): Promise<void> {
  const [revoked] = await unit.queries
    .delete(refreshTokens)
    .where(and(eq(refreshTokens.accountId, accountId), eq(refreshTokens.id, id)))
    .returning();
  if (revoked === undefined) throw errors.notFound(`The account has no session ${id}.`);
  await unit.queries.delete(accessTokens).where(eq(accessTokens.refreshHash, revoked.tokenHash));
  await unit.audit("account", accountId, null, { tokens: "revoked", application: revoked.applicationId });
}

/**
 * Revokes an application with its credentials and all its tokens. Issuing a token locks the row of the application, so this
 * either finds the token, or the token is not issued. Tokens of a revoked application are invalid, so they can be deleted later,
 * in transactions of limited size. After an interruption, call it again.
 * @throws ServiceError `not_found`
 */
export async function revokeApplication(ctx: Context, clientId: string) {
  const revoked = await transact(ctx, "app revoke", async ({ queries, now, audit }) => {
    const before = await lockApplication(queries, clientId);
    const revokedAt = before.revokedAt ?? now;
    await queries.update(applications).set({ revokedAt }).where(eq(applications.id, before.id));
    const sessions = await queries.$count(refreshTokens, eq(refreshTokens.applicationId, before.id));
    await audit("application", before.id, before, { ...before, revokedAt });
    return { id: before.id, name: before.name, revokedAt, sessions };
  });
  const { id, ...result } = revoked;
  const tokens = [refreshTokens, accessTokens, authorizationCodes, deviceCodes].map((table) =>
    deleting(table, eq(table.applicationId, id)),
  );
  await eraseInParts((work) => transact(ctx, "app revoke", work), tokens);
  return result;
}
