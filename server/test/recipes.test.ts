/** Tests the recipes of an account: versions that never change, and time frames that name them and count by them. */
import { canonicalRecipe, recipeHash } from "asi-convert/metrics";
import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { deleteAccount } from "../src/domain/deletion/account.js";
import { auditLog, recipes } from "../src/store/schema.js";
import { problem } from "./problem.js";
import { newRecipe, recipeNamed } from "./recipes.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";
import { grant, Team } from "./team.js";

const PATH = "/api/v2/recipes/";
let s: TestService;

beforeAll(async () => {
  s = await service();
});

const create = ({ token }: TestAccount, body: unknown = newRecipe(), headers = {}) =>
  s.send("POST", PATH, { token, json: body, headers });

describe("a recipe", () => {
  it("is stored as canonical JSON with its hash, and found by its Location", async () => {
    const ann = await s.manager();
    const body = newRecipe({ min_ms: 500 });
    const created = await create(ann, body);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: body.name, version: 1, hash: recipeHash(body.recipe) });
    expect(JSON.stringify(created.body.recipe)).toBe(canonicalRecipe(body.recipe));
    expect(created.headers.get("location")).toBe(`${PATH}${created.body.id}/`);
    const found = await s.get(created.headers.get("location") ?? "", ann.token);
    expect([found.status, found.body]).toEqual([200, created.body]);
  });

  it("gets the next version of its name when it changes, even to an earlier definition, and no version without a change", async () => {
    const ann = await s.manager();
    const versions = [];
    for (const min_ms of [1000, 500, 1000])
      versions.push((await create(ann, newRecipe({ min_ms }))).body.version);
    expect(versions).toEqual([1, 2, 3]);
    expect(problem(await create(ann, newRecipe({ min_ms: 1000 })))).toEqual([409, "recipe_unchanged"]);
    expect((await create(ann, newRecipe({}, "Other sprints"))).body.version).toBe(1);
  });

  it("gets one version per concurrent request, and one version for a request repeated with its key", async () => {
    const ann = await s.manager();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => create(ann, newRecipe({ min_ms: 100 * i }))),
    );
    expect(answers.map(({ body }) => body.version).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    const key = { "Idempotency-Key": "once" };
    const [first, again] = [await create(ann, newRecipe(), key), await create(ann, newRecipe(), key)];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
  });

  it("is refused with the location of the error, as are recipes that the operation does not support", async () => {
    const ann = await s.manager();
    const errorsOf = async (body: unknown) => {
      const answer = await create(ann, body);
      expect(problem(answer)).toEqual([400, "invalid"]);
      return answer.body.errors;
    };
    expect(await errorsOf(newRecipe({ exit: 8000 }))).toEqual([
      { field: "recipe", detail: "recipe.exit is 8000; it must be at most recipe.enter (7000)." },
    ]);
    expect(await errorsOf(newRecipe({ gate: { min_satellites: 6 } }))).toEqual([
      { field: "recipe", detail: "recipe.gate must be null: the samples of the service have no quality." },
    ]);
    expect(await errorsOf({ ...newRecipe(), colour: "red" })).toEqual([
      { field: "colour", detail: "Unknown field." },
    ]);
    expect(await errorsOf({ recipe: {} })).toEqual([{ field: "name", detail: "This field is required." }]);
    const { body } = await create(ann);
    expect(problem(await s.get(`${PATH}${body.id}/?colour=red`, ann.token))).toEqual([400, "invalid"]);
  });

  it("is visible only to its owner, with a token", async () => {
    const [ann, bob] = [await s.manager(), await s.manager()];
    const { body } = await create(ann);
    expect(problem(await s.get(`${PATH}${body.id}/`, bob.token))).toEqual([404, "not_found"]);
    expect((await s.get(PATH, bob.token)).body).toEqual({ results: [], next: null });
    const nobody = await s.get(PATH);
    expect(problem(nobody)).toEqual([401, "not_authenticated"]);
    expect(nobody.headers.get("www-authenticate")).toBe('Bearer realm="api"');
    expect(problem(await s.get(PATH, "no token"))).toEqual([401, "invalid_token"]);
  });

  it("is listed in pages with a cursor, even if recipes are deleted meanwhile; an invalid limit or cursor is refused", async () => {
    const ann = await s.manager();
    const ids = [];
    for (const min_ms of [100, 200, 300, 400, 500])
      ids.push((await create(ann, newRecipe({ min_ms }))).body.id);
    const first = await s.get(`${PATH}?limit=2`, ann.token);
    await s.send("DELETE", `${PATH}${ids[1]}/`, { token: ann.token });
    const second = await s.get(`${PATH}?limit=2&cursor=${first.body.next}`, ann.token);
    const third = await s.get(`${PATH}?limit=2&cursor=${second.body.next}`, ann.token);
    const listed = [first, second, third].map(({ body }) => body.results.map(({ id }: { id: number }) => id));
    expect(listed).toEqual([[ids[0], ids[1]], [ids[2], ids[3]], [ids[4]]]);
    expect(third.body.next).toBeNull();
    const { hash } = third.body.results[0];
    expect((await s.get(`${PATH}?hash=${hash}`, ann.token)).body.results).toEqual(third.body.results);
    for (const query of ["limit=abc", "limit=0", "limit=1001", "cursor=MTI", "colour=red"])
      expect(problem(await s.get(`${PATH}?${query}`, ann.token))).toEqual([400, "invalid"]);
  });

  it("is stored up to the quota of the account", async () => {
    const small = await startService({ quotaRecipes: 2 });
    const ann = await small.manager();
    const add = (min_ms: number) => small.post(PATH, newRecipe({ min_ms }), ann.token);
    const [first] = [await add(100), await add(200)];
    expect(problem(await add(300))).toEqual([409, "quota_exceeded"]);
    await small.send("DELETE", `${PATH}${first.body.id}/`, { token: ann.token });
    expect((await add(300)).status).toBe(201);
  });

  it("does not count towards the quota after its deletion, and the number of rows for deleted names is limited", async () => {
    const small = await startService({ quotaRecipes: 2 });
    const ann = await small.manager();
    for (const name of ["A", "B", "C", "D", "E"]) {
      const created = await small.post(PATH, { ...newRecipe(), name }, ann.token);
      expect(created.status).toBe(201);
      await small.send("DELETE", `${PATH}${created.body.id}/`, { token: ann.token });
    }
    const rows = await small.store.database.queries
      .select()
      .from(recipes)
      .where(eq(recipes.accountId, ann.id));
    expect(rows.map(({ name }) => name).sort()).toEqual(["D", "E"]);
    expect((await small.post(PATH, { ...newRecipe(), name: "E" }, ann.token)).body.version).toBe(2);
  });

  it("is recorded in the audit log when it is stored and deleted", async () => {
    const ann = await s.manager();
    const { body } = await create(ann);
    await s.send("DELETE", `${PATH}${body.id}/`, { token: ann.token });
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "recipe"), eq(auditLog.entityId, body.id)))
      .orderBy(auditLog.id);
    expect(rows.map(({ operation, after }) => [operation, after?.hash])).toEqual([
      ["createRecipe", body.hash],
      ["deleteRecipe", undefined],
    ]);
  });

  it("is deleted, and its number is not reused", async () => {
    const ann = await s.manager();
    const version = async (min_ms: number) => (await create(ann, newRecipe({ min_ms }))).body;
    const remove = async ({ id }: { id: number }) =>
      (await s.send("DELETE", `${PATH}${id}/`, { token: ann.token })).status;
    const [first, second] = [await version(100), await version(200)];
    expect([await remove(second), await remove(second)]).toEqual([204, 404]);
    const third = await version(200);
    expect(third.version).toBe(3);
    expect([await remove(first), await remove(third)]).toEqual([204, 204]);
    expect((await version(100)).version).toBe(4);
    // One of the deleted rows remains.
    const ofAnn = eq(recipes.accountId, ann.id);
    expect(await s.store.database.queries.$count(recipes, ofAnn)).toBe(2);
  });
});

