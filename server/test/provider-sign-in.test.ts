/** Tests signing in to the page with a real OpenID provider, `oidc-provider`, on the loopback interface. */
import { describe, expect, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { revokeApplication } from "../src/oauth/sessions.js";
import { openidSignIns } from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { CLIENT_ID, CLIENT_SECRET, startProvider } from "./openid-provider.js";
import { PAGE } from "./page-browser.js";
import { Processes } from "./processes.js";
import { person, RedirectedBrowser, ROLES, startWithProvider } from "./provider-scene.js";
import { startService } from "./service.js";

const CREATING = { openidRoles: ROLES, openidCreateAccounts: true } as const;

/** Starts a service on which every user of the provider gets an account. */
async function creating(changes: Parameters<typeof startWithProvider>[0] = {}) {
  const { s, provider } = await startWithProvider({ ...CREATING, ...changes });
  person(provider, "sub-1");
  return { s, provider, browser: new RedirectedBrowser(s) };
}

describe("signing in with the OpenID provider", () => {
  it("creates an account with the role of the user's groups, and finds it again by issuer and subject", async () => {
    const { s, provider, browser } = await creating();
    person(provider, "sub-1", {
      preferred_username: "ann",
      given_name: "Ann",
      email: "ann@example.org",
      email_verified: true,
    });
    expect(await browser.signIn()).toBe("#/signed-in");
    const account = await browser.account();
    expect(account).toMatchObject({
      role: "MANAGER",
      username: "ann",
      email: "ann@example.org",
      manager_profile: { first_name: "Ann" },
    });
    // The provider may rename its users.
    person(provider, "sub-1", { preferred_username: "ann.ash" });
    const other = new RedirectedBrowser(s);
    expect(await other.signIn()).toBe("#/signed-in");
    expect((await other.account())?.id).toBe(account?.id);
  });

  it("uses the code flow with PKCE, state and nonce, which are different each time", async () => {
    const { s, provider, browser } = await creating();
    const parameters = async () => {
      const { body } = await browser.send("POST", "/session/openid/");
      expect(new URL(body.location).origin).toBe(provider.issuer);
      return Object.fromEntries(new URL(body.location).searchParams);
    };
    const first = await parameters();
    expect(first).toEqual({
      client_id: "asi",
      response_type: "code",
      redirect_uri: `${s.service.url}/session/openid/callback/`,
      scope: "openid profile email groups",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const second = await parameters();
    for (const name of ["code_challenge", "state", "nonce"]) expect(second[name]).not.toBe(first[name]);
  });

  it("begins a session as a password does, which replaces the session in the browser", async () => {
    const { s, browser } = await creating();
    const callback = await browser.callback();
    const cookies = (await browser.visit(callback)).headers.getSetCookie();
    expect(cookies).toEqual([
      expect.stringMatching(/^asi-openid=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^asi-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/),
    ]);
    const [session] = (await browser.send("GET", "/session/")).body.results;
    expect(session).toMatchObject({ application: "Page", is_current: true });
    const before = [...browser.cookies];
    await browser.signIn();
    expect((await browser.send("GET", "/session/")).body.results).toHaveLength(1);
    const old = new RedirectedBrowser(s);
    for (const [key, value] of before) old.cookies.set(key, value);
    expect(await old.account()).toBeUndefined();
    expect((await browser.send("DELETE", "/session/")).status).toBe(204);
    expect(await browser.account()).toBeUndefined();
  });

  it("uses a cookie that a subdomain cannot set over TLS", async () => {
    const { s, provider } = await startWithProvider({ baseUrl: "https://asi.example.org/club" });
    const { headers, body } = await s.send("POST", "/session/openid/", { headers: PAGE });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-asi-openid=[\w-]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(new URL(body.location).searchParams.get("redirect_uri")).toBe(
      "https://asi.example.org/club/session/openid/callback/",
    );
    expect(provider.requests).toEqual(["/.well-known/openid-configuration"]);
  });

  it("works once", async () => {
    const { s, browser } = await creating();
    const cookies = await browser
      .send("POST", "/session/openid/")
      .then((begun) => ({ begun, kept: [...browser.cookies] }));
    const callback = await browser.callback(cookies.begun);
    const replay = new RedirectedBrowser(s);
    for (const [key, value] of [...browser.cookies, ...cookies.kept]) replay.cookies.set(key, value);
    const [first, second] = await Promise.all([browser.visit(callback), replay.visit(callback)]);
    const places = [first, second].map(({ headers }) => headers.get("location"));
    expect(places.sort()).toEqual(["../../../#/sign-in?problem=sign_in_expired", "../../../#/signed-in"]);
    expect((await replay.visit(callback)).headers.get("location")).toMatch(/sign_in_expired/);
  });

  it("works only in the browser in which it began; a response in another browser does not use it up", async () => {
    const { s, browser } = await creating();
    const callback = await browser.callback();
    const stranger = new RedirectedBrowser(s);
    expect((await stranger.visit(callback)).headers.get("location")).toMatch(/sign_in_expired/);
    await stranger.send("POST", "/session/openid/");
    expect((await stranger.visit(callback)).headers.get("location")).toMatch(/sign_in_expired/);
    expect(await stranger.account()).toBeUndefined();
    expect((await browser.visit(callback)).headers.get("location")).toBe("../../../#/signed-in");
  });

  it("continues after a response with another browser's state", async () => {
    const { browser } = await creating();
    const callback = await browser.callback();
    const foreign = new URL(callback);
    foreign.searchParams.set("state", "x");
    expect((await browser.visit(foreign.href)).headers.get("location")).toMatch(/sign_in_expired/);
    expect((await browser.visit(callback)).headers.get("location")).toBe("../../../#/signed-in");
  });

  it("must be completed within ten minutes, and is then removed", async () => {
    const { s, browser } = await creating();
    const callback = await browser.callback();
    s.clock.advance(10 * 60_000 + 1000);
    expect((await browser.visit(callback)).headers.get("location")).toMatch(/sign_in_expired/);
    expect(await s.store.database.queries.$count(openidSignIns)).toBe(1);
    await applyRetention(s.ctx);
    expect(await s.store.database.queries.$count(openidSignIns)).toBe(0);
  });

  it("redirects only to the page, whatever the response of the provider contains", async () => {
    const { browser } = await creating();
    const callback = `${await browser.callback()}&return_to=https://evil.example&next=//evil.example`;
    expect((await browser.visit(callback)).headers.get("location")).toBe("../../../#/signed-in");
    const failed = `${await browser.callback()}&error=https://evil.example`;
    expect((await browser.visit(failed)).headers.get("location")).toMatch(
      /^\.\.\/\.\.\/\.\.\/#\/sign-in\?problem=[a-z_]+$/,
    );
  });

  it("fails if the user cancels at the provider", async () => {
    const { provider, browser } = await creating();
    provider.user = null;
    expect(await browser.signIn()).toBe("#/sign-in?problem=provider_refused");
    expect(await browser.account()).toBeUndefined();
  });

  const now = () => Math.floor(Date.now() / 1000);
  it.each<[string, Record<string, unknown>]>([
    ["an ID token for another sign-in", { nonce: "another" }],
    ["an ID token without a nonce", { nonce: undefined }],
    ["an ID token for another client", { aud: "another" }],
    ["an ID token of a different issuer", { iss: "https://evil.example" }],
    ["an ID token without a subject", { sub: undefined }],
    ["an ID token that expired more than a minute ago", { exp: now() - 90 }],
    ["an ID token that was issued in the future", { iat: now() + 3600, nbf: now() + 3600 }],
  ])("refuses %s", async (_, changes) => {
    const { provider, browser } = await creating();
    provider.tamper = (claims) => ({ ...claims, ...changes });
    expect(await browser.signIn()).toBe("#/sign-in?problem=provider_invalid");
    expect(await browser.account()).toBeUndefined();
  });

  it("refuses an ID token with a wrong signature", async () => {
    const { provider, browser } = await creating();
    provider.tamper = (claims) => claims;
    provider.isForged = true;
    expect(await browser.signIn()).toBe("#/sign-in?problem=provider_invalid");
    provider.isForged = false;
    expect(await browser.signIn()).toBe("#/signed-in");
  });

  it("tolerates clocks that differ by less than a minute", async () => {
    const { provider, browser } = await creating();
    provider.tamper = (claims) => ({ ...claims, exp: now() - 45 });
    expect(await browser.signIn()).toBe("#/signed-in");
    provider.tamper = (claims) => ({ ...claims, iat: now() + 45, nbf: now() + 45, exp: now() + 600 });
    expect(await browser.signIn()).toBe("#/signed-in");
  });

  it("sends the client secret with the method that the provider accepts", async () => {
    const { provider, s } = await startWithProvider(CREATING, "client_secret_post");
    person(provider, "sub-1");
    provider.metadata = (metadata) => ({
      ...metadata,
      token_endpoint_auth_methods_supported: ["client_secret_post"],
    });
    expect(await new RedirectedBrowser(s).signIn()).toBe("#/signed-in");
  });

  it("reports a provider that does not respond, and passwords still work", async () => {
    const { s, provider, browser } = await creating();
    const ann = await s.manager();
    provider.replaced = (_request, response) => response.writeHead(503).end();
    const { status, headers, body } = await browser.send("POST", "/session/openid/");
    expect([status, headers.get("x-error-code")]).toEqual([503, "provider_unavailable"]);
    expect(headers.get("retry-after")).toBe("10");
    expect(body.detail).toMatch(/^The OpenID provider does not respond correctly\./);
    const password = await browser.send("POST", "/session/", {
      username: ann.username,
      password: ann.password,
    });
    expect(password.status).toBe(201);
    // The service sends a new request as soon as a user tries again.
    provider.replaced = null;
    const callback = await browser.callback();
    provider.replaced = (_request, response) => response.destroy();
    expect((await browser.visit(callback)).headers.get("location")).toMatch(/problem=provider_unavailable$/);
    expect((await browser.account())?.username).toBe(ann.username);
    await provider.stop();
    provider.replaced = null;
    expect((await new RedirectedBrowser(s).send("POST", "/session/openid/")).status).toBe(200);
  });

  it("waits at most five seconds for a provider that does not respond", async () => {
    const { provider, browser } = await creating();
    provider.replaced = () => undefined;
    expect((await browser.send("POST", "/session/openid/")).status).toBe(503);
    provider.replaced = null;
    expect(await browser.signIn()).toBe("#/signed-in");
  }, 20_000);

  it.each([
    ["another issuer", { issuer: "https://evil.example" }],
    ["an authorization endpoint that is not a web page", { authorization_endpoint: "javascript:alert(1)" }],
  ])("refuses metadata with %s", async (_, changes) => {
    const { provider, browser } = await creating();
    provider.metadata = (metadata) => ({ ...metadata, ...changes });
    const { status, headers } = await browser.send("POST", "/session/openid/");
    expect([status, headers.get("x-error-code")]).toEqual([503, "provider_unavailable"]);
  });

  it("begins only on the page, with a provider, and a limited number of times", async () => {
    const { s, browser } = await creating({ throttleTokensPerMinute: 3 });
    expect((await s.send("POST", "/session/openid/")).status).toBe(403);
    expect((await browser.send("POST", "/session/openid/")).status).toBe(200);
    expect((await browser.visit(`${s.service.url}/session/openid/callback/`)).status).toBe(303);
    expect((await browser.visit(`${s.service.url}/session/openid/callback/`)).status).toBe(429);
    expect((await browser.send("POST", "/session/openid/")).status).toBe(429);
    const plain = await startService();
    expect((await plain.send("POST", "/session/openid/", { headers: PAGE })).status).toBe(410);
    expect((await plain.get("/session/openid/callback/")).status).toBe(404);
  });

  it("is disabled after the operator has revoked the application of the page", async () => {
    const { s, browser } = await creating();
    await revokeApplication(s.ctx, "asi-page");
    expect(await browser.signIn()).toBe("#/sign-in?problem=sign_in_disabled");
  });
});

describe("the log", () => {
  it("reports why a sign-in failed, without tokens, codes and data of the user", async () => {
    const provider = await startProvider();
    stopAfterTest(() => provider.stop());
    const processes = await Processes.onNewDatabase({
      LOG_LEVEL: "trace",
      OPENID_ISSUER: provider.issuer,
      OPENID_CLIENT_ID: CLIENT_ID,
      OPENID_CLIENT_SECRET: CLIENT_SECRET,
      OPENID_SCOPES: "openid profile email groups",
      OPENID_CREATE_ACCOUNTS: "true",
      OPENID_ROLES: '{"Staff": ["manager"]}',
    });
    const running = await processes.start();
    provider.register(`${running.url}/session/openid/callback/`);
    person(provider, "subject-of-ann", { preferred_username: "username-of-ann" });
    const browser = new RedirectedBrowser(running);
    const secrets = ["subject-of-ann", "username-of-ann", CLIENT_SECRET, encodeURIComponent(CLIENT_SECRET)];
    const visit = async () => {
      const callback = await browser.callback();
      secrets.push(browser.cookies.get(`${running.url} asi-openid`) ?? "?");
      secrets.push(...["code", "state"].map((name) => new URL(callback).searchParams.get(name) ?? "?"));
      return (await browser.visit(callback)).headers.get("location");
    };
    expect(await visit()).toMatch(/signed-in$/);
    provider.tamper = (claims) => {
      secrets.push(String(claims.nonce));
      return { ...claims, aud: "another" };
    };
    expect(await visit()).toMatch(/provider_invalid$/);
    provider.replaced = (_request, response) => response.writeHead(503).end();
    expect(await running.terminate()).toBe(0);
    const output = running.output();
    expect(output).toMatch(/"problem":"provider_invalid","reason":"OAUTH_JWT_CLAIM_COMPARISON_FAILED"/);
    expect(secrets.filter((secret) => secret === "?" || output.includes(secret))).toEqual([]);
  });
});

describe("the page", () => {
  it("gets the name of the provider, and whether passwords work, from its own address", async () => {
    const { s } = await startWithProvider({ openidName: "Verein Süd", passwordSignIn: false });
    const { headers } = await s.get("/");
    expect([headers.get("x-asi-provider"), headers.get("x-asi-passwords")]).toEqual([
      "Verein%20S%C3%BCd",
      "off",
    ]);
    const plain = await (await startService()).get("/");
    expect([plain.headers.get("x-asi-provider"), plain.headers.get("x-asi-passwords")]).toEqual([null, null]);
  });
});
