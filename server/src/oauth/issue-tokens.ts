import { and, desc, eq, gt, inArray, isNotNull, isNull } from "drizzle-orm";
import { dependsOnGroups } from "../domain/accounts/provider-identity.js";
import { transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import type { UnitOfWork } from "../domain/change/unit-of-work.js";
import { hashToken } from "../domain/secrets/tokens.js";
import type { Queries } from "../store/connection/database.js";
import {
  accessTokens,
  accounts,
  applications,
  authorizationCodes,
  refreshTokens,
  type Scope,
} from "../store/schema.js";

/** Documented lifetime of an access token. */
export const ACCESS_TOKEN_LIFETIME_S = 36_000;

/** Maximum ratio of access tokens to refresh tokens of a user for one application. */
const ACCESS_TOKENS_PER_REFRESH_TOKEN = 5;

/** Credential for which a token or code is issued (RFC 6749 section 1.3). */
export type AuthorizationGrant =
  | {
      kind: "password";
      /** Hash with which the password was compared. */
      passwordHash: string | null;
    }
  | { kind: "refresh"; token: string }
  | { kind: "code"; code: string }
  | {
      kind: "client";
      /** Hash of the secret with which the application has proven its identity. */
      secretHash: Uint8Array;
      /** The rights of the application. */
      scopes: readonly Scope[];
    };

/** The access token of a request whose effect must not outlive its session. */
export interface SessionGrant {
  kind: "session";
  tokenHash: Uint8Array;
}

/** Returns the session of the request. Without one, the grant is never valid. */
export const sessionOf = ({ tokenHash = new Uint8Array() }: Context): SessionGrant => ({
  kind: "session",
  tokenHash,
});

/** The OpenID provider has authenticated the user in the same transaction. */
export interface IdentityGrant {
  kind: "identity";
}

/** The user has approved a device. Its row is deleted in the same transaction. */
export interface DeviceGrant {
  kind: "device";
}

/** User and application of a session. */
export interface Parties {
  accountId: number;
  applicationId: number;
}

/**
 * Whether the grant is still valid. It was checked before this transaction; the password may have been changed since, the token
 * revoked, or the account deleted. Locks the row of the account first. Every operation that ends sessions also locks it, so it
 * either runs before and is visible here, or runs after and finds the issued token.
 */
export async function isGrantValid(
  unit: UnitOfWork,
  { accountId, applicationId }: Parties,
  grant: AuthorizationGrant | SessionGrant | IdentityGrant | DeviceGrant,
): Promise<boolean> {
  const { queries } = unit;
  const [account] = await queries
    .select({ passwordHash: accounts.passwordHash })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.disabledAt)))
    .for("no key update");
  if (account === undefined) return false;
  const [approved] = await queries
    .select({ secretHash: applications.secretHash })
    .from(applications)
    .where(and(eq(applications.id, applicationId), isNull(applications.revokedAt)))
    .for("share");
  if (approved === undefined) return false;
  if (grant.kind === "identity" || grant.kind === "device") return true;
  if (grant.kind === "client") return Buffer.compare(approved.secretHash, grant.secretHash) === 0;
  if (grant.kind === "password")
    return account.passwordHash === grant.passwordHash && !(await dependsOnGroups(unit, accountId));
  if (grant.kind === "session") return isSessionValid(unit, grant.tokenHash);
  const rows =
    grant.kind === "refresh"
      ? await queries
          .select({ accountId: refreshTokens.accountId })
          .from(refreshTokens)
          .where(eq(refreshTokens.tokenHash, hashToken(grant.token)))
          .for("update")
      : await queries
          .select({ accountId: authorizationCodes.accountId })
          .from(authorizationCodes)
          .where(
            and(eq(authorizationCodes.codeHash, hashToken(grant.code)), isNotNull(authorizationCodes.usedAt)),
          )
          .for("update");
  return rows.length > 0;
}

async function isSessionValid({ queries, now }: UnitOfWork, tokenHash: Uint8Array): Promise<boolean> {
  const found = await queries
    .select({ expiresAt: accessTokens.expiresAt })
    .from(accessTokens)
    .innerJoin(applications, eq(applications.id, accessTokens.applicationId))
    .where(
      and(
        eq(accessTokens.tokenHash, tokenHash),
        gt(accessTokens.expiresAt, now),
        isNull(applications.revokedAt),
      ),
    );
  return found.length > 0;
}

/**
 * Stores an access token and, if the library has created one, a refresh token.
 * @param token.scope scopes of an application that acts for a user; the scopes of other tokens are not stored
 * @returns false if the grant is no longer valid; then nothing is stored
 */
