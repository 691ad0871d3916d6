import * as openid from "openid-client";
import type { Config } from "../../config/config.js";
import { normalizedIssuer } from "../../domain/accounts/provider-identity.js";

/** Time within which the provider must respond to each request. */
const TIMEOUT_S = 5;

/** Tolerance for the difference between the clocks of the provider and of this machine. */
const CLOCK_TOLERANCE_S = 60;

/**
 * Maximum age of a sign-in at the provider for an action that needs a recent sign-in; the provider repeats an older one. The user
 * can then act for the rest of `FRESH_SIGN_IN_MS`.
 */
const MAX_AGE_S = 60;

/** Time for which the metadata of the provider are cached. The library caches its keys separately. */
const METADATA_LIFETIME_MS = 3_600_000;

/** Reasons why a sign-in at the provider fails; stable codes that the page explains. */
export type ProviderProblem =
  /** The provider does not respond, or reports that it is unavailable. */
  | "provider_unavailable"
  /** The provider has refused the user, or the user has cancelled. */
  | "provider_refused"
  /** The response is invalid, or the provider has a different configuration of the client. */
  | "provider_invalid";

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderProblem;
  /** Code of the failed step for the log, without values of the request or the response. */
  readonly reason: string;

  constructor(code: ProviderProblem, reason: string) {
    super(`${code}: ${reason}`);
    this.code = code;
    this.reason = reason;
  }
}

/** Values of one sign-in. `state`, `nonce` and `verifier` are random: base64url of 256 bits. */
export interface FlowValues {
  state: string;
  nonce: string;
  /** PKCE code verifier (RFC 7636). */
  verifier: string;
}

/** Requirements of a sign-in. */
export interface Requirements {
  /** Whether the user must authenticate again if the last authentication was more than a minute ago. */
  mustAuthenticate: boolean;
}

/** A user whom the provider has authenticated. */
export interface ProviderUser {
  /** Normalised URL. */
  issuer: string;
  subject: string;
  /** Claims of the ID token, completed by the claims of the userinfo endpoint. */
  claims: Readonly<Record<string, unknown>>;
  /** Claim `auth_time` of the ID token: time of the authentication, seconds since 1970; null if the claim is absent. */
  authenticatedAtS: number | null;
}

/** Client of the OpenID provider of the settings. */
export class OpenIdProvider {
  readonly #config: Config;
  readonly #issuer: URL;
  #loaded: { configuration: Promise<openid.Configuration>; atMs: number } | undefined;

  constructor(config: Config, issuer: string) {
    this.#config = config;
    this.#issuer = new URL(issuer);
  }

  /**
   * Returns the address to which the browser is sent.
   * @throws ProviderError
   */
  async authorizationUrl(
    redirectUri: string,
    { state, nonce, verifier }: FlowValues,
    { mustAuthenticate }: Requirements,
  ): Promise<string> {
    const configuration = await this.#configuration();
    const parameters = {
      redirect_uri: redirectUri,
      scope: this.#config.openidScopes,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(mustAuthenticate ? { max_age: String(MAX_AGE_S) } : {}),
    };
    try {
      return openid.buildAuthorizationUrl(configuration, parameters).href;
    } catch {
      // The metadata has no authorization endpoint, or an endpoint without HTTPS.
      throw new ProviderError("provider_invalid", "authorization_endpoint");
    }
  }

  /**
   * Redeems the code in the address to which the provider has redirected the browser.
   * @param callback the address with its query
   * @throws ProviderError, with `mustAuthenticate` also if the provider does not prove a recent authentication
   */
  async redeem(
    callback: URL,
    { state, nonce, verifier }: FlowValues,
    { mustAuthenticate }: Requirements,
  ): Promise<ProviderUser> {
    const configuration = await this.#configuration();
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
        ...(mustAuthenticate ? { maxAge: MAX_AGE_S } : {}),
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new ProviderError("provider_invalid", "id_token");
      const { userinfo_endpoint: userInfo } = configuration.serverMetadata();
      const more =
        userInfo === undefined
          ? {}
          : await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return {
        issuer: normalizedIssuer(claims.iss),
        subject: claims.sub,
        claims: { ...more, ...claims },
        authenticatedAtS: claims.auth_time ?? null,
      };
    } catch (error) {
      throw providerError(error);
    }
  }

  /** Loads the metadata (OpenID Connect Discovery 1.0); concurrent calls share one request. A failure is not cached. */
  #configuration(): Promise<openid.Configuration> {
    if (this.#loaded !== undefined && performance.now() - this.#loaded.atMs < METADATA_LIFETIME_MS)
      return this.#loaded.configuration;
    const configuration = this.#discover();
    const loaded = { configuration, atMs: performance.now() };
    this.#loaded = loaded;
    configuration.catch(() => {
      if (this.#loaded === loaded) this.#loaded = undefined;
    });
    return configuration;
  }

  async #discover(): Promise<openid.Configuration> {
    const { openidClientId: clientId, openidClientSecret: secret } = this.#config;
    const isInsecure = this.#issuer.protocol === "http:";
    try {
      const configuration = await openid.discovery(
        this.#issuer,
        clientId,
        { [openid.clockTolerance]: CLOCK_TOLERANCE_S },
        secret === "" ? openid.None() : withSecret(secret),
        {
          timeout: TIMEOUT_S,
          execute: [
            // The signature is also checked for tokens that come directly from the provider.
            openid.enableNonRepudiationChecks,
            ...(isInsecure ? [openid.allowInsecureRequests] : []),
          ],
        },
      );
      // The library accepts the shared issuers of Entra ID, whose users can belong to any organisation.
      if (normalizedIssuer(configuration.serverMetadata().issuer) !== this.#issuer.href)
        throw new ProviderError("provider_invalid", "issuer");
      return configuration;
    } catch (error) {
      throw providerError(error);
    }
  }
}

/** Sends the secret with HTTP Basic, the default (RFC 8414 section 2), or in the form if the provider accepts it only there. */
const withSecret =
  (secret: string): openid.ClientAuth =>
  (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
    const send = methods.includes("client_secret_basic") ? openid.ClientSecretBasic : openid.ClientSecretPost;
    send(secret)(server, ...request);
  };

/** Errors of a provider that may succeed later (RFC 6749 section 4.1.2.1). */
const TEMPORARY = new Set(["temporarily_unavailable", "server_error"]);

/** Classifies an error of the library. Its message and cause may contain tokens and claims, so only its code is kept. */
function providerError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof openid.AuthorizationResponseError) {
    return new ProviderError(
      TEMPORARY.has(error.error) ? "provider_unavailable" : "provider_refused",
      error.code,
    );
  }
  if (error instanceof openid.ResponseBodyError) {
    return new ProviderError(
      error.status >= 500 || error.status === 429 ? "provider_unavailable" : "provider_invalid",
      error.error,
    );
  }
  if (error instanceof openid.ClientError) {
    const { code = "unknown", cause } = error;
    const isDown =
      code === "OAUTH_TIMEOUT" ||
      code === "OAUTH_ABORT" ||
      (cause instanceof Response && (cause.status >= 500 || cause.status === 429));
    return new ProviderError(isDown ? "provider_unavailable" : "provider_invalid", code);
  }
  // `fetch` throws this error without a connection.
  if (error instanceof TypeError && !("code" in error)) {
    const { cause } = error as { cause?: { code?: string } };
    return new ProviderError("provider_unavailable", cause?.code ?? "fetch failed");
  }
  return new ProviderError("provider_invalid", error instanceof Error ? error.name : "unknown");
}
