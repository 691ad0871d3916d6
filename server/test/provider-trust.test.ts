/** Tests which statements of an OpenID provider the service trusts, and which it does not. */
import { describe, expect, it, vi } from "vitest";
import { deleteAccount } from "../src/domain/deletion/account.js";
import { createApplication } from "../src/oauth/applications.js";
import { linkAccount, unlinkAccount } from "../src/oauth/provider/identities.js";
import { auditLog, identities, openidSignIns, squadGrants, squads } from "../src/store/schema.js";
import { person, RedirectedBrowser, ROLES, startWithProvider } from "./provider-scene.js";
import { startService, type TestAccount, type TestService } from "./service.js";

const CREATING = { openidRoles: ROLES, openidCreateAccounts: true } as const;
const TOKEN = { name: "Program", scopes: ["samples:read"], valid_days: 1 };

/** Tries to sign in with a password in each way. @returns the codes of the refusals */
async function signInWithPassword(s: TestService, { username, password }: TestAccount): Promise<string[]> {
  const page = await new RedirectedBrowser(s).send("POST", "/session/", { username, password });
  const { clientId, clientSecret } = await s.client();
  const client = { client_id: clientId, client_secret: clientSecret };
  const token = await s.send("POST", "/oauth2/token/", {
    form: { grant_type: "password", ...client, username, password },
  });
  const redirectUri = "http://127.0.0.1:1/";
  const codes = await createApplication(s.ctx, { name: "Old", redirectUris: [redirectUri] });
  const form = { response_type: "code", client_id: codes.clientId, redirect_uri: redirectUri };
  const login = await s.send("POST", "/oauth2/authorize/", { form: { ...form, username, password } });
  const [, problem = login.status] = /<p>([^<]*)<\/p>/.exec(String(login.body)) ?? [];
  return [page.headers.get("x-error-code") ?? page.status, token.body.error ?? token.status, problem].map(
    String,
  );
}

describe("an account whose roles come from groups", () => {
  it("cannot be used with its password, unlike other accounts", async () => {
    const { s } = await startWithProvider({ openidRoles: ROLES });
    const [ann, ben] = [await s.manager(), await s.manager()];
    await linkAccount(s.ctx, ann.username, "sub-1");
    expect(await signInWithPassword(s, ann)).toEqual([
      "provider_required",
      "invalid_grant",
      expect.stringContaining("OpenID provider"),
    ]);
    expect(await signInWithPassword(s, { ...ann, password: "not the password" })).toEqual([
      "wrong_credentials",
      "invalid_grant",
      "The username or the password is wrong.",
    ]);
    expect(await signInWithPassword(s, ben)).toEqual(["201", "200", "302"]);
    await unlinkAccount(s.ctx, ann.username);
    expect(await signInWithPassword(s, ann)).toEqual(["201", "200", "302"]);
  });

  it("can be unlinked only by the operator, and confirms actions by signing in", async () => {
    const { s, provider } = await startWithProvider({ openidRoles: ROLES });
    const ann = await s.manager();
    await linkAccount(s.ctx, ann.username, "sub-1");
    person(provider, "sub-1");
    const browser = new RedirectedBrowser(s);
    expect(await browser.signIn()).toBe("#/signed-in");
    expect((await browser.send("GET", "/api/v2/sign-in-methods/")).body.has_password).toBe(false);
    const { status, body } = await browser.send("DELETE", "/api/v2/sign-in-methods/provider/");
    expect([status, body.code]).toEqual([409, "only_sign_in"]);
    expect((await browser.send("POST", "/api/v2/tokens/", TOKEN)).status).toBe(201);
  });

  it("can be used with its password if roles do not depend on groups, or if its link is to another provider", async () => {
    const { s } = await startWithProvider();
    const ann = await s.manager();
    await linkAccount(s.ctx, ann.username, "sub-1");
    expect(await signInWithPassword(s, ann)).toEqual(["201", "200", "302"]);
    const other = await startWithProvider({ openidRoles: ROLES });
    const ben = await other.s.manager();
    await other.s.store.database.queries
      .insert(identities)
      .values({ accountId: ben.id, issuer: "https://old.example/", subject: "1", createdAt: new Date() });
    expect(await signInWithPassword(other.s, ben)).toEqual(["201", "200", "302"]);
  });
});

