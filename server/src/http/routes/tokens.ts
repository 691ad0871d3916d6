import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { type TokenError, tokenError } from "../../oauth/requests.js";
import { revokeToken } from "../../oauth/revoke-token.js";
import { GRANT_TYPES, grantToken, Token } from "../../oauth/token-endpoint.js";
import { passwordAttempts } from "../limits/password-attempts.js";
import { CustomResponse } from "../responses.js";
import { route } from "../route.js";

const TokenRequest = Type.Object(
  {
    grant_type: Type.String({ description: GRANT_TYPES.join(", ") }),
    username: Type.Optional(Type.String()),
    password: Type.Optional(Type.String({ format: "password" })),
    refresh_token: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
    device_code: Type.Optional(Type.String({ description: "RFC 8628" })),
    redirect_uri: Type.Optional(Type.String()),
    code_verifier: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String({ description: "In the body or with HTTP Basic" })),
    client_secret: Type.Optional(Type.String({ description: "In the body or with HTTP Basic" })),
    scope: Type.Optional(
      Type.String({
        description: "`all`, or some of the scopes of client credentials; default: all of them",
      }),
    ),
  },
  {
    examples: [
      {
        grant_type: "password",
        username: "ann",
        password: "a long passphrase",
        client_id: "kW3nXw0b7yQ2",
        client_secret: "Jx5m0TqfT9s2Yc8R",
      },
    ],
  },
);

const RevocationRequest = Type.Object(
  {
    token: Type.String({ description: "An access token or a refresh token" }),
    token_type_hint: Type.Optional(Type.String({ description: "access_token or refresh_token; not needed" })),
    client_id: Type.Optional(Type.String({ description: "In the body or with HTTP Basic" })),
    client_secret: Type.Optional(
      Type.String({
        description: "In the body or with HTTP Basic; absent for applications without a secret",
      }),
    ),
  },
  {
    examples: [
      {
        token: "nq1U0mVZlc7yLrB3dYpD5oTgkXfHsWa2QeJi8KMxRtE",
        client_id: "kW3nXw0b7yQ2",
        client_secret: "Jx5m0TqfT9s2Yc8R",
      },
    ],
  },
);

const NO_FORM = tokenError("invalid_request", "The body must be application/x-www-form-urlencoded.");

const refusal = ({ status, headers, body }: TokenError) => new CustomResponse(status, headers, body);

/**
 * Adds the token endpoint and the revocation endpoint. They report errors in the format of RFC 6749 instead of the format of the
 * API.
 */
export function tokenRoutes(app: FastifyInstance): void {
  route(app, {
    id: "obtainToken",
    tag: "Authentication",
    summary:
      "Obtain a token with username and password, a refresh token, an authorization code, a device code, or client credentials",
    method: "POST",
    path: "/oauth2/token/",
    oauth: true,
    unsupportedTypeResponse: refusal(NO_FORM),
    consumes: "application/x-www-form-urlencoded",
    describedBody: TokenRequest,
    success: { status: 200, schema: Token },
    failures: [400, 401],
    throttle: ["token"],
    async handle({ ctx, request, reply }) {
      const form = request.body as Record<string, string | string[]> | undefined;
      if (form === undefined) return refusal(NO_FORM);
      const outcome = await grantToken(
        ctx,
        passwordAttempts(app, request),
        form,
        request.headers.authorization,
      );
      if (outcome.status !== 200) return refusal(outcome);
      for (const [name, value] of Object.entries(outcome.headers)) reply.header(name, value);
      return outcome.body;
    },
  });

  route(app, {
    id: "revokeToken",
    tag: "Authentication",
    summary: "Revoke a token",
    description:
      "Revokes a token (RFC 7009). Revoking a refresh token also revokes its access tokens. Revoking an access token revokes only that token, or, for the token of a device, ends its whole session. Only the application that received the token can revoke it. An unknown token is not an error.",
    method: "POST",
    path: "/oauth2/revoke/",
    oauth: true,
    unsupportedTypeResponse: refusal(NO_FORM),
    consumes: "application/x-www-form-urlencoded",
    describedBody: RevocationRequest,
    success: { status: 200, schema: Type.Object({}, { description: "Empty" }) },
    failures: [400, 401],
    throttle: ["token"],
    async handle({ ctx, request }) {
      const form = request.body as Record<string, string | string[]> | undefined;
      if (form === undefined) return refusal(NO_FORM);
      const error = await revokeToken(ctx, form, request.headers.authorization);
      return error === undefined ? {} : refusal(error);
    },
  });
}