describe("a time frame that names recipes", () => {
  /** Creates a team with a sprint of 3 s in a run of 60 s. */
  async function sprinted() {
    const team = await Team.of(s);
    await team.run(0, 20, 3000, 120);
    await team.run(20, 23, 8000, 150);
    await team.run(23, 60, 3000, 140);
    return team;
  }

  it("contains their counts in order with their hashes, and the complete recipes in the definition", async () => {
    const team = await sprinted();
    const { body: own } = await create(team.manager, newRecipe({ min_ms: 500 }));
    const long = newRecipe({ min_ms: 10_000 }, "Long");
    const { hash } = (await create(team.manager, long)).body;
    const frame = await team.frame(0, 60, {
      params: { recipes: [{ hash }, { name: own.name, version: 1 }] },
    });
    const { body } = await team.computed(frame);
    expect(body.recipes).toMatchObject([
      { name: "Long", version: 1, hash, count: 0, distance: 0, runs: [] },
      { name: own.name, version: 1, hash: own.hash, count: 1, dropped: { gate: 0, too_fast: 0 } },
    ]);
    expect(body.definition).toBeUndefined();
    const path = `/api/v1/timeframes/${frame}/computed-data/?with_definition=true`;
    // Everyone who can read the time frame can read the definition of its counts.
    const reader = await s.manager();
    await grant(s, team.athlete, reader.id, "READ", "2020-01-01", "2999-01-01");
    for (const { token } of [team.manager, reader]) {
      expect((await s.get(path, token)).body.definition.recipes).toEqual([
        { name: "Long", version: 1, hash, rules: 1, recipe: long.recipe },
        { name: own.name, version: 1, hash: own.hash, rules: 1, recipe: newRecipe({ min_ms: 500 }).recipe },
      ]);
    }
    expect((await s.get(`${PATH}${own.id}/`, reader.token)).status).toBe(404);
  });

  it("is recomputed when its params name other recipes, and has the same bytes as before without recipes", async () => {
    const team = await sprinted();
    const frame = await team.frame(0, 60);
    const plain = await team.computed(frame);
    expect(plain.body.recipes).toBeUndefined();
    const { body } = await create(team.manager);
    const patch = (params: object) =>
      s.send("PATCH", `/api/v1/timeframes/${frame}/`, { token: team.manager.token, json: { params } });
    expect((await patch({ recipes: [{ hash: body.hash }] })).status).toBe(200);
    const { recipes: counted, last_computation: _, ...figures } = (await team.computed(frame)).body;
    expect(counted).toMatchObject([{ hash: body.hash, count: 1 }]);
    const { last_computation: __, ...before } = plain.body;
    expect(JSON.stringify(figures)).toBe(JSON.stringify(before));
    await patch({});
    expect((await team.computed(frame)).body.recipes).toBeUndefined();
  });

  it("prevents their deletion until it no longer names them", async () => {
    const team = await sprinted();
    const { token } = team.manager;
    const { body } = await create(team.manager);
    const remove = () => s.send("DELETE", `${PATH}${body.id}/`, { token });
    const frame = await team.frame(0, 60, { params: { recipes: [{ name: body.name, version: 1 }] } });
    // An update of other fields keeps the recipes.
    await s.send("PATCH", `/api/v1/timeframes/${frame}/`, {
      token,
      json: { end_time: "2999-01-01T00:00:00Z" },
    });
    const refused = await remove();
    expect(problem(refused)).toEqual([409, "recipe_in_use"]);
    expect(refused.body.detail).toContain("1 time frame.");
    await s.send("DELETE", `/api/v1/timeframes/${frame}/`, { token });
    expect((await remove()).status).toBe(204);
  });

  it("is either refused or keeps its recipe if the recipe is deleted concurrently", async () => {
    const team = await sprinted();
    const { token } = team.manager;
    for (let round = 0; round < 10; round++) {
      const { body } = await create(team.manager, newRecipe({ min_ms: 100 * round }));
      const [created, removed] = await Promise.all([
        team.create({ params: { recipes: [{ hash: body.hash }] } }),
        s.send("DELETE", `${PATH}${body.id}/`, { token }),
      ]);
      expect([
        [201, 409],
        [400, 204],
      ]).toContainEqual([created.status, removed.status]);
    }
  });

  it("is refused if a recipe does not exist, belongs to another account or is named incorrectly, or if there is one too many", async () => {
    const [team, bob] = [await sprinted(), await s.manager()];
    const { body: ofBob } = await create(bob);
    const { body: own } = await create(team.manager);
    const named = { name: own.name, version: 1 };
    const refusal = async (list: unknown) => {
      const { status, body } = await team.create({ params: { recipes: list } });
      return [status, Object.keys(body.params?.recipes ?? {})];
    };
    expect(await refusal([named, { name: own.name, version: 2 }])).toEqual([400, ["1"]]);
    await s.send("DELETE", `${PATH}${own.id}/`, { token: team.manager.token });
    expect(await refusal([named])).toEqual([400, ["0"]]);
    expect(await refusal([{ hash: ofBob.hash }])).toEqual([400, ["0"]]);
    expect(await refusal([{ ...named, hash: own.hash }])).toEqual([400, ["0"]]);
    expect((await refusal(Array.from({ length: 6 }, (_, i) => ({ name: "A", version: i + 1 }))))[0]).toBe(
      400,
    );
  });

  it("lists at most a thousand runs, but counts all of them", async () => {
    const team = await Team.of(s);
    const recipe = {
      ...recipeNamed("soccer/sprint"),
      ...{ enter: 3500, exit: 3500, min_ms: 0, merge_ms: 0, on: "sample" },
    };
    delete (recipe as { spike?: unknown }).spike;
    const { body } = await create(team.manager, { name: "Steps", recipe });
    const frame = await team.frame(0, 600, { params: { recipes: [{ hash: body.hash }] } });
    // There are 5 runs per second.
    await team.run(0, 240, (k) => (k % 2 === 0 ? 3000 : 4000));
    const [{ count, runs }] = (await team.computed(frame)).body.recipes;
    expect([count, runs]).toEqual([1200, null]);
  });

  it("is included in the results of its activity, which are sent in parts if they are large in total", async () => {
    const team = await Team.of(s);
    const recipe = {
      ...recipeNamed("soccer/sprint"),
      ...{ enter: 3500, exit: 3500, merge_ms: 0, on: "sample" },
    };
    delete (recipe as { spike?: unknown }).spike;
    const named = [];
    for (const min_ms of [0, 1, 2, 3, 4]) {
      const { body } = await create(team.manager, { name: "Steps", recipe: { ...recipe, min_ms } });
      named.push({ hash: body.hash });
    }
    // There are 5 runs per second; only the first recipe counts runs of one sample.
    await team.run(0, 190, (k) => (k % 4 < 2 ? 3000 : 4000));
    const frames = [];
    for (let i = 0; i < 30; i++) frames.push(await team.frame(0, 190, { params: { recipes: named } }));
    const own = await team.computed(frames.at(-1) ?? 0);
    const all = await s.get(`/api/v1/activities/${team.activity}/computed-data/`, team.manager.token);
    expect(all.body.map(({ timeframe }: { timeframe: number }) => timeframe)).toEqual(frames);
    expect(all.body.at(-1).data).toEqual(own.body);
    expect(Number(own.headers.get("content-length"))).toBeGreaterThan(150_000);
    // The length of a response is known before it is sent only if the response is in memory.
    expect(all.headers.get("content-length")).toBeNull();
  });

  it("is deleted with its recipes when the account is deleted", async () => {
    const team = await sprinted();
    const { body } = await create(team.manager);
    await team.frame(0, 60, { params: { recipes: [{ hash: body.hash }] } });
    await deleteAccount(s.ctx, team.manager.username);
    expect(await s.store.database.queries.$count(recipes, eq(recipes.accountId, team.manager.id))).toBe(0);
  });
});
