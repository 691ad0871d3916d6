/** Tests personal tokens, with which programs have some of the rights of a user until a given time. */
import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { access, type OperationId, scopesOf } from "../src/domain/change/access.js";
import { SCOPE_NAMES } from "../src/domain/change/scopes.js";
import { hashToken } from "../src/domain/secrets/tokens.js";
import { createPersonalToken } from "../src/oauth/personal-tokens.js";
import { revokeApplication } from "../src/oauth/sessions.js";
import { auditLog } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { withOwnService } from "./file-service.js";
import { managingManager } from "./people.js";
import { startService, type TestAccount, TestService } from "./service.js";

const it = withOwnService();

const HOUR_MS = 3_600_000;
const PATH = "/api/v2/tokens/";

function create(s: TestService, by: TestAccount, changes: Record<string, unknown> = {}) {
  const body = {
    name: "Warehouse",
    scopes: ["samples:read"],
    valid_days: 30,
    password: by.password,
    ...changes,
  };
  return s.post(PATH, body, by.token);
}

const isValid = async (s: TestService, token: string) =>
  (await s.get("/api/v1/account/", token)).status === 200;

describe("a personal token", () => {
  it("is shown once, and then listed without its secret", async ({ service: s }) => {
    const ann = await s.manager();
    const created = await create(s, ann);
    const { token, ...item } = created.body;
    expect(Date.parse(item.expires_at) - Date.parse(item.created_at)).toBe(30 * 24 * HOUR_MS);
    expect(created).toMatchObject({
      status: 201,
      body: { name: "Warehouse", scopes: ["samples:read"] },
    });
    expect(created.headers.get("location")).toBe(`${PATH}${item.id}/`);
    const listed = await s.get(PATH, ann.token);
    expect(listed.body).toEqual({ results: [item], next: null });
    const logged = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(eq(auditLog.accountId, ann.id));
    expect(JSON.stringify(logged)).toContain("Warehouse");
    expect(JSON.stringify(logged)).not.toContain(token);
    expect((await s.get(PATH, (await s.manager()).token)).body.results).toEqual([]);
    expect((await s.get("/session/", ann.token)).body.results).toHaveLength(1);
  });

  it("can read what its scopes allow; any other request is refused with the name of the missing scope", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    const token = await s.personalToken(ann, "samples:read");
    expect((await s.get("/api/v1/devices/", token)).status).toBe(200);
    const squads = await s.get("/api/v2/squads/", token);
    expect(squads).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(squads.body.detail).toBe("The token does not have the scope sessions:read.");
    expect(squads.headers.get("www-authenticate")).toBe('Bearer realm="api", error="insufficient_scope"');
    const another = await s.post(PATH, { name: "x", scopes: ["sessions:write"], valid_days: 1 }, token);
    expect(another).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
    expect(another.body.detail).toBe(
      "Personal tokens and tokens of applications may not do this. Sign in to the service with your password.",
    );
  });

  it("is refused by every operation outside its scopes", async ({ service: s }) => {
    const users = { MANAGER: await s.manager(), ATHLETE: await s.athlete() };
    const operations = s.service.app.operations.filter(({ id }) => access[id as OperationId].roles !== null);
    expect(operations.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const scope of SCOPE_NAMES) {
      const tokens = {
        MANAGER: await s.personalToken(users.MANAGER, scope),
        ATHLETE: await s.personalToken(users.ATHLETE, scope),
      };
      for (const { id, method, path } of operations) {
        const isForManagers = access[id as OperationId].roles?.includes("MANAGER" as never);
        const token = tokens[isForManagers ? "MANAGER" : "ATHLETE"];
        const { headers } = await s.send(method, path.replace(/\{\w+\}/g, "999999999"), { token });
        const isRefused = headers.get("x-error-code") === "insufficient_scope";
        const needed = scopesOf(id as OperationId);
        const isAllowed = needed !== undefined && (needed.length === 0 || needed.includes(scope));
        if (isRefused === isAllowed) wrong.push(`${scope}: ${id}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("requires the password, because the token of the request may have been stolen", async ({
    service: s,
  }) => {
    const ann = await s.manager();
    expect(await create(s, ann, { password: undefined })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "password" }] },
    });
    expect(await create(s, ann, { password: "not the password" })).toMatchObject({
      status: 400,
      body: { code: "wrong_password", errors: [{ field: "password" }] },
    });
    expect((await s.get(PATH, ann.token)).body.results).toEqual([]);
  });

  it("cannot create accounts, although it can import a roster", async ({ service: s }) => {
    const ann = await managingManager({}, "", s);
    const squad = await s.post("/api/v2/squads/", { name: "First team" }, ann.token);
    const token = await s.personalToken(ann, "sessions:write");
    const roster = (query: string, by: string) =>
      s.send("POST", `/api/v2/squads/${squad.body.id}/roster/${query}`, {
        token: by,
        body: "player,serial\nNobody Known,\n",
        headers: { "Content-Type": "text/csv" },
      });
    expect(await roster("?create=true", token)).toMatchObject({
      status: 403,
      body: { code: "insufficient_scope" },
    });
    expect((await roster("", token)).status).toBe(400);
    expect(await roster("?create=true", ann.token)).toMatchObject({ status: 200 });
  });

  it("expires at its end time, and is then not listed", async () => {
    const s = await startService();
    const ann = await s.manager();
    const { token } = (await create(s, ann, { valid_days: 1 })).body;
    s.clock.advance(24 * HOUR_MS - 60_000);
    expect(await isValid(s, token)).toBe(true);
    s.clock.advance(61_000);
    expect(await isValid(s, token)).toBe(false);
    const again = await s.logIn(ann.username, ann.password);
    expect((await s.get(PATH, again)).body.results).toEqual([]);
  });

  it("ends when it is deleted, which only its user can do", async ({ service: s }) => {
    const [ann, bob] = [await s.manager(), await s.manager()];
    const { id, token } = (await create(s, ann)).body;
    expect((await s.send("DELETE", `${PATH}${id}/`, { token: bob.token })).status).toBe(404);
    expect((await s.send("DELETE", `${PATH}${id}/`, { token })).status).toBe(403);
    expect(await isValid(s, token)).toBe(true);
    expect((await s.send("DELETE", `${PATH}${id}/`, { token: ann.token })).status).toBe(204);
    expect(await isValid(s, token)).toBe(false);
  });

  it("ends when the password changes, but not when its user signs out", async ({ service: s }) => {
    const ann = await s.manager();
    const token = await s.personalToken(ann, "samples:read");
    expect((await s.send("DELETE", "/session/", { token: ann.token })).status).toBe(204);
    expect(await isValid(s, token)).toBe(true);
    const signedIn = await s.logIn(ann.username, ann.password);
    const changed = await s.send("PUT", `/api/v1/managers/${ann.id}/change-password/`, {
      token: signedIn,
      json: { password: "another long passphrase" },
    });
    expect(changed.status).toBeLessThan(300);
    expect(await isValid(s, token)).toBe(false);
  });

  it("is not issued for a session that ends during the request", async ({ service: s }) => {
    const ann = await s.manager();
    const { id, username } = ann;
    const ctx = {
      ...s.ctx,
      caller: { id, username, role: "MANAGER" as const, canCreateManagedAthletes: false, scopes: null },
      tokenHash: hashToken(ann.token),
      isOwnPassword: async () => true,
    };
    const body = {
      name: "Warehouse",
      scopes: ["samples:read" as const],
      password: ann.password,
      valid_days: 1,
    };
    expect((await createPersonalToken(ctx, body)).name).toBe("Warehouse");
    expect((await s.send("DELETE", "/session/", { token: ann.token })).status).toBe(204);
    await expect(createPersonalToken(ctx, body)).rejects.toThrow("invalid_token");
  });

  it("records the hour of its last use", async () => {
    const s = await startService();
    const ann = await s.manager();
    const { token, created_at } = (await create(s, ann)).body;
    const lastUse = async () => (await s.get(PATH, ann.token)).body.results[0].last_used_at;
    expect(await lastUse()).toBe(created_at);
    s.clock.advance(2 * HOUR_MS);
    const used = s.clock.now().getTime();
    await s.get("/api/v1/account/", token);
    const noted = await lastUse();
    expect(Date.parse(noted)).toBeGreaterThanOrEqual(used);
    s.clock.advance(HOUR_MS / 2);
    await s.get("/api/v1/account/", token);
    expect(await lastUse()).toBe(noted);
  });

  it("requires a name, known scopes and an end within a year", async ({ service: s }) => {
    const ann = await s.manager();
    for (const [changes, field] of [
      [{ name: "" }, "name"],
      [{ scopes: [] }, "scopes"],
      [{ scopes: ["samples:read", "samples:read"] }, "scopes"],
      [{ scopes: ["all"] }, "scopes.0"],
      [{ valid_days: 0 }, "valid_days"],
      [{ valid_days: 367 }, "valid_days"],
      [{ valid_days: 1.5 }, "valid_days"],
    ] as const) {
      const { status, body } = await create(s, ann, changes);
      expect([status, body.errors[0].field]).toEqual([400, field]);
    }
  });

  it("counts towards a quota, and the operator can disable all tokens", async () => {
    // Use a separate database, because other tests need the application of all tokens.
    const s = await TestService.start(await newStore(), { quotaTokens: 1 });
    const ann = await s.manager();
    const { token } = (await create(s, ann)).body;
    expect(await create(s, ann)).toMatchObject({ status: 409, body: { code: "quota_exceeded" } });
    await revokeApplication(s.ctx, "asi-token");
    expect(await isValid(s, token)).toBe(false);
    expect((await create(s, ann)).status).toBe(410);
    expect(await isValid(s, ann.token)).toBe(true);
  });
});
