/** Tests the effects of operator commands on accounts and applications, as seen by users. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { and, eq, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { createApplication } from "../src/oauth/applications.js";
import { accounts, auditLog } from "../src/store/schema.js";
import { OPERATOR, withOperator } from "./operator-scene.js";
import { managingManager } from "./people.js";
import type { TestAccount, TestService } from "./service.js";
import { grant, Team } from "./team.js";

const it = withOperator();

const account = (s: TestService, { token }: TestAccount) => s.get("/api/v1/account/", token);

describe("account disable", () => {
  it("refuses tokens, sessions and refresh tokens with a clear error, until account enable", async ({
    operator: { s, run, lastAudit },
  }) => {
    const ann = await s.manager();
    const { username, password } = ann;
    const { refresh_token } = (await s.token({ grant_type: "password", username, password })).body;
    const refresh = () => s.token({ grant_type: "refresh_token", refresh_token });
    const page = { "X-Asi-Page": "1" };
    const signIn = (given: string) =>
      s.send("POST", "/session/", { json: { username, password: given }, headers: page });
    const cookie = (await signIn(password)).headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
    const onPage = () => s.send("GET", "/api/v1/account/", { headers: { ...page, Cookie: cookie } });
    expect((await onPage()).status).toBe(200);

    expect(await run("account disable", { username: username.toUpperCase() })).toEqual({
      username,
      disabled: expect.any(String),
    });
    expect(await lastAudit()).toMatchObject({
      operation: "account disable",
      operator: OPERATOR,
      accountId: null,
      entityId: ann.id,
      before: { disabledAt: null },
      after: { disabledAt: expect.any(String) },
    });
    const told = { detail: "This account is disabled. Ask the operator of the service." };
    for (const refused of [await account(s, ann), await onPage()]) {
      expect([refused.status, refused.headers.get("x-error-code"), refused.body]).toEqual([
        403,
        "account_disabled",
        told,
      ]);
    }
    const disabled = { error: "invalid_grant", error_description: "Invalid grant: the account is disabled" };
    expect((await refresh()).body).toEqual(disabled);
    expect((await s.token({ grant_type: "password", username, password })).body).toEqual(disabled);
    expect((await signIn(password)).body).toEqual(told);
    // The response does not reveal that the account is disabled to a caller who does not know the password.
    expect((await signIn("wrong")).headers.get("x-error-code")).toBe("wrong_credentials");
    const wrong = await s.token({ grant_type: "password", username, password: "wrong" });
    const nobody = await s.token({ grant_type: "password", username: "nobody", password: "wrong" });
    expect([wrong.status, wrong.body]).toEqual([nobody.status, nobody.body]);

    expect(await run("account enable", { username })).toEqual({ username, disabled: null });
    expect([(await account(s, ann)).status, (await onPage()).status, (await refresh()).status]).toEqual([
      200, 200, 200,
    ]);
    expect(await lastAudit()).toMatchObject({ operation: "obtainToken", operator: null });
  });

  it("is reported on the login page of an application to a user who knows the password", async ({
    operator: { s, run },
  }) => {
    const { username, password } = await s.manager();
    const redirect_uri = "https://app.example.org/";
    const { clientId } = await createApplication(s.ctx, { name: "App", redirectUris: [redirect_uri] });
    await run("account disable", { username });
    const logIn = async (given: string) => {
      const form = { response_type: "code", client_id: clientId, redirect_uri, username, password: given };
      return (await s.send("POST", "/oauth2/authorize/", { form })).body;
    };
    expect(await logIn(password)).toContain("This account is disabled.");
    expect(await logIn("wrong")).toContain("The username or the password is wrong.");
  });

  it("keeps the data readable to other users, and deletes nothing", async ({ operator: { s, run } }) => {
    const team = await Team.of(s);
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", "2020-01-01", "2999-01-01");
    const { username } = team.manager;
    const { devices, activities, managed_athletes } = await run("account show", { username });
    expect([devices, activities, managed_athletes]).toEqual([1, 1, 1]);
    await run("account disable", { username });
    expect((await s.get(`/api/v1/athletes/${team.athlete}/`, reader.token)).status).toBe(200);
    expect(await run("account show", { username })).toMatchObject({
      devices,
      activities,
      managed_athletes,
      can_log_in: false,
    });
  });

  it("is refused for an unknown account, and changes nothing when repeated", async ({
    operator: { s, refusal, run },
  }) => {
    const { username } = await s.manager();
    expect(await refusal("account disable", { username: "nobody" })).toBe("not_found");
    const once = await run("account disable", { username });
    expect(await run("account disable", { username })).toEqual(once);
  });
});

describe("account list and show", () => {
  it("show an account without password, picture or token", async ({
    operator: { s, list, run, refusal },
  }) => {
    const manager = await managingManager(
      { manager_profile: { first_name: "Zoë", last_name: "Zorn" } },
      "",
      s,
    );
    const { username } = manager;
    const [zoe] = await list("account list", { search: "zorn", role: "manager" });
    expect(zoe).toEqual({
      id: manager.id,
      username,
      role: "manager",
      email: `${username}@example.org`,
      first_name: "Zoë",
      last_name: "Zorn",
      external_id: null,
      managed_by: null,
      created: expect.stringMatching(/Z$/),
      disabled: null,
    });
    const shown = await run("account show", { username });
    expect(shown).toMatchObject({ ...zoe, can_log_in: true, can_create_managed_athletes: true, sessions: 2 });
    expect(JSON.stringify(shown)).not.toMatch(/argon2|hash/i);
    await run("account disable", { username });
    const disabled = await list("account list", { disabled: true, search: "zorn" });
    expect(disabled.map(({ id }) => id)).toEqual([manager.id]);
    expect(await list("account list", { search: "zorn", role: "athlete" })).toEqual([]);
    expect(await refusal("account list", { role: "king" })).toBe("invalid");
  });

  it("return any number of rows in parts, each row once", async ({ operator: { s, run } }) => {
    await s.store.database.queries.execute(sql`
      INSERT INTO accounts (role, username, username_key, email, email_key, created_at)
      SELECT 'ATHLETE', 'many-' || n, 'many-' || n, '', '', now() FROM generate_series(1, 1200) AS n`);
    const seen: unknown[] = [];
    let next: unknown = null;
    let parts = 0;
    do {
      const part = await run("account list", {
        search: "many-",
        ...(next === null ? {} : { after: String(next) }),
      });
      seen.push(...(part.items as { username: string }[]).map(({ username }) => username));
      next = part.next;
      parts += 1;
    } while (next !== null);
    expect([parts, seen.length, new Set(seen).size]).toEqual([3, 1200, 1200]);
    await s.store.database.queries.delete(accounts).where(sql`username LIKE 'many-%'`);
  });
});

describe("account reset-password", () => {
  it("emails a link, and is refused if the account cannot use a link", async ({
    operator: { s, run, lastAudit, list, refusal },
  }) => {
    const manager = await managingManager({}, "?create_default_athlete=true", s);
    const { username } = manager;
    expect(await run("account reset-password", { username })).toEqual({
      username,
      mailed_to: `${username}@example.org`,
      expires: expect.stringMatching(/Z$/),
    });
    expect(await lastAudit()).toMatchObject({
      operation: "account reset-password",
      operator: OPERATOR,
      after: { passwordReset: "link mailed" },
    });
    await s.runJobs();
    const mails = readdirSync(join(s.config.dataDir, "mail"));
    expect(mails.filter((name) => name.startsWith(`account-${manager.id}-`))).toHaveLength(2);
    const [athlete] = await list("account list", { search: "MANAGED", role: "ATHLETE" });
    expect(await refusal("account reset-password", { username: String(athlete?.username) })).toBe(
      "cannot_log_in",
    );
    await run("account disable", { username });
    expect(await refusal("account reset-password", { username })).toBe("cannot_log_in");
  });
});

describe("app list and rotate-secret", () => {
  it("replace a lost secret: the old one is invalid immediately, and sessions continue with the new one", async ({
    operator: { s, run, list, refusal },
  }) => {
    const { username, password } = await s.manager();
    const { clientId, clientSecret } = await createApplication(s.ctx, { name: "Coach", redirectUris: [] });
    const token = (secret: string, form: Record<string, string>) =>
      s.token({ client_id: clientId, client_secret: secret, ...form });
    const { body } = await token(clientSecret, { grant_type: "password", username, password });
    const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token };

    const { client_secret: fresh } = await run("app rotate-secret", { clientId });
    expect((await token(clientSecret, refresh)).body.error).toBe("invalid_client");
    expect((await token(String(fresh), refresh)).status).toBe(200);
    const audit = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.operation, "app rotate-secret"), eq(auditLog.entity, "application")));
    expect(audit).toMatchObject([{ operator: OPERATOR, after: { secret: "rotated", secretHash: "***" } }]);

    const apps = await list("app list");
    expect(apps.find(({ client_id }) => client_id === clientId)).toMatchObject({
      name: "Coach",
      sessions: 1,
      revoked: null,
    });
    for (const secret of [clientSecret, String(fresh), "hash"])
      expect(JSON.stringify(apps)).not.toContain(secret);
    expect(await refusal("app rotate-secret", { clientId: "asi-page" })).toBe("no_secret");
    expect(await refusal("app rotate-secret", { clientId: "nobody" })).toBe("not_found");
    await run("app revoke", { clientId });
    expect(await refusal("app rotate-secret", { clientId })).toBe("application_revoked");
  });
});
