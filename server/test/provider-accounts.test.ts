/** Tests accounts that are linked to users of an OpenID provider, and services without passwords. */
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { type Arguments, type CommandName, commands } from "../src/operator/commands.js";
import { accounts, identities, passwordResets } from "../src/store/schema.js";
import { managingManager } from "./people.js";
import { json, placesOf, unzip } from "./personal-data-scene.js";
import { person, RedirectedBrowser, ROLES, startWithProvider } from "./provider-scene.js";
import { type TestAccount, TestService } from "./service.js";

const METHODS = "/api/v2/sign-in-methods/";
const LINK = `${METHODS}provider/`;

const run = (s: TestService, name: CommandName, args: Arguments) =>
  commands[name]({ ...s.ctx, database: s.store.database, operator: "root" }, args);

const refusal = (s: TestService, name: CommandName, args: Arguments) =>
  run(s, name, args).then(
    () => "done",
    (error) => error.code as string,
  );

async function signedIn(s: TestService, { username, password }: TestAccount): Promise<RedirectedBrowser> {
  const browser = new RedirectedBrowser(s);
  const { status } = await browser.send("POST", "/session/", { username, password });
  if (status !== 201) throw new Error(`Not signed in: ${status}`);
  return browser;
}

/** Links an account on the page. @returns the view that the page then opens */
const link = async (browser: RedirectedBrowser, { password }: TestAccount) =>
  browser.signIn(await browser.send("POST", LINK, { password }));

