import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { FastifyRequest } from "fastify";
import type { Config } from "../config/config.js";
import type { AuthenticatedCaller, Clock, Context } from "../domain/change/context.js";
import { hashSessionToken, hashToken } from "../domain/secrets/tokens.js";
import { recentEntries } from "../fairness/recent-entries.js";
import { redeemLiveTicket } from "../oauth/live-tickets.js";
import { noteUse, USE_NOTED_MS } from "../oauth/personal-tokens.js";
import { preparedOnce, type Queries } from "../store/connection/database.js";
import { accessTokens, accounts, applications } from "../store/schema.js";
import { sessionToken } from "./browser/session-cookie.js";
import type { Throttle } from "./limits/throttle.js";

/** RFC 6750 section 2.1, with a case-insensitive scheme. The token must have the format of tokens issued by the service. */
const BEARER = /^Bearer +([A-Za-z0-9_-]{43})$/i;

/** Maximum number of tokens whose account is cached. */
const MAX_KNOWN = 10_000;

const callerOfToken = preparedOnce((queries) =>
  queries
    .select({
      id: accounts.id,
      role: accounts.role,
      username: accounts.username,
      canCreateManagedAthletes: accounts.canCreateManagedAthletes,
      scopes: accessTokens.scopes,
      disabledAt: accounts.disabledAt,
    })
    .from(accessTokens)
    .innerJoin(accounts, eq(accounts.id, accessTokens.accountId))
    .innerJoin(applications, eq(applications.id, accessTokens.applicationId))
    .where(
      and(
        eq(accessTokens.tokenHash, sql.placeholder("tokenHash")),
        gt(accessTokens.expiresAt, sql.placeholder("now")),
        isNull(applications.revokedAt),
      ),
    )
    .prepare("caller_of_token"),
);

/** Returns the account of a token; undefined if the token is not valid now or the account is disabled. */
export async function callerOf(
  queries: Queries,
  tokenHash: Uint8Array,
  now: Date,
): Promise<AuthenticatedCaller | undefined> {
  const [found] = await callerOfToken(queries).execute({ tokenHash, now });
  if (found === undefined) return undefined;
  const { disabledAt, ...caller } = found;
  return disabledAt === null ? caller : undefined;
}

/** The token of a request, as a hash. */
export interface Credential {
  tokenHash: Uint8Array;
  /** The hash as text. */
  key: string;
}

/**
 * Returns the credential of a request from its `Authorization` header or, without this header, from the cookie of the page.
 * @returns undefined if there is no credential; null if the header contains no token
 */
export function credentialOf(config: Config, request: FastifyRequest): Credential | null | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const token = BEARER.exec(authorization)?.[1];
    return token === undefined ? null : credential(hashToken(token));
  }
  // A browser also sends the cookies of the service with WebSockets that other sites open.
  if (request.ws) return undefined;
  const token = sessionToken(config, request);
  return token === undefined ? undefined : credential(hashSessionToken(token));
}

/** Format of the tickets issued by the service. */
const TICKET = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns the credential of a request whose ticket replaces the token. The ticket cannot be used again.
 * @returns undefined if there is no ticket; null if it is not valid now
 * @throws ServiceError `throttled` if the address has sent too many invalid tokens
 */
export async function ticketCredential(
  { queries, clock }: Context,
  throttle: Throttle,
  request: FastifyRequest,
): Promise<Credential | null | undefined> {
  const { ticket } = request.query as { ticket?: unknown };
  if (ticket === undefined) return undefined;
  if (typeof ticket !== "string" || !TICKET.test(ticket)) return null;
  throttle.requireLeft("address", request);
  const tokenHash = await redeemLiveTicket(queries, ticket, clock.now());
  return tokenHash === undefined ? null : credential(tokenHash);
}

const credential = (tokenHash: Uint8Array): Credential => ({
  tokenHash,
  key: Buffer.from(tokenHash).toString("base64"),
});

/** Identifies the caller. */
export interface Authentication {
  /**
   * Returns the cached account of a token if the token was valid at its last check by this process. Makes no query, so
   * the token may have become invalid in the meantime.
   */
  expectedAccount(credential: Credential): number | undefined;
  /** Returns the account of a token, and whether it is disabled; null if the token is not valid now. */
  authenticate(
    request: FastifyRequest,
    credential: Credential,
  ): Promise<{ caller: AuthenticatedCaller; isDisabled: boolean } | null>;
}

/**
 * Creates the authentication by access token. When an address has sent as many invalid tokens as its limit on anonymous calls,
 * the service refuses tokens that this process has not seen as valid, without a query, until the minute ends. Clients with known
 * tokens behind the same address are not affected.
 */
export function createAuthentication(queries: Queries, clock: Clock, throttle: Throttle): Authentication {
  /** Accounts by the hashes of their tokens. */
  const known = recentEntries<number>(MAX_KNOWN);
  /** Tokens with scopes by their hashes, with the time of the last recorded use. */
  const noted = recentEntries<number>(MAX_KNOWN);
  const note = async (caller: AuthenticatedCaller, { tokenHash, key }: Credential) => {
    const now = clock.now();
    if (caller.scopes === null || now.getTime() - (noted.get(key) ?? 0) < USE_NOTED_MS) return;
    noted.set(key, now.getTime());
    await noteUse(queries, tokenHash, now);
  };
  return {
    expectedAccount: ({ key }) => known.get(key),
    async authenticate(request, { tokenHash, key }) {
      if (!known.has(key)) throttle.requireLeft("address", request);
      const [found] = await callerOfToken(queries).execute({ tokenHash, now: clock.now() });
      if (found === undefined) {
        known.delete(key);
        return null;
      }
      const { disabledAt, ...caller } = found;
      known.set(key, caller.id);
      if (disabledAt === null) await note(caller, { tokenHash, key });
      return { caller, isDisabled: disabledAt !== null };
    },
  };
}
