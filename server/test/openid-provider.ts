/** A real OpenID provider on the loopback interface. It signs in the user that a test selects, without a form. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const CLIENT_ID = "asi";
export const CLIENT_SECRET = "a secret of the client";
const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const privateKey = newKey();
const otherKey = newKey();
const signingKey = { ...privateKey.export({ format: "jwk" }), kid: "first", use: "sig", alg: "RS256" };

export type Claims = Record<string, unknown>;

/** An OpenID provider whose behaviour tests can change. */
export class TestProvider {
  readonly issuer: string;
  /** Subject of the user who signs in; null refuses every sign-in. */
  user: string | null = null;
  /** Claims by subject. */
  readonly users = new Map<string, Claims>();
  /** Changes the claims of ID tokens, which are then signed again. */
  tamper: ((claims: Claims) => Claims) | null = null;
  /** Signs ID tokens with a key that the provider does not publish. */
  isForged = false;
  /** Changes the metadata (OpenID Connect Discovery 1.0). */
  metadata: ((metadata: Claims) => Claims) | null = null;
  /** Handles all requests in place of the provider. */
  replaced: RequestListener | null = null;
  /** Method with which the client sends its secret. */
  authMethod: "client_secret_basic" | "client_secret_post" = "client_secret_basic";
  /** Paths of the requests. */
  readonly requests: string[] = [];
  readonly #server: Server;
  #handle: RequestListener = (_request, response) => response.writeHead(503).end();

  constructor(server: Server, host: string) {
    this.#server = server;
    this.issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      this.requests.push(new URL(request.url ?? "", this.issuer).pathname);
      (this.replaced ?? this.#handle)(request, response);
    });
  }

  /** Stops the provider; its port then refuses connections. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Registers the service with its callback addresses. */
  register(...callbacks: string[]): void {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: callbacks,
          token_endpoint_auth_method: this.authMethod,
          // Puts `auth_time` into every ID token, as Keycloak does.
          require_auth_time: true,
        },
      ],
      jwks: { keys: [signingKey] },
      cookies: { keys: ["a key of the cookies"] },
      features: { devInteractions: { enabled: false } },
      scopes: ["openid", "profile", "email", "groups"],
      claims: {
        openid: ["sub"],
        profile: ["preferred_username", "given_name", "family_name", "name"],
        email: ["email", "email_verified"],
        groups: ["groups", "realm_access"],
      },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: async () => ({ sub, ...this.users.get(sub) }),
      }),
      async loadExistingGrant(ctx) {
        const grant = new ctx.oidc.provider.Grant({
          clientId: ctx.oidc.client?.clientId ?? "",
          accountId: ctx.oidc.session?.accountId ?? "",
        });
        grant.addOIDCScope("openid profile email groups");
        await grant.save();
        return grant;
      },
    });
    provider.use(async (ctx, next) => {
      await next();
      const { body } = ctx as { body?: { id_token?: string } };
      if (ctx.path === "/token" && this.tamper !== null && body?.id_token !== undefined)
        body.id_token = signedAgain(body.id_token, this.tamper, this.isForged ? otherKey : privateKey);
      if (ctx.path.startsWith("/.well-known/") && this.metadata !== null)
        ctx.body = this.metadata(ctx.body as Claims);
    });
    const handle = provider.callback();
    this.#handle = (request, response) => {
      if (!request.url?.startsWith("/interaction/")) return handle(request, response);
      const result =
        this.user === null
          ? { error: "access_denied", error_description: "cancelled" }
          : { login: { accountId: this.user } };
      provider.interactionFinished(request, response, result);
    };
  }
}

function signedAgain(token: string, change: (claims: Claims) => Claims, key: KeyObject): string {
  const [head = "", body = ""] = token.split(".");
  const claims = change(JSON.parse(Buffer.from(body, "base64url").toString()));
  const text = `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

/**
 * Starts a provider, which the caller stops.
 * @param host name of the loopback address; browsers treat the other name as another site
 */
export async function startProvider(host: "127.0.0.1" | "localhost" = "127.0.0.1"): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return new TestProvider(server, host);
}