describe("an existing account", () => {
  it("is never found by its username or email address", async () => {
    const { s, provider } = await startWithProvider({ openidRoles: ROLES, openidCreateAccounts: true });
    const ann = await s.manager();
    const email = `${ann.username}@example.org`;
    person(provider, "sub-1", { preferred_username: ann.username, email, email_verified: true });
    const browser = new RedirectedBrowser(s);
    expect(await browser.signIn()).toBe("#/signed-in");
    const account = await browser.account();
    expect(account?.id).not.toBe(ann.id);
    expect(account?.username).toMatch(new RegExp(`^${ann.username}-\\d{6}$`));
    expect((await browser.send("GET", METHODS)).body.has_password).toBe(false);
  });

  it("is linked after its user has confirmed the password, and then needs no password", async () => {
    const { s, provider } = await startWithProvider();
    const ann = await s.manager();
    person(provider, "sub-1", { groups: undefined });
    const stranger = new RedirectedBrowser(s);
    expect(await stranger.signIn()).toBe("#/sign-in?problem=no_account");
    const browser = await signedIn(s, ann);
    expect((await browser.send("GET", METHODS)).body).toEqual({
      has_password: true,
      provider: "Club",
      subject: null,
      linked_at: null,
      last_used_at: null,
    });
    const wrong = await browser.send("POST", LINK, { password: "not the password" });
    expect([wrong.status, wrong.body.code]).toEqual([400, "wrong_password"]);
    const elsewhere = await s.send("POST", LINK, { token: ann.token, json: { password: ann.password } });
    expect(elsewhere.status).toBe(403);
    expect(await link(browser, ann)).toBe("#/account");
    expect((await browser.account())?.id).toBe(ann.id);
    const other = new RedirectedBrowser(s);
    expect(await other.signIn()).toBe("#/signed-in");
    expect((await other.account())?.id).toBe(ann.id);
    expect((await other.send("GET", METHODS)).body).toEqual({
      has_password: true,
      provider: "Club",
      subject: "sub-1",
      linked_at: expect.any(String),
      last_used_at: expect.any(String),
    });
    expect((await browser.send("POST", LINK, { password: ann.password })).body.code).toBe("already_linked");
  });

  it("is not linked to the user of another account, or after its session has ended", async () => {
    const { s, provider } = await startWithProvider();
    const [ann, ben] = [await s.manager(), await s.manager()];
    person(provider, "sub-1");
    expect(await link(await signedIn(s, ann), ann)).toBe("#/account");
    const browser = await signedIn(s, ben);
    expect(await link(browser, ben)).toBe("#/account?problem=identity_taken");
    person(provider, "sub-2");
    const callback = await browser.callback(await browser.send("POST", LINK, { password: ben.password }));
    await run(s, "session revoke", { username: ben.username });
    expect((await browser.visit(callback)).headers.get("location")).toMatch(
      /account\?problem=session_ended$/,
    );
    expect(await new RedirectedBrowser(s).signIn()).toBe("#/sign-in?problem=no_account");
  });

  it("loses its link when its user removes it, unless this is the only way to sign in", async () => {
    const { s, provider } = await startWithProvider();
    const ann = await s.manager();
    person(provider, "sub-1");
    const browser = await signedIn(s, ann);
    expect((await browser.send("DELETE", LINK)).status).toBe(404);
    await link(browser, ann);
    expect((await browser.send("DELETE", LINK)).status).toBe(204);
    expect(await new RedirectedBrowser(s).signIn()).toBe("#/sign-in?problem=no_account");
    await link(browser, ann);
    await s.store.database.queries
      .update(accounts)
      .set({ passwordHash: null })
      .where(eq(accounts.id, ann.id));
    const { status, body } = await browser.send("DELETE", LINK);
    expect([status, body.code]).toEqual([409, "only_sign_in"]);
  });

  it("is linked, shown and unlinked by the operator", async () => {
    const { s, provider } = await startWithProvider();
    const [ann, ben] = [await managingManager({}, "", s), await s.manager()];
    const subject = "sub-1";
    expect(await run(s, "account link", { username: ann.username, subject })).toEqual({
      username: ann.username,
      issuer: `${provider.issuer}/`,
      subject,
    });
    expect(await refusal(s, "account link", { username: ann.username, subject })).toBe("done");
    expect(await refusal(s, "account link", { username: ben.username, subject })).toBe("identity_taken");
    expect(await refusal(s, "account link", { username: ann.username, subject: "sub-2" })).toBe(
      "already_linked",
    );
    const { body: athlete } = await s.post(
      "/api/v1/athletes/create-managed/",
      { managed_by: ann.id, athlete_profile: { first_name: "Cleo" } },
      ann.token,
    );
    const [managed] = await s.store.database.queries
      .select()
      .from(accounts)
      .where(eq(accounts.id, athlete.id));
    const username = managed?.username ?? "";
    expect(await refusal(s, "account link", { username, subject: "sub-3" })).toBe("invalid");
    person(provider, subject);
    const browser = new RedirectedBrowser(s);
    expect(await browser.signIn()).toBe("#/signed-in");
    expect((await browser.account())?.id).toBe(ann.id);
    expect(await run(s, "account show", { username: ann.username })).toMatchObject({
      identities: [{ issuer: `${provider.issuer}/`, subject, last_used: expect.any(String) }],
    });
    await run(s, "account unlink", { username: ann.username });
    expect(await refusal(s, "account unlink", { username: ann.username })).toBe("not_found");
    expect(await new RedirectedBrowser(s).signIn()).toBe("#/sign-in?problem=no_account");
  });

  it("cannot be used while it is disabled", async () => {
    const { s, provider } = await startWithProvider();
    const ann = await s.manager();
    await run(s, "account link", { username: ann.username, subject: "sub-1" });
    await run(s, "account disable", { username: ann.username });
    person(provider, "sub-1");
    expect(await new RedirectedBrowser(s).signIn()).toBe("#/sign-in?problem=account_disabled");
  });

  it("gets no link for a new password if it can sign in only with the provider", async () => {
    const { s } = await startWithProvider({ openidRoles: ROLES });
    const [ann, bob] = [await s.manager(), await s.manager()];
    await run(s, "account link", { username: ann.username, subject: "sub-1" });
    for (const { username } of [ann, bob])
      await s.post("/api/v1/account/request-password-reset/", { username });
    await s.runJobs();
    const { queries } = s.store.database;
    const mailed = await queries.select({ account: passwordResets.accountId }).from(passwordResets);
    expect(mailed).toEqual([{ account: bob.id }]);
  });
});

