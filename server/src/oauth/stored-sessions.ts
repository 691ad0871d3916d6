import { eq } from "drizzle-orm";
import type { UnitOfWork } from "../domain/change/unit-of-work.js";
import { hashToken, newToken } from "../domain/secrets/tokens.js";
import { accessTokens, refreshTokens, type Scope } from "../store/schema.js";
import type { Parties } from "./issue-tokens.js";

interface NewSession {
  /** Hash of its only access token. Its refresh token is not sent to anyone. */
  accessHash: Uint8Array;
  expiresAt: Date;
  /** See `refreshTokens`. */
  authenticatedAt?: Date | null;
  /** `User-Agent`, for a session of the page. */
  browser?: string | null;
  /** Name and scopes of a personal token. */
  personal?: { name: string; scopes: Scope[] };
  /** Scopes of a program that a user has approved. */
  scopes?: Scope[];
}

/** Stores a session with one access token: of the page, or a personal token. */
export async function insertSession(
  { queries, now }: UnitOfWork,
  parties: Parties,
  { accessHash, expiresAt, authenticatedAt = null, browser = null, personal, scopes }: NewSession,
): Promise<typeof refreshTokens.$inferSelect> {
  const [row] = await queries
    .insert(refreshTokens)
    .values({
      ...parties,
      tokenHash: hashToken(newToken()),
      createdAt: now,
      lastUsedAt: now,
      expiresAt,
      authenticatedAt,
      browser,
      name: personal?.name ?? null,
    })
    .returning();
  if (row === undefined) throw new Error("The session was not inserted");
  await queries.insert(accessTokens).values({
    ...parties,
    tokenHash: accessHash,
    refreshHash: row.tokenHash,
    expiresAt,
    scopes: personal?.scopes ?? scopes ?? null,
  });
  return row;
}

/**
 * Deletes a session with its access tokens. Deletes the refresh token first, so that an access token that is concurrently issued for
 * it is either found or not issued.
 * @returns the deleted session; undefined if it has already ended
 */
export async function deleteSession({ queries }: UnitOfWork, refreshHash: Uint8Array) {
  const [ended] = await queries
    .delete(refreshTokens)
    .where(eq(refreshTokens.tokenHash, refreshHash))
    .returning();
  await queries.delete(accessTokens).where(eq(accessTokens.refreshHash, refreshHash));
  return ended;
}
