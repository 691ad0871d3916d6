import { beforeAll, describe, expect, it } from "vitest";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  s = await service();
  [ann, bob] = await Promise.all([
    s.manager({
      external_id: `ext-${Math.random()}`,
      manager_profile: { first_name: "Ann", last_name: "Ash" },
    }),
    s.manager(),
  ]);
});

const email = "someone@example.org";
const unique = () => `user-${Math.random().toString(36).slice(2)}`;

describe("the account operation", () => {
  it("returns the profile and extra permissions of a manager", async () => {
    const { status, body } = await s.get("/api/v1/account/", ann.token);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: ann.id,
      username: ann.username,
      role: "MANAGER",
      extra_permissions: [],
      manager_profile: { first_name: "Ann", last_name: "Ash" },
    });
    expect(body).not.toHaveProperty("password");
  });

  it("returns the profile of an athlete", async () => {
    const athlete = await s.athlete();
    const { body } = await s.get("/api/v1/account/", athlete.token);
    expect(body).toMatchObject({
      id: athlete.id,
      role: "ATHLETE",
      managed_by: null,
      is_default_athlete: false,
    });
    expect(body.athlete_profile.weight).toBeNull();
  });
});

describe("registration", () => {
  it("creates a manager and never returns the password", async () => {
    const username = unique();
    const { status, body } = await s.post("/api/v1/managers/", {
      username,
      email,
      password: "correct horse",
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      username,
      external_id: null,
      email,
      manager_profile: { id: expect.any(Number), first_name: null, last_name: null },
    });
    expect(await s.logIn(username, "correct horse")).toBeTruthy();
  });

  it("creates a default athlete on request, and does not return it", async () => {
    const owner = await s.manager(
      {
        athlete_profile: {
          first_name: "Ann",
          weight: 61.5,
          height: 1.7,
          birth_date: "1990-02-28",
          gender: "F",
        },
      },
      "?create_default_athlete=True",
    );
    const { accounts } = await import("../src/store/schema.js");
    const { eq } = await import("drizzle-orm");
    const [athlete] = await s.store.database.queries
      .select()
      .from(accounts)
      .where(eq(accounts.managedBy, owner.id));
    expect(athlete).toMatchObject({
      isDefaultAthlete: true,
      email: "",
      firstName: "Ann",
      weightKg: 61.5,
      birthDate: "1990-02-28",
    });
    expect(athlete?.username).toMatch(/^MANAGED-[0-9a-f-]{36}$/);
    expect(athlete?.passwordHash).toBeNull();
  });

  it("adds the default athlete to a later page of the lists, and grants all permissions to the manager", async () => {
    const username = unique();
    const { status, body } = await s.post("/api/v1/managers/?create_default_athlete=true", {
      username,
      email,
      password: "correct horse",
      athlete_profile: { first_name: "Ann" },
    });
    expect([status, Object.keys(body).sort()]).toEqual([
      201,
      ["email", "external_id", "id", "manager_profile", "username"],
    ]);
    const token = await s.logIn(username, "correct horse");
    const of = async (manager: number, by: string) =>
      (await s.get(`/api/v1/athletes/?managed_by=${manager}`, by)).body.results;
    const athletes = await of(body.id, token);
    expect(athletes).toMatchObject([{ is_default_athlete: true, managed_by: body.id, email: "" }]);
    const { permissions } = await import("../src/store/schema.js");
    const { eq } = await import("drizzle-orm");
    const given = await s.store.database.queries
      .select()
      .from(permissions)
      .where(eq(permissions.athleteId, athletes[0].id));
    expect(given.map(({ permission, managerId }) => [permission, managerId]).sort()).toEqual([
      ["READ", body.id],
      ["SHARE", body.id],
      ["WRITE", body.id],
    ]);
    // A manager who is registered without a default athlete has none.
    expect(await of(ann.id, ann.token)).toEqual([]);
  });

  it("refuses missing, invalid and already used fields individually", async () => {
    const missing = await s.post("/api/v1/managers/", {});
    expect(missing.status).toBe(400);
    expect(missing.body).toEqual({
      username: ["This field is required."],
      email: ["This field is required."],
    });

    const wrong = await s.post("/api/v1/managers/?create_default_athlete=perhaps", {
      username: "a\u0007b",
      email: "not an address",
      password: "short",
      athlete_profile: { gender: "Q", weight: 900, birth_date: "1990-02-30", profile_picture: "AAAA" },
    });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toHaveProperty("create_default_athlete");

    const taken = await s.post("/api/v1/managers/", { username: ann.username.toUpperCase(), email });
    expect(taken.status).toBe(400);
    expect(taken.body).toHaveProperty("username");

    const common = await s.post("/api/v1/managers/", { username: unique(), email, password: "Password123" });
    expect(common.body).toHaveProperty("password");
  });

  it("reports an invalid token", async () => {
    const { status, headers } = await s.get("/api/v1/account/", "wrong");
    expect(status).toBe(403);
    expect(headers.get("www-authenticate")).toBe('Bearer realm="api", error="invalid_token"');
  });
});

