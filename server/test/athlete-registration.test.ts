import { eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { decrypt } from "../src/domain/secrets/encryption.js";
import { permissions } from "../src/store/schema.js";
import { email, PNG, unique, withAthletes } from "./athlete-scene.js";
import type { TestAccount } from "./service.js";

const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const it = withAthletes();

describe("registering athletes", () => {
  it("is open to anyone, who can then log in", async ({ athletes: { s, lastAudit } }) => {
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

  it("emails the credentials, with the password only if it was generated, and encrypts the password until then", async ({
    athletes: { s, mailsTo },
  }) => {
    const [given, generated] = [unique(), unique()];
    await s.post("/api/v1/athletes/", { username: given, email, password: "correct horse" });
    expect((await mailsTo(given))[0]?.payload).toMatchObject({ to: email, sealedPassword: null });
    await s.post("/api/v1/athletes/", { username: generated, email });
    const [mail] = await mailsTo(generated);
    const password = decrypt(s.store.serverKey, String(mail?.payload.sealedPassword));
    expect(password).toHaveLength(20);
    expect(await s.logIn(generated, password)).toBeTruthy();
  });

  it("refuses missing, invalid and already used fields individually", async ({ athletes: { s, bob } }) => {
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

  it.for([
    ["weight", [0.1, 500], [0, -1, 500.1, "80", Number.MAX_VALUE]],
    ["height", [0.01, 3], [0, 3.1, 182, "1"]],
    ["gender", ["M", "F", "X", null], ["m", "", "MALE", 1]],
    ["nationality", ["", "Österreich", "x".repeat(100), null], ["x".repeat(101), 5, "a\u0000b"]],
    [
      "birth_date",
      ["1900-01-01", "1900-02-28", dayFromNow(0), null],
      ["1899-12-31", "1200-05-01", "1900-02-29", dayFromNow(2), "2090-01-01", "01-01-1990", 0],
    ],
    ["profile_picture", [PNG, PNG.replaceAll("=", ""), null], ["", "!", PNG.slice(8), "AAAA"]],
  ] as const)("%s has its documented values", async ([field, good, bad], { athletes: { s } }) => {
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

  it("also accepts JPEG and WebP pictures of up to 2 MiB", async ({ athletes: { s } }) => {
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

  it("is open to a manager with the right to create managed athletes, and grants READ, WRITE and SHARE to that manager", async ({
    athletes: { s, ann },
  }) => {
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

  it("is refused to other managers, and to managers who register athletes for another manager", async ({
    athletes: { s, bob, eve, ann },
  }) => {
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