describe("the time of a sign-in at the provider", () => {
  it("counts for actions that need a recent sign-in, but the time of the redirect does not", async () => {
    const { s, provider } = await startWithProvider(CREATING);
    person(provider, "sub-1");
    const nowS = Math.floor(Date.now() / 1000);
    const codeAfter = async (authTime: number | undefined) => {
      provider.tamper = (claims) => ({ ...claims, auth_time: authTime });
      const browser = new RedirectedBrowser(s);
      expect(await browser.signIn()).toBe("#/signed-in");
      const { status, body } = await browser.send("POST", "/api/v2/tokens/", TOKEN);
      return body.code ?? status;
    };
    expect(await codeAfter(nowS - 60)).toBe(201);
    expect(await codeAfter(nowS - 3600)).toBe("sign_in_again");
    expect(await codeAfter(undefined)).toBe("sign_in_again");
  });

  it("is refused if it is in the future", async () => {
    const { s, provider } = await startWithProvider(CREATING);
    s.clock.stopAt(Date.now());
    person(provider, "sub-1");
    provider.tamper = (claims) => ({ ...claims, auth_time: Math.floor(Date.now() / 1000) + 86_400 });
    const browser = new RedirectedBrowser(s);
    await browser.signIn();
    s.clock.advance(5 * 60_000 + 1000);
    expect((await browser.send("POST", "/api/v2/tokens/", TOKEN)).body.code).toBe("sign_in_again");
  });

  it("is requested and required for these actions", async () => {
    const { s, provider } = await startWithProvider(CREATING);
    person(provider, "sub-1");
    const browser = new RedirectedBrowser(s);
    const again = () => browser.send("POST", "/session/openid/?again=true");
    const begun = await again();
    expect(new URL(begun.body.location).searchParams.get("max_age")).toBe("60");
    expect(await browser.signIn(begun)).toBe("#/signed-in");
    expect((await browser.send("POST", "/api/v2/tokens/", TOKEN)).status).toBe(201);
    for (const auth_time of [undefined, Math.floor(Date.now() / 1000) - 180]) {
      provider.tamper = (claims) => ({ ...claims, auth_time });
      expect(await browser.signIn(await again())).toBe("#/sign-in?problem=provider_invalid");
    }
  });
});

describe("the setting for the domains", () => {
  it("admits only users of these organisations to sign in and to link accounts", async () => {
    const { s, provider } = await startWithProvider({ ...CREATING, openidDomains: ["club.example"] });
    const signIn = (hd: unknown) => {
      person(provider, "sub-1", { email: "ann@club.example", email_verified: true });
      provider.tamper = (claims) => ({ ...claims, hd });
      return new RedirectedBrowser(s).signIn();
    };
    for (const hd of ["other.example", undefined, ["club.example"], "sub.club.example", ""])
      expect(await signIn(hd)).toBe("#/sign-in?problem=wrong_domain");
    expect(await signIn("Club.Example")).toBe("#/signed-in");
    const ben = await s.manager();
    const browser = new RedirectedBrowser(s);
    const { username, password } = ben;
    await browser.send("POST", "/session/", { username, password });
    provider.tamper = null;
    person(provider, "sub-2");
    const begun = await browser.send("POST", "/api/v2/sign-in-methods/provider/", { password });
    expect(await browser.signIn(begun)).toBe("#/account?problem=wrong_domain");
  });
});

