import type { FastifyInstance } from "fastify";
import { SCOPE_NAMES } from "../../domain/change/scopes.js";
import { GRANT_TYPES } from "../../oauth/token-endpoint.js";

/** Adds the metadata for OAuth 2.0 clients (RFC 8414). Requests for them are neither throttled nor authenticated. */
export function oauthMetadataRoutes(app: FastifyInstance): void {
  app.get("/.well-known/oauth-authorization-server", { config: { unguarded: true } }, async (_, reply) => {
    const issuer = app.config.baseUrl ?? app.listeningOrigin;
    reply.header("Access-Control-Allow-Origin", "*");
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize/`,
      token_endpoint: `${issuer}/oauth2/token/`,
      revocation_endpoint: `${issuer}/oauth2/revoke/`,
      device_authorization_endpoint: `${issuer}/oauth2/device_authorization/`,
      scopes_supported: ["all", ...SCOPE_NAMES],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: GRANT_TYPES,
      // Without a secret, an authorization code needs PKCE.
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      code_challenge_methods_supported: ["S256"],
      service_documentation: `${issuer}/api/docs/`,
    };
  });
}