describe("a user without a password", () => {
  it("confirms an action if the last sign-in was at most five minutes ago", async () => {
    const { s, provider } = await startWithProvider({ openidRoles: ROLES, openidCreateAccounts: true });
    s.clock.stopAt(Date.now());
    person(provider, "sub-1");
    const browser = new RedirectedBrowser(s);
    await browser.signIn();
    const token = { name: "Program", scopes: ["samples:read"], valid_days: 1 };
    expect((await browser.send("POST", "/api/v2/tokens/", token)).status).toBe(201);
    const guess = await browser.send("POST", "/api/v2/tokens/", { ...token, password: "a long passphrase" });
    expect(guess.body.code).toBe("wrong_password");
    s.clock.advance(5 * 60_000 + 1000);
    expect((await browser.send("POST", "/api/v2/tokens/", token)).body.code).toBe("sign_in_again");
    const account = await browser.account();
    const path = `/api/v1/managers/${account?.id}/change-password/`;
    const late = await browser.send("PUT", path, { password: "a long passphrase" });
    expect([late.status, late.headers.get("x-error-code")]).toEqual([400, "sign_in_again"]);
    provider.tamper = (claims) => ({ ...claims, auth_time: s.clock.now().getTime() / 1000 });
    await browser.signIn();
    expect((await browser.send("PUT", path, { password: "a long passphrase" })).status).toBe(204);
    const withoutGroups = await TestService.start(s.store, { openidIssuer: provider.issuer });
    expect(await withoutGroups.logIn(String(account?.username), "a long passphrase")).toBeTruthy();
  });

  it("gets one account from two concurrent sign-ins", async () => {
    const { s, provider } = await startWithProvider({ openidRoles: ROLES, openidCreateAccounts: true });
    person(provider, "sub-1");
    const browsers = [new RedirectedBrowser(s), new RedirectedBrowser(s), new RedirectedBrowser(s)];
    const callbacks: string[] = [];
    for (const browser of browsers) callbacks.push(await browser.callback());
    await Promise.all(browsers.map((browser, i) => browser.visit(callbacks[i] ?? "")));
    const ids = await Promise.all(browsers.map(async (browser) => (await browser.account())?.id));
    expect(new Set(ids).size).toBe(1);
    expect(await s.store.database.queries.$count(identities)).toBe(1);
  });

  it("gets a different username than users with the same name, even at the same time", async () => {
    const { s, provider } = await startWithProvider({ openidRoles: ROLES, openidCreateAccounts: true });
    const callbacks: [RedirectedBrowser, string][] = [];
    for (const subject of ["sub-1", "sub-2", "sub-3"]) {
      person(provider, subject, { preferred_username: "Ann" });
      const browser = new RedirectedBrowser(s);
      callbacks.push([browser, await browser.callback()]);
    }
    await Promise.all(callbacks.map(([browser, callback]) => browser.visit(callback)));
    const names = await Promise.all(callbacks.map(async ([browser]) => (await browser.account())?.username));
    expect(names.filter((name) => name === "Ann")).toHaveLength(1);
    expect(names.filter((name) => /^Ann-\d{6}$/.test(String(name)))).toHaveLength(2);
  });

  it("keeps only names that can be shown, and only a verified email address", async () => {
    const { s, provider } = await startWithProvider({ openidRoles: ROLES, openidCreateAccounts: true });
    person(provider, "sub-1", {
      preferred_username: "an\u202en",
      email: "ann@example.org",
      email_verified: false,
      given_name: "\u202eAnn",
      family_name: "A".repeat(400),
      name: "Ann Ash",
    });
    const browser = new RedirectedBrowser(s);
    await browser.signIn();
    const [account] = await s.store.database.queries.select().from(accounts);
    expect(account).toMatchObject({
      username: "ann@example.org",
      email: "",
      emailConfirmed: false,
      firstName: null,
      lastName: null,
    });
    person(provider, "sub-2", { email: "bea@example.org", email_verified: true });
    await new RedirectedBrowser(s).signIn();
    const isBea = eq(accounts.email, "bea@example.org");
    const [verified] = await s.store.database.queries.select().from(accounts).where(isBea);
    expect(verified?.emailConfirmed).toBe(true);
  });
});

