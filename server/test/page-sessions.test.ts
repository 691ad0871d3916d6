/** Tests sessions of the page, whose cookie is valid only for requests by the page itself. */
import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import type { Config } from "../src/config/config.js";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { auditLog, refreshTokens } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { Browser, FIREFOX, PAGE, withBrowsers } from "./page-browser.js";
import { startService, TestService } from "./service.js";

const it = withBrowsers();

describe("a session of the web page", () => {
  it("begins with username and password, and ends with signing out", async ({ browsers: { s } }) => {
    const ann = await s.manager();
    const browser = new Browser(s);
    const { status, body, headers } = await browser.signIn(ann);
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        application: "Page",
        browser: FIREFOX,
        signed_in_at: expect.any(String),
        last_used_at: body.signed_in_at,
        expires_at: new Date(Date.parse(body.signed_in_at) + 12 * 3_600_000).toISOString(),
        is_current: true,
      },
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect((await browser.send("GET", "/api/v1/account/")).body.username).toBe(ann.username);
    const { cookie } = browser;
    const out = await browser.send("DELETE", "/session/");
    expect([out.status, browser.cookie]).toEqual([204, undefined]);
    browser.cookie = cookie;
    expect(await browser.isSignedIn()).toBe(false);
  });

  it("uses a cookie that scripts cannot read and that other sites cannot send", async ({
    browsers: { s },
  }) => {
    const ann = await s.manager();
    const [local] = (await new Browser(s).signIn(ann)).headers.getSetCookie();
    expect(local).toMatch(/^asi-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    const tls = await startService({ baseUrl: "https://asi.example.org/" });
    const [secure] = (await new Browser(tls).signIn(ann)).headers.getSetCookie();
    expect(secure).toMatch(
      /^__Host-asi-session=[\w-]{43}; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Strict$/,
    );
  });

  it("uses over TLS only the cookie name that a subdomain cannot set", async ({
    browsers: { s, signedIn },
  }) => {
    const ann = await s.manager();
    const tls = await startService({ baseUrl: "https://asi.example.org/" });
    const browser = await signedIn(ann, tls);
    expect(await browser.isSignedIn()).toBe(true);
    browser.cookie = `asi-session=${browser.token}`;
    expect(await browser.isSignedIn()).toBe(false);
  });

  it("requires TLS if the service can be reached from other machines", async ({ browsers: { s } }) => {
    const ann = await s.manager();
    const cases: [Partial<Config>, isSecure: boolean][] = [
      [{ host: "0.0.0.0" }, true],
      [{ host: "127.0.0.1", trustProxy: ["127.0.0.1"] }, true],
      [{ baseUrl: "http://asi.example.org/" }, true],
      [{ baseUrl: "http://localhost:8080/" }, false],
      [{ baseUrl: "http://[::1]:8080/" }, false],
    ];
    for (const [settings, isSecure] of cases) {
      const open = await startService(settings);
      const [cookie = ""] = (await new Browser(open).signIn(ann)).headers.getSetCookie();
      expect([settings, cookie.includes("Secure")]).toEqual([settings, isSecure]);
    }
  });

  it("has the same permissions as a token", async ({ browsers: { s, signedIn } }) => {
    const ann = await s.manager();
    const device = await s.device();
    const browser = await signedIn(ann);
    const { serial_number, device_name } = device;
    const taken = await browser.send("POST", "/api/v1/devices/take-ownership/", {
      json: { serial_number, device_name },
      headers: { ...PAGE, "Idempotency-Key": "take" },
    });
    expect(taken.status).toBe(201);
    const { body } = await browser.send("GET", "/api/v1/devices/");
    expect(body.results.map(({ id }: { id: number }) => id)).toEqual([device.id]);
  });

  it("lasts twelve hours", async ({ browsers: { s, signedIn } }) => {
    const ann = await s.manager();
    const later = await startService();
    later.clock.stopAt(Date.now());
    const browser = await signedIn(ann, later);
    later.clock.advance(12 * 3_600_000 - 1_000);
    expect(await browser.isSignedIn()).toBe(true);
    later.clock.advance(2_000);
    expect(await browser.isSignedIn()).toBe(false);
    const sessions = async () =>
      s.store.database.queries.$count(refreshTokens, eq(refreshTokens.accountId, ann.id));
    // The other session belongs to the token.
    expect(await sessions()).toBe(2);
    await applyRetention(later.ctx);
    expect(await sessions()).toBe(1);
  });

  it("ends when the maximum number of newer sessions have started", async ({ browsers: { s, signedIn } }) => {
    const ann = await s.manager();
    const small = await startService({ refreshTokensPerApplication: 2 });
    const browsers = [];
    for (let i = 0; i < 3; i++) {
      small.clock.advance(1000);
      browsers.push(await signedIn(ann, small));
    }
    const [first, ...others] = browsers;
    expect(await first?.isSignedIn()).toBe(false);
    for (const other of others) expect(await other.isSignedIn()).toBe(true);
  });

  it("ends when the password is changed", async ({ browsers: { s, signedIn } }) => {
    const ann = await s.manager();
    const browsers = [await signedIn(ann), await signedIn(ann)];
    const changed = await browsers[0]?.send("PUT", `/api/v1/managers/${ann.id}/change-password/`, {
      json: { password: "another long passphrase" },
    });
    expect(changed?.status).toBe(204);
    for (const browser of browsers) expect(await browser.isSignedIn()).toBe(false);
    expect((await new Browser(s).signIn(ann)).status).toBe(400);
    expect((await new Browser(s).signIn({ ...ann, password: "another long passphrase" })).status).toBe(201);
  });

  it("is listed with its browser, and can be ended from another session", async ({
    browsers: { s, signedIn },
  }) => {
    const ann = await s.manager();
    const [laptop, phone] = [await signedIn(ann), await signedIn(ann)];
    const list = async () => (await laptop.send("GET", "/session/")).body.results;
    const sessions = await list();
    expect(
      sessions.map((session: Record<string, unknown>) => [
        session.application,
        session.browser,
        session.is_current,
      ]),
    ).toEqual([
      ["Page", FIREFOX, false],
      ["Page", FIREFOX, true],
      ["test", null, false],
    ]);
    expect((await laptop.send("DELETE", `/session/${sessions[0].id}/`)).status).toBe(204);
    expect([await phone.isSignedIn(), await laptop.isSignedIn()]).toEqual([false, true]);
    // This is the session of the application, with its access tokens.
    expect((await laptop.send("DELETE", `/session/${sessions[2].id}/`)).status).toBe(204);
    expect((await s.get("/api/v1/account/", ann.token)).status).toBe(403);
    expect(await list()).toHaveLength(1);
  });

  it("is not visible to another user, who cannot end it", async ({ browsers: { s, signedIn } }) => {
    const [ann, ben] = [await s.manager(), await s.manager()];
    const [annas, bens] = [await signedIn(ann), await signedIn(ben)];
    const [{ id }] = (await annas.send("GET", "/session/")).body.results;
    expect((await bens.send("DELETE", `/session/${id}/`)).status).toBe(404);
    expect(await annas.isSignedIn()).toBe(true);
  });

  it("ends when another user signs in with the same browser", async ({ browsers: { s, signedIn } }) => {
    const [ann, ben] = [await s.manager(), await s.manager()];
    const browser = await signedIn(ann);
    const first = browser.cookie;
    expect((await browser.signIn(ben)).status).toBe(201);
    expect((await browser.send("GET", "/api/v1/account/")).body.username).toBe(ben.username);
    browser.cookie = first;
    expect(await browser.isSignedIn()).toBe(false);
  });

  it("is visible to the operator and can be ended, like sessions of applications", async ({
    browsers: { s, signedIn },
  }) => {
    const ann = await s.manager();
    const browser = await signedIn(ann);
    const { sessions } = await commands["session list"](s.ctx, { username: ann.username });
    const [session] = (sessions as { id: number; application: string }[]).filter(
      ({ application }) => application === "Page",
    );
    await commands["session revoke"](s.ctx, { username: ann.username, id: String(session?.id) });
    expect(await browser.isSignedIn()).toBe(false);
  });

  it("is recorded in the audit log, and neither the token nor the password is in the database", async ({
    browsers: { s, signedIn },
  }) => {
    const ann = await s.manager();
    const browser = await signedIn(ann);
    const { token } = browser;
    await browser.send("DELETE", "/session/");
    const { queries, pool } = s.store.database;
    const rows = await queries.select().from(auditLog).where(eq(auditLog.accountId, ann.id));
    const sessions = rows.filter(({ operation }) => /Session/.test(operation));
    expect(sessions.map(({ operation, after }) => [operation, after?.session])).toEqual([
      ["createSession", "begun"],
      ["endSession", "ended"],
    ]);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(ann.password);
    const other = await signedIn(ann);
    const { rows: stored } = await pool.query("SELECT * FROM access_tokens WHERE account_id = $1", [ann.id]);
    expect(JSON.stringify(stored)).not.toContain(Buffer.from(other.token).toString("hex"));
    expect(JSON.stringify(stored)).not.toContain(other.token);
  });
});

