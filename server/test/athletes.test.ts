import { describe, expect } from "vitest";
import { email, unique, withAthletes } from "./athlete-scene.js";
import { managingManager } from "./people.js";

const it = withAthletes().extend(
  "listing",
  { scope: "file" },
  async ({ athletes: { s, managed, grant } }) => {
    const carl = await managingManager({}, "?create_default_athlete=true", s);
    const ids = new Map<string, number>();
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

    const names = (body: { results: { id: number }[] }) =>
      body.results.map(({ id }) => [...ids].find(([, known]) => known === id)?.[0] ?? "default");
    const list = async (query: string) => {
      const { status, body } = await s.get(`/api/v1/athletes/?${query}`, carl.token);
      expect(status).toBe(200);
      return names(body);
    };
    return { carl, list };
  },
);

describe("listing athletes", () => {
  it("the list shows athletes with current READ permission, and the default athlete of the manager on a later page", async ({
    athletes: { s, eve },
    listing: { carl, list },
  }) => {
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
    const dora = await s.manager();
    expect((await s.get("/api/v1/athletes/", dora.token)).body).toMatchObject({ count: 0, results: [] });
    expect((await s.get("/api/v1/athletes/", eve.token)).status).toBe(403);
    expect((await s.get("/api/v1/athletes/")).status).toBe(403);
  });

  it("the list does not show athletes for whom the manager has only WRITE, or a READ permission that has expired or not begun", async ({
    athletes: { s, grant },
  }) => {
    const [dora, fay] = await Promise.all([s.manager(), s.athlete()]);
    await grant(fay, dora, "WRITE", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    await grant(fay, dora, "READ", "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z");
    await grant(fay, dora, "READ", "2998-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    expect((await s.get("/api/v1/athletes/", dora.token)).body.count).toBe(0);
    await grant(fay, dora, "READ", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    await grant(fay, dora, "READ", "2021-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    expect((await s.get("/api/v1/athletes/", dora.token)).body.count).toBe(1);
  });

  it("the list has filters", async ({ athletes: { s, bob }, listing: { carl, list } }) => {
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

  it("the list can be searched and ordered, with nulls last in both directions", async ({
    athletes: { s },
    listing: { carl, list },
  }) => {
    expect(await list("search=ash")).toEqual(["zoe"]);
    // Random usernames contain only digits and the letters a to f, so each term has another character.
    expect(await list(`search=0%25,_${carl.id}`)).toEqual(["bea"]);
    expect(await list("search=ash zorn")).toEqual([]);
    // case-insensitive, also for other letters; a term does not continue in the next field (last name, first name)
    expect(await list("search=ash ZOË")).toEqual(["zoe"]);
    expect(await list("search=shzo")).toEqual([]);
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

describe("one athlete", () => {
  it("is found by external id by those who can read it and by itself", async ({
    athletes: { s, managed, ann, bob, eve },
  }) => {
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

  it("is visible to itself and to managers with current READ permission; the filters of the list apply", async ({
    athletes: { s, eve, grant },
  }) => {
    const [fay, dora] = await Promise.all([s.athlete(), s.manager()]);
    const path = `/api/v1/athletes/${fay.id}/`;
    const own = await s.get(path, fay.token);
    expect([own.status, own.body.username]).toEqual([200, fay.username]);
    expect((await s.get(path, fay.token, { "If-None-Match": own.headers.get("etag") ?? "" })).status).toBe(
      304,
    );
    expect((await s.get(`${path}?is_managed=true`, fay.token)).status).toBe(404);
    expect((await s.get(`${path}?birthdate_to=x`, fay.token)).status).toBe(400);
    expect((await s.get(path, dora.token)).status).toBe(403);
    expect((await s.get(path, eve.token)).status).toBe(403);
    await grant(fay, dora, "WRITE", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    expect((await s.get(path, dora.token)).status).toBe(403);
    await grant(fay, dora, "READ", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    expect((await s.get(path, dora.token)).body).toEqual(own.body);
    expect((await s.get(`/api/v1/athletes/${dora.id}/`, dora.token)).status).toBe(404);
    expect((await s.get("/api/v1/athletes/999999999/", dora.token)).status).toBe(404);
  });

  it("updates itself; PUT requires all required fields, PATCH changes the fields in the body, and both return 201", async ({
    athletes: { s, bob, eve },
  }) => {
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

  it("ends every session when the password changes; If-Match names the version", async ({
    athletes: { s },
  }) => {
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

  it("changes its own password, which no other user can change", async ({
    athletes: { s, eve, managed, ann },
  }) => {
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
