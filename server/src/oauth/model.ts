import type {
  AuthorizationCodeModel,
  Client,
  PasswordModel,
  RefreshTokenModel,
  User,
} from "@node-oauth/oauth2-server";
import { and, eq, gt, isNull } from "drizzle-orm";
import { usernameKey } from "../domain/accounts/store.js";
import { type Change, transact } from "../domain/change.js";
import type { Context } from "../domain/context.js";
import { isPassword } from "../domain/passwords.js";
import { hashToken, isToken, newToken } from "../domain/tokens.js";
import { accessTokens, accounts, applications, authorizationCodes, refreshTokens } from "../store/schema.js";

/** Specification, "Limits". */
export const ACCESS_TOKEN_LIFETIME_S = 36_000;

/** The only scope there is. */
const SCOPE = ["all"];

/** Far enough: expiry is judged here, by the service's clock. */
const NEVER = new Date("9999-12-31T00:00:00Z");

/** Throttle of wrong passwords, told of each try. */
export interface PasswordTries {
  require(username: string): Promise<void>;
  failed(username: string): Promise<void>;
}

/** The account with these credentials; takes as long when there is none. */
export async function findUser(
  ctx: Context,
  tries: PasswordTries,
  username: string,
  password: string,
): Promise<typeof accounts.$inferSelect | undefined> {
  const key = usernameKey(username);
  await tries.require(key);
  const [account] = await ctx.queries.select().from(accounts).where(eq(accounts.usernameKey, key));
  const right = await isPassword(password, account?.passwordHash ?? null);
  if (account !== undefined && right && account.disabledAt === null) return account;
  await tries.failed(key);
  return undefined;
}

/** An application that is not revoked. */
export async function findApplication(ctx: Context, clientId: string) {
  const [application] = await ctx.queries
    .select()
    .from(applications)
    .where(and(eq(applications.clientId, clientId), isNull(applications.revokedAt)));
  return application;
}

type Model = PasswordModel & RefreshTokenModel & AuthorizationCodeModel;

const toClient = (application: typeof applications.$inferSelect): Client => ({
  id: String(application.id),
  grants: application.grants,
});

/**
 * What the OAuth 2.0 library needs to know of our tables, for one request.
 * @param sentRefreshToken the refresh token of the request: it does not expire and is not rotated, so the answer
 *   carries it again
 */
export function createModel(ctx: Context, tries: PasswordTries, sentRefreshToken: string | undefined): Model {
  const { queries, clock } = ctx;

  /** The client and the user of a stored token or code. */
  async function partiesOf(applicationId: number, accountId: number) {
    const [parties] = await queries
      .select()
      .from(applications)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(
        and(eq(applications.id, applicationId), isNull(applications.revokedAt), isNull(accounts.disabledAt)),
      );
    return parties && { client: toClient(parties.applications), user: { id: parties.accounts.id } as User };
  }

  return {
    async getClient(clientId, clientSecret) {
      const application = await findApplication(ctx, clientId);
      if (application === undefined) return false;
      // Without a secret the library lets pass only what PKCE proves (RFC 7636).
      const proven =
        clientSecret === undefined || clientSecret === null || isToken(clientSecret, application.secretHash);
      return proven && toClient(application);
    },

    async getUser(username, password) {
      const account = await findUser(ctx, tries, username, password);
      return account === undefined ? false : { id: account.id };
    },

    generateAccessToken: async () => newToken(),
    generateRefreshToken: async () => newToken(),

    async validateScope(_user, _client, scope) {
      return scope === undefined || (scope.length === 1 && scope[0] === "all") ? SCOPE : false;
    },

    async saveToken(token, client, user) {
      const owner = { accountId: Number(user.id), applicationId: Number(client.id) };
      const now = clock.now();
      const issue = async ({ queries: tx, audit }: Change) => {
        await tx.insert(accessTokens).values({
          ...owner,
          tokenHash: hashToken(token.accessToken),
          expiresAt: new Date(now.getTime() + ACCESS_TOKEN_LIFETIME_S * 1000),
        });
        if (token.refreshToken !== undefined) {
          await tx
            .insert(refreshTokens)
            .values({ ...owner, tokenHash: hashToken(token.refreshToken), createdAt: now });
        }
        await audit("account", owner.accountId, null, {
          tokens: token.refreshToken === undefined ? "refreshed" : "issued",
          application: owner.applicationId,
        });
      };
      await transact(ctx, "obtainToken", issue, owner.accountId);
      const { refreshTokenExpiresAt: _never, ...kept } = token;
      const refreshToken = token.refreshToken ?? sentRefreshToken;
      return { ...kept, ...(refreshToken === undefined ? {} : { refreshToken }), scope: SCOPE, client, user };
    },

    async getRefreshToken(refreshToken) {
      const [row] = await queries
        .select()
        .from(refreshTokens)
        .where(eq(refreshTokens.tokenHash, hashToken(refreshToken)));
      const parties = row && (await partiesOf(row.applicationId, row.accountId));
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
        .where(
          and(
            eq(authorizationCodes.codeHash, hashToken(authorizationCode)),
            gt(authorizationCodes.expiresAt, clock.now()),
          ),
        );
      const parties = row && (await partiesOf(row.applicationId, row.accountId));
      if (!parties) return false;
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

    async revokeAuthorizationCode({ authorizationCode }) {
      const used = await queries
        .delete(authorizationCodes)
        .where(eq(authorizationCodes.codeHash, hashToken(authorizationCode)))
        .returning({ accountId: authorizationCodes.accountId });
      return used.length > 0;
    },
  };
}
