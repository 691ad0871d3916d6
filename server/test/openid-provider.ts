/** A real OpenID provider on loopback, and a browser that goes through it. */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import type { Config } from "../src/config/config.js";
import type { GroupRoles } from "../src/config/sign-in-settings.js";
import { stopAfterTest } from "./cleanup.js";
import { FIREFOX, PAGE } from "./page-browser.js";
import { type Answer, newStore, TestService } from "./service.js";

const CLIENT_ID = "asi";
const CLIENT_SECRET = "a secret of the client";
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const signingKey = { ...privateKey.export({ format: "jwk" }), kid: "first", use: "sig", alg: "RS256" };

type Claims = Record<string, unknown>;

/** The provider. Whoever `user` names is signed in without a form. */
export class TestProvider {
  readonly issuer: string;
  /** Subject of the user at the keyboard; null refuses to sign in. */
  user: string | null = null;
  /** Claims by subject. */
  readonly users = new Map<string, Claims>();
  /** Changes the claims of ID tokens, which are then signed again. */
  tamper: ((claims: Claims) => Claims) | null = null;
  /** Replaces the provider. */
  replaced: RequestListener | null = null;
  /** Paths of the requests. */
  readonly requests: string[] = [];
  readonly #server: Server;
  #handle: RequestListener = (_request, response) => response.writeHead(503).end();

  constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      this.requests.push(new URL(request.url ?? "", this.issuer).pathname);
      (this.replaced ?? this.#handle)(request, response);
    });
  }

  /** Ends the provider: its port then refuses connections. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Registers the service with the address of its callback. */
  register(callback: string): void {
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [callback] }],
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
        body.id_token = signedAgain(body.id_token, this.tamper);
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

function signedAgain(token: string, change: (claims: Claims) => Claims): string {
  const [head = "", body = ""] = token.split(".");
  const claims = change(JSON.parse(Buffer.from(body, "base64url").toString()));
  const text = `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  const key = createPrivateKey({ key: signingKey, format: "jwk" });
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

/** Starts a provider, which is stopped at the end of the test. */
export async function startProvider(): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const provider = new TestProvider(server);
  stopAfterTest(() => provider.stop());
  return provider;
}

/** Roles of the groups in the tests. */
export const ROLES: readonly GroupRoles[] = [
  ["Staff", [{ kind: "manager" }]],
  ["Players", [{ kind: "athlete" }]],
];

/** Starts a service whose users can sign in with a provider. */
export async function startWithProvider(
  changes: Partial<Config> = {},
): Promise<{ s: TestService; provider: TestProvider }> {
  const provider = await startProvider();
  const s = await TestService.start(await newStore(), {
    openidIssuer: provider.issuer,
    openidClientId: CLIENT_ID,
    openidClientSecret: CLIENT_SECRET,
    openidName: "Club",
    openidScopes: "openid profile email groups",
    ...changes,
  });
  provider.register(`${s.service.url}/session/openid/callback/`);
  return { s, provider };
}

/** A browser that follows redirects, with the cookies of the service and of the provider. */
export class RedirectedBrowser {
  readonly cookies = new Map<string, string>();
  readonly at: TestService;

  constructor(at: TestService) {
    this.at = at;
  }

  #cookiesFor(url: string): string {
    const prefix = `${new URL(url).origin} `;
    return [...this.cookies]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => `${key.slice(prefix.length)}=${value}`)
      .join("; ");
  }

  #keep(url: string, response: Response): void {
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";", 1);
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      const key = `${new URL(url).origin} ${name}`;
      if (value === "" || /max-age=0/i.test(set)) this.cookies.delete(key);
      else this.cookies.set(key, value);
    }
  }

  async visit(url: string): Promise<Response> {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { Cookie: this.#cookiesFor(url), "User-Agent": FIREFOX },
    });
    await response.arrayBuffer();
    this.#keep(url, response);
    return response;
  }

  /** Follows redirects. @returns the first address that `ends` accepts, without visiting it */
  async follow(url: string, ends: (url: string) => boolean): Promise<string> {
    let at = url;
    for (let hops = 0; hops < 12; hops++) {
      if (ends(at)) return at;
      const response = await this.visit(at);
      const next = response.headers.get("location");
      if (next === null) throw new Error(`No redirect from ${at}: ${response.status}`);
      at = new URL(next, at).href;
    }
    throw new Error(`Too many redirects from ${url}`);
  }

  /** Sends a request of the page. */
  async send(method: string, path: string, json?: unknown): Promise<Answer> {
    const { url } = this.at.service;
    const answer = await this.at.send(method, path, {
      ...(json === undefined ? {} : { json }),
      headers: { ...PAGE, "User-Agent": FIREFOX, Cookie: this.#cookiesFor(url) },
    });
    this.#keep(url, answer as unknown as Response);
    return answer;
  }

  /** Begins to sign in, and goes through the provider. @returns address of the callback, not yet visited */
  async callback(begun?: Answer): Promise<string> {
    const { status, body } = begun ?? (await this.send("POST", "/session/openid/"));
    if (status !== 200) throw new Error(`Not begun: ${status} ${JSON.stringify(body)}`);
    return this.follow(body.location, (url) =>
      url.startsWith(`${this.at.service.url}/session/openid/callback/`),
    );
  }

  /** Signs in. @returns where the page opens: the part of its address after `#` */
  async signIn(begun?: Answer): Promise<string> {
    const response = await this.visit(await this.callback(begun));
    const address = new URL(
      response.headers.get("location") ?? "",
      `${this.at.service.url}/session/openid/callback/`,
    );
    if (response.status !== 303 || address.href.split("#")[0] !== `${this.at.service.url}/`)
      throw new Error(`Not redirected to the page: ${response.status} ${address.href}`);
    return address.hash;
  }

  /** The signed-in account; undefined without a session. */
  async account(): Promise<Claims | undefined> {
    const { status, body } = await this.send("GET", "/api/v1/account/");
    return status === 200 ? body : undefined;
  }
}