export async function issueTokens(
  ctx: Context,
  parties: Parties,
  grant: AuthorizationGrant,
  {
    accessToken,
    refreshToken,
    scope,
  }: { accessToken: string; refreshToken?: string; scope: readonly string[] },
): Promise<boolean> {
  const issue = async (unit: UnitOfWork) => {
    if (!(await isGrantValid(unit, parties, grant))) return false;
    const { queries, now } = unit;
    const refreshHash =
      refreshToken === undefined
        ? grant.kind === "refresh"
          ? hashToken(grant.token)
          : null
        : hashToken(refreshToken);
    if (refreshToken !== undefined && refreshHash !== null) {
      await deleteLeastRecentlyUsed(queries, parties, ctx.config.refreshTokensPerApplication - 1);
      await queries.insert(refreshTokens).values({
        ...parties,
        tokenHash: refreshHash,
        codeHash: grant.kind === "code" ? hashToken(grant.code) : null,
        createdAt: now,
        lastUsedAt: now,
        authenticatedAt: now,
      });
    } else if (refreshHash !== null) {
      await queries
        .update(refreshTokens)
        .set({ lastUsedAt: now })
        .where(eq(refreshTokens.tokenHash, refreshHash));
    }
    await deleteOldest(
      queries,
      parties,
      ACCESS_TOKENS_PER_REFRESH_TOKEN * ctx.config.refreshTokensPerApplication - 1,
    );
    await queries.insert(accessTokens).values({
      ...parties,
      tokenHash: hashToken(accessToken),
      refreshHash,
      scopes: grant.kind === "client" ? grant.scopes.filter((name) => scope.includes(name)) : null,
      expiresAt: new Date(now.getTime() + ACCESS_TOKEN_LIFETIME_S * 1000),
    });
    await unit.audit("account", parties.accountId, null, {
      tokens: grant.kind === "refresh" ? "refreshed" : "issued",
      application: parties.applicationId,
    });
    return true;
  };
  return transact(ctx, "obtainToken", issue, parties.accountId);
}

/**
 * Limits the refresh tokens of a user, because they do not expire and each login creates one. Access tokens of deleted refresh
 * tokens remain valid until they expire, so a client that logs in for each call continues to work.
 * @returns the hashes of the deleted refresh tokens
 */
export async function deleteLeastRecentlyUsed(
  queries: Queries,
  { accountId, applicationId }: Parties,
  kept: number,
): Promise<Uint8Array[]> {
  const unused = queries
    .select({ tokenHash: refreshTokens.tokenHash })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.accountId, accountId), eq(refreshTokens.applicationId, applicationId)))
    .orderBy(desc(refreshTokens.lastUsedAt), desc(refreshTokens.tokenHash))
    .offset(kept);
  const deleted = await queries
    .delete(refreshTokens)
    .where(inArray(refreshTokens.tokenHash, unused))
    .returning({ tokenHash: refreshTokens.tokenHash });
  return deleted.map(({ tokenHash }) => tokenHash);
}

/** Limits the access tokens of a user, so that a new password ends all of them in a short transaction. */
async function deleteOldest(
  queries: Queries,
  { accountId, applicationId }: Parties,
  kept: number,
): Promise<void> {
  const oldest = queries
    .select({ tokenHash: accessTokens.tokenHash })
    .from(accessTokens)
    .where(and(eq(accessTokens.accountId, accountId), eq(accessTokens.applicationId, applicationId)))
    .orderBy(desc(accessTokens.expiresAt))
    .offset(kept);
  await queries.delete(accessTokens).where(inArray(accessTokens.tokenHash, oldest));
}

/**
 * Revokes the tokens of the first use of a code that is used twice, because it may be stolen (RFC 6749 section 4.1.2). Deletes
 * the code first, so that a concurrent first use either waits here or does not find it.
 */
export async function revokeReplayedCode(ctx: Context, code: string): Promise<void> {
  const codeHash = hashToken(code);
  await transact(ctx, "obtainToken", async ({ queries, audit }) => {
    await queries.delete(authorizationCodes).where(eq(authorizationCodes.codeHash, codeHash));
    const revoked = await queries
      .delete(refreshTokens)
      .where(eq(refreshTokens.codeHash, codeHash))
      .returning();
    if (revoked.length === 0) return;
    await queries.delete(accessTokens).where(
      inArray(
        accessTokens.refreshHash,
        revoked.map(({ tokenHash }) => tokenHash),
      ),
    );
    for (const { accountId, applicationId } of revoked) {
      await audit("account", accountId, null, {
        tokens: "revoked: code used again",
        application: applicationId,
      });
    }
  });
}
