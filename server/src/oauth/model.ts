import type {
  AuthorizationCodeModel,
  Client,
  ClientCredentialsModel,
  PasswordModel,
  RefreshTokenModel,
  User,
} from "@node-oauth/oauth2-server";
import { InvalidGrantError } from "@node-oauth/oauth2-server";
import { and, eq, isNull } from "drizzle-orm";
import { dependsOnGroups } from "../domain/accounts/provider-identity.js";
import { usernameKey } from "../domain/accounts/usernames.js";
import type { Context } from "../domain/change/context.js";
import { errors, ServiceError } from "../domain/change/errors.js";
import { asPasswordAttempt, isPassword, whenHasherIsFree } from "../domain/secrets/passwords.js";
import { hashToken, isToken, newToken } from "../domain/secrets/tokens.js";
import { accounts, applications, authorizationCodes, refreshTokens } from "../store/schema.js";
import { type AuthorizationGrant, issueTokens, revokeReplayedCode } from "./issue-tokens.js";

/** The scope of tokens with all rights of their user. */
const SCOPE = ["all"];

/** Expiry in the far future for the library, because this module checks the expiry by the clock of the service. */
const NEVER = new Date("9999-12-31T00:00:00Z");

/** Limits password attempts. */
export interface PasswordAttempts {
  /** Caller that makes the attempts. */
  caller: string;
  /** Counts an attempt before the password is verified. Throws `throttled`. */
  count(username: string): Promise<void>;
  /** Refunds the counted attempt after a correct password. */
  succeeded(username: string): Promise<void>;
}

/**
 * Returns the account with these credentials. Takes the same time if there is no account. Only a caller who knows the password
 * learns that the account is disabled or signs in only with the OpenID provider. This explains the refusal to the user and
 * reveals nothing to others.
 * @throws ServiceError `account_disabled`, `provider_required`, `throttled`
 */
export async function findUser(
  ctx: Context,
  attempts: PasswordAttempts,
  username: string,
  password: string,
): Promise<typeof accounts.$inferSelect | undefined> {
  const key = usernameKey(username);
  // Count the attempt only when it runs, because many concurrent correct passwords must not be refused.
  return asPasswordAttempt(attempts.caller, async () => {
    await attempts.count(key);
    const [account] = await ctx.queries.select().from(accounts).where(eq(accounts.usernameKey, key));
    const matches = await whenHasherIsFree(() => isPassword(password, account?.passwordHash ?? null));
    if (account === undefined || !matches) return undefined;
    await attempts.succeeded(key);
    if (account.disabledAt !== null) throw errors.accountDisabled();
    if (await dependsOnGroups(ctx, account.id)) throw errors.providerRequired(ctx.config.openidName);
    return account;
  });
}

/** Returns an application that is not revoked. */
export async function findApplication(ctx: Context, clientId: string) {
  const [application] = await ctx.queries
    .select()
    .from(applications)
    .where(and(eq(applications.clientId, clientId), isNull(applications.revokedAt)));
  return application;
}

type Model = PasswordModel & RefreshTokenModel & AuthorizationCodeModel & ClientCredentialsModel;

const disabled = () => new InvalidGrantError("Invalid grant: the account is disabled");

const toClient = (application: typeof applications.$inferSelect): Client => ({
  id: String(application.id),
  grants: application.grants,
});

/**
 * Creates the model through which the OAuth 2.0 library accesses the tables, for one request.
 * @param sentRefreshToken refresh token of the request. It does not expire and is not rotated, so the response contains it again.
 */
