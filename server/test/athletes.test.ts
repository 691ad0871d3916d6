import { randomUUID } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { decrypt } from "../src/domain/encryption.js";
import {
  accounts,
  activities,
  auditLog,
  computedData,
  jobs,
  jsonSchemas,
  permissions,
  timeframes,
} from "../src/store/schema.js";
import { managingManager } from "./people.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;
/** May create managed athletes. */
let ann: TestAccount;
let bob: TestAccount;
let eve: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await managingManager();
  [bob, eve] = await Promise.all([s.manager(), s.athlete()]);
});

const email = "someone@example.org";
const unique = () => `athlete-${randomUUID()}`;

/** The smallest PNG: one transparent pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const managed = async (by: TestAccount, more: Record<string, unknown> = {}) => {
  const { status, body } = await s.post(
    "/api/v1/athletes/create-managed/",
    { managed_by: by.id, ...more },
    by.token,
  );
  if (status !== 201) throw new Error(`Not created: ${status} ${JSON.stringify(body)}`);
  return body as { id: number; username: string };
};

const grant = (athlete: TestAccount, manager: TestAccount, permission: string, start: string, end: string) =>
  s.post(
    `/api/v1/athletes/${athlete.id}/managers/${manager.id}/permissions/`,
    { start_time: start, expiration_time: end, permission },
    athlete.token,
  );

const mailsTo = (username: string) =>
  s.store.database.queries
    .select()
    .from(jobs)
    .where(and(eq(jobs.kind, "mail"), sql`${jobs.payload}->>'username' = ${username}`));

const lastAudit = async (id: number) =>
  (
    await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "account"), eq(auditLog.entityId, id)))
      .orderBy(desc(auditLog.id))
      .limit(1)
  )[0];

describe("listing athletes", () => {
  let carl: TestAccount;
  const ids = new Map<string, number>();
  const names = (body: { results: { id: number }[] }) =>
    body.results.map(({ id }) => [...ids].find(([, known]) => known === id)?.[0] ?? "default");
  const list = async (query: string) => {
    const { status, body } = await s.get(`/api/v1/athletes/?${query}`, carl.token);
    expect(status).toBe(200);
    return names(body);
  };

  beforeAll(async () => {
    carl = await managingManager({}, "?create_default_athlete=true");
    const people = {
      zoe: { first_name: "Zoë", last_name: "Ash", gender: "F", birth_date: "1990-01-01" },
      adam: { first_name: "adam", last_name: "Zorn", gender: "M", birth_date: "1985-05-05" },
      bea: { first_name: "Bea", last_name: "100%", gender: "F", birth_date: null },
    };
    for (const [name, athlete_profile] of Object.entries(people)) {
      const { id } = await managed(carl, { external_id: `${name}_${carl.id}`, athlete_profile });
      ids.set(name, id);
    }
    const uma = await s.athlete();
    ids.set("uma", uma.id);
    await grant(uma, carl, "READ", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
  });

  it("row 26: shows those with READ now, and by paging the manager's default athlete", async () => {
    expect(await list("")).toEqual(["default", "zoe", "adam", "bea", "uma"]);
    const found = [];
    for (let page: number | null = 1; page !== null; ) {
      const { body } = await s.get(
        `/api/v1/athletes/?managed_by=${carl.id}&limit=2&page=${page}`,
        carl.token,
      );
      found.push(...body.results);
      page = body.next;
    }
    expect(found).toHaveLength(4);
    expect(found.filter(({ is_default_athlete }) => is_default_athlete)).toEqual([
      expect.objectContaining({ managed_by: carl.id, email: "", external_id: null }),
    ]);
    expect((await s.get("/api/v1/athletes/", bob.token)).body).toMatchObject({ count: 0, results: [] });
    expect((await s.get("/api/v1/athletes/", eve.token)).status).toBe(403);
    expect((await s.get("/api/v1/athletes/")).status).toBe(403);
  });

  it("row 26: neither WRITE, nor READ that is over or has not begun, lists an athlete", async () => {
    const [dora, fay] = await Promise.all([s.manager(), s.athlete()]);
    await grant(fay, dora, "WRITE", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    await grant(fay, dora, "READ", "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z");
    await grant(fay, dora, "READ", "2998-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    expect((await s.get("/api/v1/athletes/", dora.token)).body.count).toBe(0);
    await grant(fay, dora, "READ", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    await grant(fay, dora, "READ", "2021-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    expect((await s.get("/api/v1/athletes/", dora.token)).body.count).toBe(1);
  });

  it("row 26: filters", async () => {
    expect(await list("username=managed-")).toEqual(["default", "zoe", "adam", "bea"]);
    expect(await list("email=@EXAMPLE")).toEqual(["uma"]);
    expect(await list("external_id=ZOE_")).toEqual(["zoe"]);
    expect(await list("first_name=AD")).toEqual(["adam"]);
    expect(await list("last_name=%25")).toEqual(["bea"]);
    expect(await list("gender=f")).toEqual(["zoe", "bea"]);
    expect(await list("gender=FX")).toEqual([]);
    expect(await list("is_managed=False")).toEqual(["uma"]);
    expect(await list("is_managed=1&first_name=b")).toEqual(["bea"]);
    expect(await list("birthdate_from=1985-05-05&birthdate_to=1990-01-01")).toEqual(["zoe", "adam"]);
    expect(await list("birthdate_from=1985-05-06")).toEqual(["zoe"]);
    expect(await list(`managed_by=${bob.id}`)).toEqual([]);
    const wrong = await s.get(
      "/api/v1/athletes/?managed_by=me&is_managed=perhaps&birthdate_from=1990-02-30&birthdate_to=x",
      carl.token,
    );
    expect(wrong.status).toBe(400);
    expect(Object.keys(wrong.body).sort()).toEqual([
      "birthdate_from",
      "birthdate_to",
      "is_managed",
      "managed_by",
    ]);
  });

  it("row 26: searches and orders, nulls last in both directions", async () => {
    expect(await list("search=ash")).toEqual(["zoe"]);
    // Usernames made at random hold any letters from a to f.
    expect(await list(`search=0%25,_${carl.id}`)).toEqual(["bea"]);
    expect(await list("search=bea zorn")).toEqual([]);
    expect(await list("is_managed=1&ordering=first_name")).toEqual(["adam", "bea", "zoe", "default"]);
    expect(await list("ordering=birthdate")).toEqual(["adam", "zoe", "default", "bea", "uma"]);
    expect(await list("ordering=-birthdate")).toEqual(["zoe", "adam", "default", "bea", "uma"]);
    expect(await list("ordering=-gender,last_name")).toEqual(["adam", "bea", "zoe", "default", "uma"]);
    expect((await list("ordering=-managed_by,-external_id")).slice(0, 3)).toEqual(["zoe", "bea", "adam"]);
    expect((await list("ordering=-email"))[0]).toBe("uma");
    expect(await list("ordering=password_hash")).toEqual(["default", "zoe", "adam", "bea", "uma"]);
    expect((await s.get("/api/v1/athletes/?page=9", carl.token)).body).toEqual({ detail: "Invalid page." });
  });
});

describe("registering athletes", () => {
  it("row 27: anyone registers as an athlete, who can then log in", async () => {
    const username = unique();
    const athlete_profile = {
      external_id: "p-1",
      first_name: "Fay",
      last_name: "Fox",
      gender: "X",
      weight: 61.25,
      height: 1.7,
      birth_date: "2001-02-28",
      nationality: "Côte d'Ivoire",
      profile_picture: PNG,
    };
    const external_id = unique();
    const { status, body, headers } = await s.post("/api/v1/athletes/", {
      username,
      email,
      external_id,
      password: "correct horse",
      athlete_profile,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      username,
      external_id,
      email,
      managed_by: null,
      is_default_athlete: false,
      athlete_profile: { id: expect.any(Number), ...athlete_profile },
    });
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect(await lastAudit(body.id)).toMatchObject({
      operation: "createAthlete",
      before: null,
      after: { username, passwordHash: "***", profilePicture: "***" },
    });
    const token = await s.logIn(username, "correct horse");
    expect((await s.get("/api/v1/account/", token)).body).toMatchObject({ id: body.id, role: "ATHLETE" });
  });

  it("row 27: mails the credentials; a password only when it was generated, and encrypted until then", async () => {
    const [given, generated] = [unique(), unique()];
    await s.post("/api/v1/athletes/", { username: given, email, password: "correct horse" });
    expect((await mailsTo(given))[0]?.payload).toMatchObject({ to: email, sealedPassword: null });
    await s.post("/api/v1/athletes/", { username: generated, email });
    const [mail] = await mailsTo(generated);
    const password = decrypt(s.store.serverKey, String(mail?.payload.sealedPassword));
    expect(password).toHaveLength(20);
    expect(await s.logIn(generated, password)).toBeTruthy();
  });

  it("row 27: refuses what is missing, wrong or taken, field by field", async () => {
    expect((await s.post("/api/v1/athletes/", {})).body).toEqual({
      username: ["This field is required."],
      email: ["This field is required."],
    });
    const profile = {
      gender: "W",
      weight: 0,
      height: 3.01,
      birth_date: "1990-02-30",
      nationality: "x".repeat(101),
      profile_picture: Buffer.from("GIF89a, no picture of ours").toString("base64"),
      first_name: 7,
    };
    const wrong = await s.post("/api/v1/athletes/", {
      username: unique(),
      email: "no address",
      password: "short",
      athlete_profile: profile,
    });
    expect(wrong.status).toBe(400);
    expect(Object.keys(wrong.body).sort()).toEqual(["athlete_profile", "email", "password"]);
    expect(Object.keys(wrong.body.athlete_profile).sort()).toEqual(Object.keys(profile).sort());
    expect(
      (await s.post("/api/v1/athletes/", { username: bob.username.toUpperCase(), email })).body,
    ).toHaveProperty("username");
    const external_id = unique();
    expect((await s.post("/api/v1/athletes/", { username: unique(), email, external_id })).status).toBe(201);
    const again = await s.post("/api/v1/athletes/", { username: unique(), email, external_id });
    expect([again.status, Object.keys(again.body)]).toEqual([400, ["external_id"]]);
    const manager = await s.post("/api/v1/managers/", { username: unique(), email, external_id });
    expect(manager.status).toBe(201);
  });

  it.each([
    ["weight", [0.1, 500], [0, -1, 500.1, "80", Number.MAX_VALUE]],
    ["height", [0.01, 3], [0, 3.1, "1"]],
    ["gender", ["M", "F", "X", null], ["m", "", "MALE", 1]],
    ["nationality", ["", "Österreich", "x".repeat(100), null], ["x".repeat(101), 5, "a\u0000b"]],
    ["birth_date", ["1900-02-28", null], ["1900-02-29", "01-01-1990", 0]],
    ["profile_picture", [PNG, PNG.replaceAll("=", ""), null], ["", "!", PNG.slice(8), "AAAA"]],
  ])("row 27: %s has the settled values", async (field, good, bad) => {
    const create = (value: unknown) =>
      s.post("/api/v1/athletes/", {
        username: unique(),
        email,
        password: "correct horse",
        athlete_profile: { [field]: value },
      });
    for (const value of good) {
      const { status, body } = await create(value);
      expect([value, status, body.athlete_profile?.[field]]).toEqual([value, 201, value]);
    }
    for (const value of bad) expect([value, (await create(value)).status]).toEqual([value, 400]);
  });

  it("row 27: takes pictures of JPEG and WebP too, up to 2 MiB and no larger", async () => {
    const create = (bytes: Buffer) =>
      s.post("/api/v1/athletes/", {
        username: unique(),
        email,
        password: "correct horse",
        athlete_profile: { profile_picture: bytes.toString("base64") },
      });
    const jpeg = Buffer.alloc(2 * 1024 * 1024);
    jpeg.set([0xff, 0xd8, 0xff, 0xe0]);
    const webp = Buffer.from("RIFF\x00\x00\x00\x00WEBPVP8 ", "latin1");
    expect((await create(jpeg)).status).toBe(201);
    expect((await create(webp)).status).toBe(201);
    const larger = await create(Buffer.concat([jpeg, Buffer.alloc(1)]));
    expect([larger.status, Object.keys(larger.body.athlete_profile)]).toEqual([400, ["profile_picture"]]);
    expect((await create(Buffer.alloc(4 * 1024 * 1024))).status).toBe(413);
  });

  it("row 28: a manager with the right creates managed athletes, and gets READ, WRITE and SHARE", async () => {
    const external_id = unique();
    const { status, body, headers } = await s.post(
      "/api/v1/athletes/create-managed/",
      { managed_by: ann.id, external_id, athlete_profile: { first_name: "Max" }, username: "ignored" },
      ann.token,
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ external_id, email: "", managed_by: ann.id, is_default_athlete: false });
    expect(body.username).toMatch(/^MANAGED-[0-9a-f-]{36}$/);
    expect(headers.get("deprecation")).toBe("@1704067200");
    const rows = await s.store.database.queries
      .select()
      .from(permissions)
      .where(eq(permissions.athleteId, body.id))
      .orderBy(permissions.id);
    expect(
      rows.map(({ permission, managerId, startTime, expirationTime }) => [
        permission,
        managerId,
        startTime.toISOString(),
        expirationTime.toISOString(),
      ]),
    ).toEqual(
      ["READ", "WRITE", "SHARE"].map((permission) => [
        permission,
        ann.id,
        "1970-01-01T00:00:00.000Z",
        "2199-12-31T23:59:59.999Z",
      ]),
    );
    expect((await s.get(`/api/v1/athletes/?external_id=${external_id}`, ann.token)).body.count).toBe(1);
    await expect(s.logIn(body.username, "")).rejects.toThrow("400");
  });

  it("row 28: not for other managers, nor for another manager's athletes", async () => {
    const create = (json: unknown, { token }: TestAccount) =>
      s.post("/api/v1/athletes/create-managed/", json, token);
    expect((await create({ managed_by: bob.id }, bob)).status).toBe(403);
    expect((await create({ managed_by: eve.id }, eve)).status).toBe(403);
    expect((await create({ managed_by: bob.id }, ann)).status).toBe(403);
    expect((await create({}, ann)).body).toEqual({ managed_by: ["This field is required."] });
    for (const managed_by of [null, "1", 0, 1.5]) {
      expect((await create({ managed_by }, ann)).status).toBe(400);
    }
    expect((await s.get("/api/v1/account/", ann.token)).body.extra_permissions).toEqual([
      "can_create_managed_athletes",
    ]);
    expect((await s.get("/api/v1/account/", bob.token)).body.extra_permissions).toEqual([]);
  });
});

describe("one athlete", () => {
  it("row 29: is found by external id by those who may read it, and by itself", async () => {
    const external_id = `ü ${unique()}`;
    await managed(ann, { external_id });
    const find = (id: string, token?: string) =>
      s.get(`/api/v1/athletes/by-external-id/?external-id=${encodeURIComponent(id)}`, token);
    const { status, body, headers } = await find(external_id, ann.token);
    expect([status, body.external_id]).toEqual([200, external_id]);
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect((await find(external_id, bob.token)).status).toBe(403);
    expect((await find(external_id, eve.token)).status).toBe(403);
    expect((await find("none", ann.token)).status).toBe(404);
    expect((await find("", ann.token)).body).toEqual({ "external-id": ["This field is required."] });
    expect((await find("\u0000", ann.token)).status).toBe(400);
    const mine = unique();
    await s.send("PATCH", `/api/v1/athletes/${eve.id}/`, { token: eve.token, json: { external_id: mine } });
    expect((await find(mine, eve.token)).body.id).toBe(eve.id);
  });

  it("row 30: is shown to itself and to those with READ now; the list's filters apply", async () => {
    const fay = await s.athlete();
    const path = `/api/v1/athletes/${fay.id}/`;
    const own = await s.get(path, fay.token);
    expect([own.status, own.body.username]).toEqual([200, fay.username]);
    expect((await s.get(path, fay.token, { "If-None-Match": own.headers.get("etag") ?? "" })).status).toBe(
      304,
    );
    expect((await s.get(`${path}?is_managed=true`, fay.token)).status).toBe(404);
    expect((await s.get(`${path}?birthdate_to=x`, fay.token)).status).toBe(400);
    expect((await s.get(path, bob.token)).status).toBe(403);
    expect((await s.get(path, eve.token)).status).toBe(403);
    await grant(fay, bob, "WRITE", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    expect((await s.get(path, bob.token)).status).toBe(403);
    await grant(fay, bob, "READ", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    expect((await s.get(path, bob.token)).body).toEqual(own.body);
    expect((await s.get(`/api/v1/athletes/${bob.id}/`, bob.token)).status).toBe(404);
    expect((await s.get("/api/v1/athletes/999999999/", bob.token)).status).toBe(404);
  });

  it("row 31: updates itself; PUT needs the required fields, PATCH changes what is sent; both answer 201", async () => {
    const fay = await s.athlete();
    const path = `/api/v1/athletes/${fay.id}/`;
    const send = (method: string, json: unknown, query = "") =>
      s.send(method, path + query, { token: fay.token, json });
    const patched = await send("PATCH", { athlete_profile: { first_name: "Fay", weight: 60 } });
    expect(patched.status).toBe(201);
    expect(patched.headers.get("deprecation")).toBe("@1704067200");
    await send("PATCH", { athlete_profile: { last_name: "Fox" }, external_id: unique() });
    const { body } = await s.get(path, fay.token);
    expect(body.athlete_profile).toMatchObject({ first_name: "Fay", last_name: "Fox", weight: 60 });
    expect((await send("PUT", body)).body).toEqual(body);
    expect((await send("PUT", { email })).body).toEqual({ username: ["This field is required."] });
    const replaced = await send("PUT", {
      username: fay.username,
      email,
      athlete_profile: { height: 1.8 },
    });
    expect(replaced.status).toBe(201);
    expect(replaced.body).toMatchObject({
      external_id: body.external_id,
      email,
      athlete_profile: { height: 1.8, first_name: "Fay", weight: 60 },
    });
    expect((await send("PATCH", {}, "?gender=M")).status).toBe(404);
    expect((await send("PATCH", { username: bob.username })).body).toHaveProperty("username");
    expect((await s.send("PATCH", path, { token: eve.token, json: {} })).status).toBe(403);
    expect((await s.send("PATCH", path, { token: bob.token, json: {} })).status).toBe(403);
    expect(await s.logIn(fay.username, fay.password)).toBeTruthy();
  });

  it("row 31: a new password ends every session; If-Match names the version", async () => {
    const fay = await s.athlete();
    const path = `/api/v1/athletes/${fay.id}/`;
    const etag = (await s.get(path, fay.token)).headers.get("etag") ?? "";
    const change = (json: unknown) =>
      s.send("PATCH", path, { token: fay.token, json, headers: { "If-Match": etag } });
    expect((await change({ password: fay.username })).body).toHaveProperty("password");
    expect((await change({ athlete_profile: { first_name: "F" } })).status).toBe(201);
    expect((await change({ athlete_profile: { first_name: "G" } })).status).toBe(412);
    const json = { password: "another passphrase" };
    expect((await s.send("PATCH", path, { token: fay.token, json })).status).toBe(201);
    expect((await s.get(path, fay.token)).status).toBe(403);
    expect(await s.logIn(fay.username, "another passphrase")).toBeTruthy();
  });

  it("row 35: changes its password, and no one else does", async () => {
    const fay = await s.athlete();
    const path = `/api/v1/athletes/${fay.id}/change-password/`;
    const send = (method: string, token: string, json: unknown) => s.send(method, path, { token, json });
    expect((await send("PUT", fay.token, {})).body).toHaveProperty("password");
    expect((await send("PUT", eve.token, { password: "a new passphrase" })).status).toBe(403);
    const done = await send("PATCH", fay.token, { password: "a new passphrase" });
    expect([done.status, done.body, done.headers.get("deprecation")]).toEqual([204, "", "@1704067200"]);
    expect((await s.get("/api/v1/account/", fay.token)).status).toBe(403);
    await expect(s.logIn(fay.username, fay.password)).rejects.toThrow("invalid_grant");
    const token = await s.logIn(fay.username, "a new passphrase");
    for (const method of ["PUT", "POST"]) {
      expect((await send(method, token, { password: "short" })).status).toBe(400);
    }
    const { id } = await managed(ann);
    const json = { password: "a new passphrase" };
    const byManager = await s.send("PUT", `/api/v1/athletes/${id}/change-password/`, {
      token: ann.token,
      json,
    });
    expect(byManager.status).toBe(403);
    expect(
      (await s.send("PUT", "/api/v1/athletes/999999999/change-password/", { token: eve.token, json })).status,
    ).toBe(404);
  });
});

describe("managed athletes", () => {
  it.each([
    ["its own path", "update-managed/"],
    ["the athlete's path", ""],
  ])("row 33: are updated by their manager on %s", async (_, end) => {
    const { id, username } = await managed(ann, { athlete_profile: { first_name: "Max", weight: 70 } });
    const path = `/api/v1/athletes/${id}/${end}`;
    const send = (method: string, json: unknown, by = ann, query = "") =>
      s.send(method, path + query, { token: by.token, json });
    const patched = await send("PATCH", { athlete_profile: { last_name: "May" }, username: "x", email: 3 });
    expect(patched.status).toBe(201);
    expect(patched.headers.get("deprecation")).toBe("@1704067200");
    expect(patched.body).toMatchObject({
      username,
      email: "",
      athlete_profile: { first_name: "Max", last_name: "May", weight: 70 },
    });
    expect((await send("PUT", patched.body)).body).toEqual(patched.body);
    expect((await send("PUT", { external_id: "x" })).body).toEqual({
      managed_by: ["This field is required."],
    });
    const external_id = unique();
    const replaced = await send("PUT", { managed_by: ann.id, external_id });
    expect(replaced.status).toBe(201);
    expect(replaced.body).toMatchObject({
      external_id,
      managed_by: ann.id,
      athlete_profile: { weight: 70 },
    });
    expect((await send("PUT", { managed_by: bob.id })).status).toBe(403);
    expect((await send("PATCH", { managed_by: bob.id })).status).toBe(403);
    expect((await send("PATCH", {}, ann, "?is_managed=false")).status).toBe(404);
    expect((await send("PUT", { managed_by: ann.id }, bob)).status).toBe(403);
    expect((await send("PUT", { managed_by: eve.id }, eve)).status).toBe(403);
    expect(await lastAudit(id)).toMatchObject({ operation: "updateManagedAthlete", accountId: ann.id });
  });

  it("row 33: not by a manager without the right, nor those who manage themselves", async () => {
    const carl = await managingManager();
    const { id } = await managed(carl);
    await s.store.database.queries
      .update(accounts)
      .set({ canCreateManagedAthletes: false })
      .where(eq(accounts.id, carl.id));
    for (const end of ["update-managed/", ""]) {
      const update = (of: number, by: TestAccount) =>
        s.send("PUT", `/api/v1/athletes/${of}/${end}`, { token: by.token, json: { managed_by: by.id } });
      expect((await update(id, carl)).status).toBe(403);
      expect((await update(eve.id, ann)).status).toBe(403);
      expect((await update(999999999, ann)).status).toBe(404);
    }
  });

  it.each([
    ["its own path", "delete-managed/"],
    ["the athlete's path", ""],
  ])("row 34: are deleted by their manager on %s, with or without the right to create", async (_, end) => {
    const carl = await s.manager({}, "?create_default_athlete=true");
    const [{ id }] = (await s.get("/api/v1/athletes/", carl.token)).body.results;
    const remove = (by: TestAccount, query = "") =>
      s.send("DELETE", `/api/v1/athletes/${id}/${end}${query}`, { token: by.token });
    expect((await remove(bob)).status).toBe(403);
    expect((await remove(eve)).status).toBe(403);
    expect((await remove(carl, "?is_managed=false")).status).toBe(404);
    const done = await remove(carl);
    expect([done.status, done.body, done.headers.get("deprecation")]).toEqual([204, "", "@1704067200"]);
    expect((await remove(carl)).status).toBe(404);
    expect((await s.get(`/api/v1/athletes/?managed_by=${carl.id}`, carl.token)).body.count).toBe(0);
  });
});

describe("deleting an athlete", () => {
  it("row 32: takes along permissions, tokens, time frames and their computed data", async () => {
    const fay = await s.athlete();
    const path = `/api/v1/athletes/${fay.id}/`;
    await grant(fay, bob, "READ", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    const { queries } = s.store.database;
    const device = await s.ownedDevice(bob);
    const [schema] = await queries.select().from(jsonSchemas).limit(1);
    const jsonSchemaId = schema?.id ?? 0;
    const now = new Date();
    const [activity] = await queries
      .insert(activities)
      .values({ name: "Match", json: {}, jsonSchemaId, ownerId: bob.id, createdAt: now })
      .returning();
    const frame = (athleteId: number) => ({
      startTime: now,
      endTime: new Date(now.getTime() + 1000),
      params: {},
      deviceId: device.id,
      activityId: activity?.id ?? 0,
      athleteId,
      ownerId: bob.id,
      jsonSchemaId,
      createdAt: now,
    });
    const frames = await queries
      .insert(timeframes)
      .values([frame(fay.id), frame(eve.id)])
      .returning();
    const [gone, kept] = frames.map(({ id }) => id);
    await queries.insert(computedData).values(
      [gone, kept].map((timeframeId = 0) => ({
        timeframeId,
        timeframeVersion: 1,
        dataVersion: 1,
        definitionVersion: 1,
        data: "{}",
        computedAt: now,
      })),
    );

    expect((await s.send("DELETE", path, { token: bob.token })).status).toBe(403);
    expect((await s.send("DELETE", path, { token: eve.token })).status).toBe(403);
    expect((await s.send("DELETE", `${path}?is_managed=1`, { token: fay.token })).status).toBe(404);
    const stale = { token: fay.token, headers: { "If-Match": '"other"' } };
    expect((await s.send("DELETE", path, stale)).status).toBe(412);
    const done = await s.send("DELETE", path, { token: fay.token });
    expect([done.status, done.headers.get("deprecation")]).toEqual([204, "@1704067200"]);

    expect((await s.get("/api/v1/account/", fay.token)).status).toBe(403);
    await expect(s.logIn(fay.username, fay.password)).rejects.toThrow("invalid_grant");
    expect((await s.get(path, bob.token)).status).toBe(404);
    expect(await queries.select().from(accounts).where(eq(accounts.id, fay.id))).toEqual([]);
    expect(await queries.select().from(permissions).where(eq(permissions.athleteId, fay.id))).toEqual([]);
    const left = await queries
      .select({ id: timeframes.id, computed: computedData.timeframeId })
      .from(timeframes)
      .innerJoin(computedData, eq(computedData.timeframeId, timeframes.id))
      .where(eq(timeframes.activityId, activity?.id ?? 0));
    expect(left).toEqual([{ id: kept, computed: kept }]);
    expect(
      await queries
        .select()
        .from(computedData)
        .where(eq(computedData.timeframeId, gone ?? 0)),
    ).toEqual([]);
    expect(await lastAudit(fay.id)).toMatchObject({
      operation: "deleteAthlete",
      accountId: fay.id,
      before: null,
      after: null,
    });
  });
});