describe("the data of a user of the provider", () => {
  it("are included in the export, and deleted by the erasure", async () => {
    const { s, provider } = await startWithProvider({ openidRoles: ROLES, openidCreateAccounts: true });
    const subject = "a-subject-to-erase";
    person(provider, subject, { groups: ["Players"], preferred_username: "cleo" });
    const browser = new RedirectedBrowser(s);
    await browser.signIn();
    const athlete = await browser.account();
    await browser.send("POST", "/session/openid/");
    const archive = await run(s, "account show", { username: "cleo" });
    expect(archive).toMatchObject({ identities: [{ subject }] });
    const cookie = browser.cookies.get(`${s.service.url} asi-session`);
    const response = await fetch(`${s.service.url}/api/v1/athletes/${athlete?.id}/export/`, {
      headers: { "X-Asi-Page": "1", Cookie: `asi-session=${cookie}` },
    });
    const files = await unzip(Buffer.from(await response.arrayBuffer()));
    expect(json(files, "identities.json")).toEqual([
      {
        id: expect.any(Number),
        issuer: `${provider.issuer}/`,
        subject,
        linked_at: expect.any(String),
        last_used_at: expect.any(String),
      },
    ]);
    expect((await placesOf(s, subject)).sort()).toEqual(["audit_log", "identities"]);
    const erased = await browser.send("POST", `/api/v1/athletes/${athlete?.id}/erase/`, {});
    expect([erased.status, erased.body.rows.identities]).toEqual([200, 1]);
    expect(await placesOf(s, subject)).toEqual([]);
    expect(await placesOf(s, "cleo")).toEqual([]);
  });
});

describe("a service without passwords", () => {
  it("lets users sign in only with the provider, and the operator's commands work", async () => {
    const { s, provider } = await startWithProvider({ passwordSignIn: false });
    const username = "ann";
    const { clientId, clientSecret } = await s.client();
    const browser = new RedirectedBrowser(s);
    const person1 = { username, password: "a long passphrase" };
    const email = "ann@example.org";
    const calls: [string, unknown][] = [
      ["/session/", person1],
      ["/api/v1/managers/", { ...person1, email }],
      ["/api/v1/athletes/", { ...person1, email }],
      ["/api/v1/account/request-password-reset/", { username }],
      ["/api/v1/account/reset-password/", { token: "t".repeat(43), password: "a long passphrase" }],
    ];
    for (const [path, body] of calls)
      expect([path, (await browser.send("POST", path, body)).status]).toEqual([path, 410]);
    expect((await s.get("/oauth2/authorize/")).status).toBe(410);
    const token = await s.send("POST", "/oauth2/token/", {
      form: { grant_type: "password", client_id: clientId, client_secret: clientSecret, ...person1 },
    });
    expect([token.status, token.body.error]).toEqual([400, "invalid_grant"]);
    await s.store.database.queries.insert(accounts).values({
      role: "MANAGER",
      username,
      usernameKey: username,
      email,
      emailKey: email,
      createdAt: new Date(),
    });
    await run(s, "account link", { username, subject: "sub-1" });
    expect(await refusal(s, "account reset-password", { username })).toBe("password_sign_in_disabled");
    person(provider, "sub-1");
    expect(await browser.signIn()).toBe("#/signed-in");
    expect((await browser.account())?.username).toBe(username);
  });

  it("ignores earlier passwords", async () => {
    const { s } = await startWithProvider();
    const ann = await s.manager();
    const { openidIssuer } = s.config;
    const later = await TestService.start(s.store, { openidIssuer, passwordSignIn: false });
    expect((await s.get(METHODS, ann.token)).body.has_password).toBe(true);
    expect((await later.get(METHODS, ann.token)).body.has_password).toBe(false);
    const token = { name: "Program", scopes: ["samples:read"], valid_days: 1 };
    expect((await s.post("/api/v2/tokens/", token, ann.token)).body.code).toBe("password_required");
    expect((await later.post("/api/v2/tokens/", token, ann.token)).status).toBe(201);
  });
});
