import { eq } from "drizzle-orm";
import { lockAccount } from "../domain/change/account-lock.js";
import { transact } from "../domain/change/change.js";
import type { Context } from "../domain/change/context.js";
import { hashToken, isToken } from "../domain/secrets/tokens.js";
import { accessTokens, type applications, refreshTokens } from "../store/schema.js";
import { DEVICE_GRANT } from "./device-codes.js";
import { findApplication } from "./model.js";
import { decodedBasic, type Form, fieldsOf, type TokenError, tokenError } from "./requests.js";
import { deleteSession } from "./stored-sessions.js";

/**
 * Revokes a token of an application (RFC 7009): a refresh token with its access tokens, or an access token. The access token of a
 * device ends its whole session. A token that is unknown or has ended is not an error.
 * @param authorization the `Authorization` header, for HTTP Basic
 * @returns the error, if any
 */
export async function revokeToken(
  ctx: Context,
  form: Form,
  authorization: string | undefined,
): Promise<TokenError | undefined> {
  const { fields, error } = fieldsOf(form);
  if (error !== undefined) return error;
  // Some clients send a token in this header with every request.
  const isBasic = authorization !== undefined && /^Basic /i.test(authorization);
  const client = isBasic ? basicCredentials(authorization) : fields;
  for (const [name, value] of [
    ["token", fields.token],
    ["client_id", client.client_id],
  ])
    if (value === undefined) return tokenError("invalid_request", `The field ${name} is missing.`);
  const application = await findApplication(ctx, client.client_id ?? "");
  if (application === undefined || !isAuthentic(application, client.client_secret))
    return tokenError(
      "invalid_client",
      "The application is unknown, or its secret is wrong or missing.",
      isBasic,
    );
  const tokenHash = hashToken(fields.token ?? "");
  const found = await findToken(ctx, tokenHash);
  if (found === undefined) return undefined;
  if (found.applicationId !== application.id)
    return tokenError("invalid_grant", "The token was issued to a different application.");
  await transact(
    ctx,
    "revokeToken",
    async (unit) => {
      // Every operation that issues or ends tokens of the account locks the account first.
      await lockAccount(unit, found.accountId);
      if (found.session !== null) await deleteSession(unit, found.session);
      else await unit.queries.delete(accessTokens).where(eq(accessTokens.tokenHash, tokenHash));
      await unit.audit("account", found.accountId, null, { tokens: "revoked", application: application.id });
    },
    found.accountId,
  );
  return undefined;
}

/** Returns the credentials of HTTP Basic under the names of the fields. */
function basicCredentials(authorization: string): { client_id?: string; client_secret?: string } {
  const [, encoded = ""] = /^Basic +(\S+) *$/i.exec(decodedBasic(authorization)) ?? [];
  const [, id, secret] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  return id === undefined || secret === undefined ? {} : { client_id: id, client_secret: secret };
}

/**
 * Whether an application has no secret, because it uses PKCE or runs on devices (RFC 6749 section 2.1). The token itself is then
 * the proof.
 */
const isPublic = ({ grants }: typeof applications.$inferSelect) =>
  grants.includes("authorization_code") || grants.includes(DEVICE_GRANT);

const isAuthentic = (application: typeof applications.$inferSelect, secret: string | undefined) =>
  secret === undefined ? isPublic(application) : isToken(secret, application.secretHash);

interface FoundToken {
  accountId: number;
  applicationId: number;
  /** Hash of the refresh token of the session to end; null to end only the access token. */
  session: Uint8Array | null;
}

async function findToken({ queries }: Context, tokenHash: Uint8Array): Promise<FoundToken | undefined> {
  const [refresh] = await queries.select().from(refreshTokens).where(eq(refreshTokens.tokenHash, tokenHash));
  if (refresh !== undefined) return { ...refresh, session: tokenHash };
  const [access] = await queries
    .select({ token: accessTokens, session: refreshTokens })
    .from(accessTokens)
    .leftJoin(refreshTokens, eq(refreshTokens.tokenHash, accessTokens.refreshHash))
    .where(eq(accessTokens.tokenHash, tokenHash));
  if (access === undefined) return undefined;
  // A session with an expiry has one access token, and nobody receives its refresh token.
  const isWhole = access.session !== null && access.session.expiresAt !== null;
  return { ...access.token, session: isWhole ? access.token.refreshHash : null };
}
