import OAuth2Server from "@node-oauth/oauth2-server";
import { type Static, Type } from "@sinclair/typebox";
import type { Context } from "../domain/change/context.js";
import { DEVICE_GRANT, redeemDeviceCode } from "./device-codes.js";
import { ACCESS_TOKEN_LIFETIME_S } from "./issue-tokens.js";
import { createModel, type PasswordAttempts } from "./model.js";
import {
  decodedBasic,
  type Form,
  fieldsOf,
  isTokenError,
  NO_STORE,
  type TokenError,
  tokenError,
} from "./requests.js";

/** Token response of RFC 6749 section 5.1. */
export const Token = Type.Object(
  {
    access_token: Type.String(),
    expires_in: Type.Integer({ description: "Seconds" }),
    token_type: Type.Literal("Bearer"),
    scope: Type.String({ description: "`all`, or the scopes of client credentials or of a device" }),
    refresh_token: Type.Optional(
      Type.String({ description: "Does not expire. Absent for client credentials and devices" }),
    ),
  },
  { $id: "Token" },
);

interface TokenSuccess {
  status: 200;
  headers: Readonly<Record<string, string>>;
  body: Static<typeof Token>;
}

/** Response of the token endpoint. */
export type TokenResponse = TokenSuccess | TokenError;

/** Required fields of each grant type. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  password: ["username", "password"],
  refresh_token: ["refresh_token"],
  authorization_code: ["code", "redirect_uri"],
  client_credentials: [],
  [DEVICE_GRANT]: ["client_id", "device_code"],
};

export const GRANT_TYPES = Object.keys(REQUIRED);

/**
 * Issues a token for a password, a refresh token, an authorization code, an approved device, or the credentials of an application.
 * @param authorization the `Authorization` header, for HTTP Basic
 * @throws ServiceError `throttled` after too many wrong passwords
 */
export async function grantToken(
  ctx: Context,
  attempts: PasswordAttempts,
  form: Form,
  authorization: string | undefined,
): Promise<TokenResponse> {
  const { fields, error } = fieldsOf(form);
  if (error !== undefined) return error;
  if (fields.grant_type === undefined)
    return tokenError("invalid_request", "The field grant_type is missing.");
  if (!Object.hasOwn(REQUIRED, fields.grant_type)) {
    return tokenError("unsupported_grant_type", `grant_type must be one of ${GRANT_TYPES.join(", ")}.`);
  }
  const clientFields =
    authorization !== undefined || fields.code_verifier !== undefined || fields.grant_type === DEVICE_GRANT
      ? []
      : ["client_secret"];
  const required = [
    ...(REQUIRED[fields.grant_type] ?? []),
    ...(authorization === undefined ? ["client_id"] : []),
    ...clientFields,
  ];
  const missing = required.find((name) => fields[name] === undefined);
  if (missing !== undefined) return tokenError("invalid_request", `The field ${missing} is missing.`);

  if (fields.grant_type === DEVICE_GRANT) {
    const outcome = await redeemDeviceCode(ctx, fields.client_id ?? "", fields.device_code ?? "");
    if ("error" in outcome) return tokenError(outcome.error, outcome.description);
    const body = {
      access_token: outcome.token,
      expires_in: ACCESS_TOKEN_LIFETIME_S,
      token_type: "Bearer" as const,
      scope: outcome.scopes.join(" "),
    };
    return { status: 200, headers: NO_STORE, body };
  }

  const server = new OAuth2Server({
    model: createModel(ctx, attempts, fields.refresh_token),
    accessTokenLifetime: ACCESS_TOKEN_LIFETIME_S,
    alwaysIssueNewRefreshToken: false,
  });
  const request = new OAuth2Server.Request({
    method: "POST",
    query: {},
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": "1",
      ...(authorization === undefined ? {} : { authorization: decodedBasic(authorization) }),
    },
    body: fields,
  });
  const response = new OAuth2Server.Response();
  try {
    await server.token(request, response);
  } catch (error) {
    // Some errors are thrown before the library has filled its response, so create the response from the error. Errors of the
    // model are wrapped.
    const inner = (error as { inner?: unknown }).inner;
    if (inner instanceof Error && !(inner instanceof OAuth2Server.OAuthError)) throw inner;
    if (!(error instanceof OAuth2Server.OAuthError) || !isTokenError(error.name)) throw error;
    return tokenError(error.name, error.message, authorization !== undefined);
  }
  // The library has subtracted its own processing time.
  return { status: 200, headers: NO_STORE, body: { ...response.body, expires_in: ACCESS_TOKEN_LIFETIME_S } };
}
