import { beforeAll, describe, expect, it } from "vitest";
import { JSON_SCHEMA_DEFINITIONS } from "../src/store/json-schema-definitions.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
});

interface Shown {
  id: number;
  name: string;
  type: string;
  parent: number | null;
  schema: unknown;
}

const list = async (query = ""): Promise<Shown[]> => {
  const { status, body } = await s.get(`/api/v1/json-schemas/?${query}`, ann.token);
  expect(status).toBe(200);
  return body.results;
};
const names = async (query: string) => (await list(query)).map(({ name }) => name);

describe("JSON schemas", () => {
  it("are the twelve installed schemas; the parent of a time frame schema is the schema of its activity", async () => {
    const all = await list();
    expect(all).toHaveLength(12);
    const nameOf = (id: number | null) => all.find((schema) => schema.id === id)?.name ?? null;
    expect(
      all.map(({ name, type, parent, schema }) => ({ name, type, parent: nameOf(parent), schema })),
    ).toEqual(
      JSON_SCHEMA_DEFINITIONS.map(({ name, type, parent, schema }) => ({ name, type, parent, schema })),
    );
    const { headers } = await s.get("/api/v1/json-schemas/", ann.token);
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect(headers.get("link")).toContain('rel="deprecation"');
  });

  it("are filtered by type number and parent, searched and ordered", async () => {
    const [running] = await list("search=activity_RUNNING");
    expect(running).toMatchObject({ name: "activity_running", type: "ACTIVITY", parent: null });
    expect(new Set((await list("type=2")).map(({ type }) => type))).toEqual(new Set(["TIMEFRAME"]));
    expect(await names("type=1&search=run")).toEqual(["activity_running", "activity_trailrunning"]);
    expect(await names(`parent=${running?.id}`)).toEqual(["timeframe_running"]);
    expect(await names("search=time soccer")).toEqual(["timeframe_soccer"]);
    for (const none of ["type=3", "type=-1", "type=99999999999", "parent=999999999", "search=chess"]) {
      expect(await names(none)).toEqual([]);
    }
    const byName = JSON_SCHEMA_DEFINITIONS.map(({ name }) => name).sort();
    expect(await names("ordering=name")).toEqual(byName);
    expect(await names("ordering=-name")).toEqual(byName.toReversed());
    expect((await list("ordering=-type"))[0]?.type).toBe("TIMEFRAME");
    expect((await list("ordering=-parent")).at(-1)?.parent).toBeNull();
    expect((await list("limit=5&page=3")).length).toBe(2);
    const wrong = await s.get("/api/v1/json-schemas/?type=TIMEFRAME&parent=x", ann.token);
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ["type", "parent"]]);
    expect((await s.get("/api/v1/json-schemas/?page=2", ann.token)).status).toBe(404);
  });

  it("are available only to managers", async () => {
    const { token } = await s.athlete();
    for (const end of ["", "1/"]) {
      expect((await s.get(`/api/v1/json-schemas/${end}`, token)).status).toBe(403);
      const anonymous = await s.get(`/api/v1/json-schemas/${end}`);
      expect([anonymous.status, anonymous.headers.get("deprecation")]).toEqual([403, "@1704067200"]);
    }
  });

  it("are shown individually as in the list, and cannot be changed over HTTP", async () => {
    const [first] = await list();
    const path = `/api/v1/json-schemas/${first?.id}/`;
    const { status, body, headers } = await s.get(path, ann.token);
    expect([status, body]).toEqual([200, first]);
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect((await s.get(path, ann.token, { "If-None-Match": headers.get("etag") ?? "" })).status).toBe(304);
    expect((await s.get("/api/v1/json-schemas/999999999/", ann.token)).status).toBe(404);
    expect((await s.send("PUT", path, { token: ann.token, json: {} })).status).toBe(405);
  });
});
