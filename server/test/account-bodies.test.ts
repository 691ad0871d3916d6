/** Tests absent, null, empty and unchanged members in bodies for managers and athletes. */
import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { accounts } from "../src/store/schema.js";
import { managingManager } from "./people.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const email = "someone@example.org";
const unique = () => `u-${randomUUID()}`;
const PNG = Buffer.from("\x89PNG\r\n\x1a\nan image", "latin1").toString("base64");

/** A manager and an athlete with logins and all optional fields. */
const people = {
  async manager() {
    const account = await s.manager({
      external_id: unique(),
      manager_profile: { first_name: "Ann", last_name: "Ash" },
    });
    return { account, path: `/api/v1/managers/${account.id}/` };
  },
  async athlete() {
    const account = await s.athlete();
    const path = `/api/v1/athletes/${account.id}/`;
    const { status } = await s.send("PATCH", path, {
      token: account.token,
      json: {
        external_id: unique(),
        athlete_profile: {
          external_id: "shirt 7",
          first_name: "Fay",
          last_name: "Fox",
          gender: "F",
          weight: 60,
          height: 1.7,
          birth_date: "1990-12-31",
          nationality: "Norway",
          profile_picture: PNG,
        },
      },
    });
    expect(status).toBe(201);
    return { account, path };
  },
};

const put = (path: string, { token }: TestAccount, json: unknown) => s.send("PUT", path, { token, json });

describe.each(["manager", "athlete"] as const)("PUT of a %s", (kind) => {
  const profile = `${kind}_profile`;

  it("keeps the optional fields that the body omits", async () => {
    const { account, path } = await people[kind]();
    const { body: before } = await s.get(path, account.token);
    const { status, body } = await put(path, account, { username: account.username, email });
    expect([status, body]).toEqual([201, { ...before, email }]);
    const named = await put(path, account, {
      username: account.username,
      email,
      [profile]: { last_name: null },
    });
    expect(named.body[profile]).toEqual({ ...before[profile], last_name: null });
  });

  it("treats null for a profile or a password, and an empty external_id, as omitted", async () => {
    const { account, path } = await people[kind]();
    const { body: before } = await s.get(path, account.token);
    for (const method of ["PUT", "PATCH"]) {
      const { status, body } = await s.send(method, path, {
        token: account.token,
        json: {
          username: account.username,
          email: before.email,
          external_id: "",
          password: null,
          [profile]: null,
        },
      });
      expect([method, status, body]).toEqual([method, 201, before]);
    }
    expect((await s.get(path, account.token)).status).toBe(200);
    const cleared = await s.send("PATCH", path, { token: account.token, json: { external_id: null } });
    expect(cleared.body.external_id).toBeNull();
  });

  it("with an unchanged password changes nothing and ends no session", async () => {
    const { account, path } = await people[kind]();
    const hashOf = async () => {
      const [row] = await s.store.database.queries.select().from(accounts).where(eq(accounts.id, account.id));
      return row?.passwordHash;
    };
    const before = await hashOf();
    for (const method of ["PUT", "PATCH"]) {
      const json = { username: account.username, email, password: account.password };
      const { status } = await s.send(method, path, { token: account.token, json });
      expect([method, status]).toEqual([method, 201]);
      expect((await s.get(path, account.token)).status).toBe(200);
    }
    expect(await hashOf()).toBe(before);
    const changed = await put(path, account, {
      username: account.username,
      email,
      password: "another passphrase",
    });
    expect(changed.status).toBe(201);
    expect((await s.get(path, account.token)).status).toBe(403);
  });

  it("refuses an unchanged password that equals the new username", async () => {
    const { account, path } = await people[kind]();
    const { status, body } = await put(path, account, {
      username: account.password,
      email,
      password: account.password,
    });
    expect([status, Object.keys(body)]).toEqual([400, ["password"]]);
  });
});

describe("a registration request", () => {
  it.each([
    ["/api/v1/managers/", { manager_profile: null, athlete_profile: null }],
    ["/api/v1/managers/?create_default_athlete=true", { athlete_profile: null }],
    ["/api/v1/athletes/", { athlete_profile: null }],
  ])(
    "to %s treats null for optional fields, and an empty external_id, as omitted",
    async (path, profiles) => {
      for (let times = 0; times < 2; times++) {
        const { status, body } = await s.post(path, {
          username: unique(),
          email,
          password: null,
          external_id: "",
          ...profiles,
        });
        expect([status, body.external_id]).toEqual([201, null]);
      }
    },
  );
});

describe("managed athletes", () => {
  it("keep the optional fields that the body of a PUT omits", async () => {
    const ann = await managingManager();
    const { body: before } = await s.post(
      "/api/v1/athletes/create-managed/",
      { managed_by: ann.id, external_id: unique(), athlete_profile: { first_name: "Max", weight: 70 } },
      ann.token,
    );
    for (const end of ["update-managed/", ""]) {
      const json = { managed_by: ann.id, athlete_profile: null, external_id: "" };
      const { status, body } = await put(`/api/v1/athletes/${before.id}/${end}`, ann, json);
      expect([status, body]).toEqual([201, before]);
    }
  });

  it("can be updated by the manager of a default athlete, who needs no additional right", async () => {
    const carl = await s.manager({}, "?create_default_athlete=true");
    const { body: found } = await s.get(`/api/v1/athletes/?managed_by=${carl.id}`, carl.token);
    const [{ id }] = found.results;
    for (const end of ["update-managed/", ""]) {
      const { status, body } = await put(`/api/v1/athletes/${id}/${end}`, carl, {
        managed_by: carl.id,
        athlete_profile: { weight: 70 },
      });
      expect([status, body.athlete_profile?.weight]).toEqual([201, 70]);
    }
  });
});

describe("profile pictures", () => {
  it("are accepted as data URLs, from which the base64 is stored", async () => {
    const create = (profile_picture: string) =>
      s.post("/api/v1/athletes/", { username: unique(), email, athlete_profile: { profile_picture } });
    for (const type of ["image/png", "image/jpeg", "IMAGE/PNG"]) {
      const { status, body } = await create(`data:${type};base64,${PNG}`);
      expect([status, body.athlete_profile?.profile_picture]).toEqual([201, PNG]);
    }
    for (const wrong of [`data:image/png,${PNG}`, `data:text/html;base64,${PNG}`, "data:image/png;base64,"]) {
      expect([wrong, (await create(wrong)).status]).toEqual([wrong, 400]);
    }
    // The prefix does not count towards the limit of 2 MiB.
    const largest = Buffer.alloc(2 * 1024 * 1024);
    largest.set([0xff, 0xd8, 0xff]);
    const { status } = await create(`data:image/jpeg;base64,${largest.toString("base64")}`);
    expect(status).toBe(201);
  });
});
