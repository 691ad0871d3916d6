/** Provides a service with an OpenID provider, and a browser that visits both. */
import type { Config } from "../src/config/config.js";
import type { GroupRoles } from "../src/config/sign-in-settings.js";
import { stopAfterTest } from "./cleanup.js";
import { newStore } from "./databases.js";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type Claims,
  startProvider,
  type TestProvider,
} from "./openid-provider.js";
import { FIREFOX, PAGE } from "./page-browser.js";
import { type Answer, TestService } from "./service.js";

/** Adds a user to the provider, and makes the provider sign in this user. */
export function person(provider: TestProvider, subject: string, claims: Claims = {}): void {
  provider.user = subject;
  provider.users.set(subject, { preferred_username: subject, groups: ["Staff"], ...claims });
}

/** Roles for the groups in the tests. */
export const ROLES: readonly GroupRoles[] = [
  ["Staff", [{ kind: "manager" }]],
  ["Players", [{ kind: "athlete" }]],
];

/** Starts a service whose users can sign in with a provider. */
export async function startWithProvider(
  changes: Partial<Config> = {},
  authMethod: TestProvider["authMethod"] = "client_secret_basic",
): Promise<{ s: TestService; provider: TestProvider }> {
  const provider = await startProvider();
  stopAfterTest(() => provider.stop());
  const s = await TestService.start(await newStore(), {
    openidIssuer: provider.issuer,
    openidClientId: CLIENT_ID,
    openidClientSecret: CLIENT_SECRET,
    openidName: "Club",
    openidScopes: "openid profile email groups",
    ...changes,
  });
  provider.authMethod = authMethod;
  provider.register(`${s.service.url}/session/openid/callback/`);
  return { s, provider };
}

/** A browser that follows redirects, with the cookies of the service and of the provider. */
export class RedirectedBrowser {
  readonly cookies = new Map<string, string>();
  /** Address of the service. */
  readonly url: string;

  constructor(at: TestService | { url: string }) {
    this.url = ("service" in at ? at.service.url : at.url) ?? "";
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
      const response: Response = await this.visit(at);
      const next: string | null = response.headers.get("location");
      if (next === null) throw new Error(`No redirect from ${at}: ${response.status}`);
      at = new URL(next, at).href;
    }
    throw new Error(`Too many redirects from ${url}`);
  }

  /** Sends a request of the page. */
  async send(method: string, path: string, json?: unknown): Promise<Answer> {
    const at = `${this.url}${path}`;
    const response = await fetch(at, {
      method,
      headers: {
        ...PAGE,
        "User-Agent": FIREFOX,
        Cookie: this.#cookiesFor(at),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    this.#keep(at, response);
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, body: text.startsWith("{") ? JSON.parse(text) : text };
  }

  /** Begins to sign in, and follows the redirects of the provider. @returns the callback address, which is not yet visited */
  async callback(begun?: Answer): Promise<string> {
    const { status, body } = begun ?? (await this.send("POST", "/session/openid/"));
    if (status !== 200) throw new Error(`Not begun: ${status} ${JSON.stringify(body)}`);
    return this.follow(body.location, (url) => url.startsWith(`${this.url}/session/openid/callback/`));
  }

  /** Signs in. @returns the view that the page then opens: the part of its address after `#` */
  async signIn(begun?: Answer): Promise<string> {
    const response = await this.visit(await this.callback(begun));
    const address = new URL(response.headers.get("location") ?? "", `${this.url}/session/openid/callback/`);
    if (response.status !== 303 || address.href.split("#")[0] !== `${this.url}/`)
      throw new Error(`Not redirected to the page: ${response.status} ${address.href}`);
    return address.hash;
  }

  /** Returns the signed-in account; undefined if there is no session. */
  async account(): Promise<Claims | undefined> {
    const { status, body } = await this.send("GET", "/api/v1/account/");
    return status === 200 ? body : undefined;
  }
}