describe("a provider", () => {
  it("does not delay other requests of the same address if it does not respond", async () => {
    const { s, provider } = await startWithProvider();
    const { username, password } = await s.manager();
    const held: (() => void)[] = [];
    provider.replaced = (_request, response) => held.push(() => response.writeHead(503).end());
    let [ended, refused] = [0, 0];
    const begun = Array.from({ length: 40 }, async () => {
      const { status } = await new RedirectedBrowser(s).send("POST", "/session/openid/");
      if (status === 429) refused++;
      else ended++;
    });
    // For one address, 4 requests run and 8 wait. With the queue for other requests, 16 would run.
    const waiting = () => s.store.database.queries.$count(openidSignIns);
    while (refused < 28 && (await waiting()) < 16) await new Promise((resolve) => setTimeout(resolve, 5));
    const { status } = await new RedirectedBrowser(s).send("POST", "/session/", { username, password });
    expect([status, ended]).toEqual([201, 0]);
    for (const respond of held) respond();
    provider.replaced = (_request, response) => response.writeHead(503).end();
    await Promise.all(begun);
  });

  it("creates accounts as fast as people can register", async () => {
    const { s, provider } = await startWithProvider({ ...CREATING, throttleRegistrationsPerHour: 1 });
    const signIn = (subject: string) => {
      person(provider, subject);
      return new RedirectedBrowser(s).signIn();
    };
    expect(await signIn("sub-1")).toBe("#/signed-in");
    expect(await signIn("sub-2")).toBe("#/sign-in?problem=too_many_accounts");
    expect(await signIn("sub-1")).toBe("#/signed-in");
    const registered = await s.post("/api/v1/managers/", { username: "dora", password: "a long passphrase" });
    expect(registered.status).toBe(429);
  });

  it("withdraws the roles if it sends no groups, which is logged once", async () => {
    const { s, provider } = await startWithProvider(CREATING);
    const warn = vi.spyOn(s.service.app.log, "warn");
    for (const groups of [[], undefined, undefined]) {
      person(provider, "sub-1", { groups });
      expect(await new RedirectedBrowser(s).signIn()).toBe("#/sign-in?problem=no_role");
    }
    expect(warn.mock.calls.filter((call) => JSON.stringify(call).includes("claim"))).toHaveLength(1);
  });

  it("is unlinked by the operator if it is from earlier settings, and the roles from the current provider remain", async () => {
    const { s, provider } = await startWithProvider({
      openidRoles: [["Staff", [{ kind: "squad", role: "coach", squadId: 1 }]]],
    });
    const [owner, guest] = [await s.manager(), await s.manager()];
    const { queries } = s.store.database;
    await queries.insert(squads).values({ name: "First", ownerId: owner.id, createdAt: new Date() });
    await linkAccount(s.ctx, guest.username, "sub-1");
    const issuer = "https://old.example";
    await queries
      .insert(identities)
      .values({ accountId: guest.id, issuer: `${issuer}/`, subject: "1", createdAt: new Date() });
    person(provider, "sub-1");
    expect(await new RedirectedBrowser(s).signIn()).toBe("#/signed-in");
    expect(await unlinkAccount(s.ctx, guest.username, issuer)).toMatchObject({ issuer: `${issuer}/` });
    expect(await queries.$count(squadGrants)).toBe(1);
    expect((await queries.select().from(identities)).map(({ subject }) => subject)).toEqual(["sub-1"]);
    await expect(unlinkAccount(s.ctx, guest.username, issuer)).rejects.toMatchObject({ code: "not_found" });
    await expect(unlinkAccount(s.ctx, guest.username, "old")).rejects.toMatchObject({ code: "invalid" });
    const alone = await startService();
    const ben = await alone.manager();
    await alone.store.database.queries
      .insert(identities)
      .values({ accountId: ben.id, issuer: `${issuer}/`, subject: "1", createdAt: new Date() });
    expect(await unlinkAccount(alone.ctx, ben.username, issuer)).toMatchObject({ username: ben.username });
  });
});

describe("the erasure of a user", () => {
  it("also erases the account from the audit of its applications", async () => {
    const s = await startService();
    const ann = await s.manager();
    await createApplication(s.ctx, {
      name: "Warehouse",
      redirectUris: [],
      machine: { username: ann.username, scopes: ["samples:read"] },
    });
    const rows = async () =>
      (await s.store.database.queries.select().from(auditLog)).filter(
        ({ entity, after }) => entity === "application" && JSON.stringify(after).includes("Warehouse"),
      );
    expect(await rows()).toHaveLength(1);
    await deleteAccount(s.ctx, ann.username);
    expect(await rows()).toHaveLength(0);
  });
});