describe("managers", () => {
  it("can find themselves by external id, with a deprecated operation that reports its deprecation", async () => {
    const { body: me } = await s.get("/api/v1/account/", ann.token);
    const path = `/api/v1/managers/by-external-id/?external-id=${encodeURIComponent(me.external_id)}`;
    const { status, body, headers } = await s.get(path, ann.token);
    expect([status, body.id]).toEqual([200, ann.id]);
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect((await s.get(path, bob.token)).status).toBe(403);
    expect((await s.get("/api/v1/managers/by-external-id/?external-id=none", ann.token)).status).toBe(404);
    expect((await s.get("/api/v1/managers/by-external-id/?external-id=", ann.token)).body).toEqual({
      "external-id": ["This field is required."],
    });
  });

  it("are visible only to themselves", async () => {
    expect((await s.get(`/api/v1/managers/${ann.id}/`, ann.token)).body.username).toBe(ann.username);
    expect((await s.get(`/api/v1/managers/${ann.id}/`, bob.token)).status).toBe(403);
    expect((await s.get("/api/v1/managers/999999999/", ann.token)).status).toBe(404);
    expect((await s.get("/api/v1/managers/0/", ann.token)).status).toBe(404);
    expect((await s.get("/api/v1/managers/99999999999999999999/", ann.token)).status).toBe(404);
    const athlete = await s.athlete();
    expect((await s.get(`/api/v1/managers/${athlete.id}/`, ann.token)).status).toBe(404);
  });

  it("are replaced by PUT, which requires all required fields, and changed by PATCH; both return 201", async () => {
    const carl = await s.manager({ manager_profile: { first_name: "Carl" } });
    const path = `/api/v1/managers/${carl.id}/`;
    const patched = await s.send("PATCH", path, {
      token: carl.token,
      json: { manager_profile: { last_name: "Cox" } },
    });
    expect(patched.status).toBe(201);
    expect(patched.body.manager_profile).toMatchObject({ first_name: "Carl", last_name: "Cox" });
    const incomplete = await s.send("PUT", path, { token: carl.token, json: { email } });
    expect(incomplete.body).toEqual({ username: ["This field is required."] });
    const replaced = await s.send("PUT", path, {
      token: carl.token,
      json: { username: carl.username, email },
    });
    expect(replaced.status).toBe(201);
    expect(replaced.body).toMatchObject({ email, manager_profile: { first_name: "Carl", last_name: "Cox" } });
    expect(await s.logIn(carl.username, carl.password)).toBeTruthy();
  });

  it("are updated only if If-Match names the current version", async () => {
    const path = `/api/v1/managers/${bob.id}/`;
    const { headers } = await s.get(path, bob.token);
    const etag = headers.get("etag") ?? "";
    expect((await s.get(path, bob.token, { "If-None-Match": etag })).status).toBe(304);
    const change = (name: string) =>
      s.send("PATCH", path, {
        token: bob.token,
        json: { manager_profile: { first_name: name } },
        headers: { "If-Match": etag },
      });
    expect((await change("Bob")).status).toBe(201);
    const late = await change("Robert");
    expect(late.status).toBe(412);
    expect((await s.get(path, bob.token)).body.manager_profile.first_name).toBe("Bob");
  });

  it("lose all sessions when the password changes", async () => {
    const dora = await s.manager();
    const path = `/api/v1/managers/${dora.id}/change-password/`;
    expect((await s.send("PUT", path, { token: dora.token, json: {} })).body).toHaveProperty("password");
    const { status, body } = await s.send("POST", path, {
      token: dora.token,
      json: { password: "a new passphrase" },
    });
    expect([status, body]).toEqual([204, ""]);
    expect((await s.get("/api/v1/account/", dora.token)).status).toBe(403);
    await expect(s.logIn(dora.username, dora.password)).rejects.toThrow("invalid_grant");
    expect(await s.logIn(dora.username, "a new passphrase")).toBeTruthy();
  });
});