export function createModel(
  ctx: Context,
  attempts: PasswordAttempts,
  sentRefreshToken: string | undefined,
): Model {
  const { queries, clock } = ctx;
  /** Grant of this request, set after a successful check. The grant is checked again when the token is stored. */
  let grant: AuthorizationGrant | undefined;
  /** The application that the request has authenticated with its secret. */
  let proven: typeof applications.$inferSelect | undefined;

  /** Returns the client and the user of a stored token or code. */
  async function partiesOf(applicationId: number, accountId: number) {
    const [parties] = await queries
      .select()
      .from(applications)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(and(eq(applications.id, applicationId), isNull(applications.revokedAt)));
    if (parties !== undefined && parties.accounts.disabledAt !== null) throw disabled();
    return parties && { client: toClient(parties.applications), user: { id: parties.accounts.id } as User };
  }

  return {
    async getClient(clientId, clientSecret) {
      const application = await findApplication(ctx, clientId);
      if (application === undefined) return false;
      // Without a secret, the library accepts only requests with PKCE (RFC 7636).
      if (clientSecret === undefined || clientSecret === null) return toClient(application);
      if (!isToken(clientSecret, application.secretHash)) return false;
      proven = application;
      return toClient(application);
    },

    async getUser(username, password) {
      if (!ctx.config.passwordSignIn)
        throw new InvalidGrantError("Invalid grant: signing in with a password is disabled");
      const account = await findUser(ctx, attempts, username, password).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === "account_disabled") throw disabled();
        if (error.code === "provider_required")
          throw new InvalidGrantError(
            "Invalid grant: the user of this account signs in only with the OpenID provider",
          );
        throw error;
      });
      if (account === undefined) return false;
      grant = { kind: "password", passwordHash: account.passwordHash };
      return { id: account.id };
    },

    generateAccessToken: async () => newToken(),
    generateRefreshToken: async () => newToken(),

    async validateScope(_user, _client, scope) {
      const granted: readonly string[] = grant?.kind === "client" ? grant.scopes : SCOPE;
      if (scope === undefined) return [...granted];
      return scope.length > 0 && scope.every((name) => granted.includes(name)) ? [...new Set(scope)] : false;
    },

    async getUserFromClient() {
      if (proven === undefined) return false;
      const { id: applicationId, accountId, scopes, secretHash } = proven;
      if (accountId === null || scopes === null) return false;
      if ((await partiesOf(applicationId, accountId)) === undefined) return false;
      grant = { kind: "client", secretHash, scopes };
      return { id: accountId };
    },

    async saveToken(token, client, user) {
      const parties = { accountId: Number(user.id), applicationId: Number(client.id) };
      const scope = token.scope ?? SCOPE;
      if (grant === undefined || !(await issueTokens(ctx, parties, grant, { ...token, scope }))) {
        throw new InvalidGrantError("Invalid grant: it has been revoked");
      }
      const { refreshTokenExpiresAt: _never, ...kept } = token;
      const refreshToken = token.refreshToken ?? sentRefreshToken;
      return { ...kept, ...(refreshToken === undefined ? {} : { refreshToken }), scope, client, user };
    },

    async getRefreshToken(refreshToken) {
      const [row] = await queries
        .select()
        .from(refreshTokens)
        .where(eq(refreshTokens.tokenHash, hashToken(refreshToken)));
      const parties = row && (await partiesOf(row.applicationId, row.accountId));
      grant = { kind: "refresh", token: refreshToken };
      return parties ? { refreshToken, scope: SCOPE, ...parties } : false;
    },

    // Never called: refresh tokens are not rotated.
    revokeToken: async () => false,

    // Never called: API requests are authenticated in `http/authentication.ts`.
    getAccessToken: async () => false,

    // Never called: the login page issues codes, see `authorize.ts`.
    saveAuthorizationCode: async () => false,

    async getAuthorizationCode(authorizationCode) {
      const [row] = await queries
        .select()
        .from(authorizationCodes)
        .where(eq(authorizationCodes.codeHash, hashToken(authorizationCode)));
      // A missing code may have been used and expired.
      if (row === undefined || row.usedAt !== null) await revokeReplayedCode(ctx, authorizationCode);
      if (row === undefined || row.usedAt !== null || row.expiresAt <= clock.now()) return false;
      const parties = await partiesOf(row.applicationId, row.accountId);
      if (!parties) return false;
      grant = { kind: "code", code: authorizationCode };
      return {
        authorizationCode,
        expiresAt: NEVER,
        redirectUri: row.redirectUri,
        scope: SCOPE,
        ...(row.codeChallenge === null
          ? {}
          : { codeChallenge: row.codeChallenge, codeChallengeMethod: "S256" }),
        ...parties,
      };
    },

    // The library calls this before it checks the verifier of the code, so there is only one attempt to guess it.
    async revokeAuthorizationCode({ authorizationCode }) {
      const used = await queries
        .update(authorizationCodes)
        .set({ usedAt: clock.now() })
        .where(
          and(
            eq(authorizationCodes.codeHash, hashToken(authorizationCode)),
            isNull(authorizationCodes.usedAt),
          ),
        )
        .returning({ accountId: authorizationCodes.accountId });
      if (used.length === 0) await revokeReplayedCode(ctx, authorizationCode);
      return used.length > 0;
    },
  };
}