describe("a sign-in", () => {
  it("is refused with the same message for a wrong password and for an unknown name", async ({
    browsers: { s },
  }) => {
    const ann = await s.manager();
    for (const wrong of [
      { ...ann, password: "not this one" },
      { ...ann, username: "nobody of this name" },
    ]) {
      const { status, body, headers } = await new Browser(s).signIn(wrong);
      expect([status, headers.get("x-error-code"), body]).toEqual([
        400,
        "wrong_credentials",
        { non_field_errors: ["The username or the password is wrong."] },
      ]);
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  it("counts wrong passwords together with those at the token endpoint", async ({ browsers: { s } }) => {
    const ann = await s.manager();
    const strict = await startService({ throttleFailedPasswords: 4 });
    const wrong = { username: ann.username, password: "wrong" };
    for (let time = 0; time < 2; time++) {
      expect((await new Browser(strict).signIn(wrong)).status).toBe(400);
      expect((await strict.token({ grant_type: "password", ...wrong })).status).toBe(400);
    }
    const refused = await new Browser(strict).signIn(ann);
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
  });

  it("is disabled by revoking the application of the page, which clients cannot use", async ({
    browsers: { signedIn },
  }) => {
    const own = await TestService.start(await newStore());
    const ann = await own.manager();
    const grant = { grant_type: "password", username: ann.username, password: ann.password };
    for (const proof of [
      { client_secret: "" },
      { client_secret: "asi-page" },
      { code_verifier: "x".repeat(43) },
    ]) {
      const form = Object.fromEntries(
        Object.entries({ ...grant, client_id: "asi-page", ...proof }).filter(([, value]) => value !== ""),
      );
      const { status } = await own.send("POST", "/oauth2/token/", { form });
      expect([proof, [400, 401].includes(status)]).toEqual([proof, true]);
    }
    const browser = await signedIn(ann, own);
    await commands["app revoke"](own.ctx, { clientId: "asi-page" });
    expect(await browser.isSignedIn()).toBe(false);
    expect((await browser.signIn(ann)).status).toBe(410);
  });
});
