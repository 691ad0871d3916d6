import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { auditLog } from "../src/store/schema.js";
import { service, type TestAccount, type TestService } from "./service.js";
import { newActivity, schemaId, Team } from "./team.js";

let s: TestService;
let ann: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  s = await service();
  [ann, bob] = await Promise.all([s.manager(), s.manager()]);
});

const path = "/api/v1/activities/";
const body = async (changes: Record<string, unknown> = {}) => ({
  name: "Round 3",
  json: { sport: "soccer", venue: { city: "Lyon", pitches: [1, 2] } },
  json_schema: await schemaId(s, "activity_soccer"),
  owner: ann.id,
  ...changes,
});

describe("activities", () => {
  it("an activity is created with every key of its JSON", async () => {
    const sent = await body();
    const { status, body: created, headers } = await s.post(path, sent, ann.token);
    expect([status, created]).toEqual([201, { id: expect.any(Number), ...sent }]);
    expect(headers.get("deprecation")).toBe("@1704067200");
    expect((await s.get(`${path}${created.id}/`, ann.token)).body).toEqual(created);
  });

  it("a refusal lists the invalid fields", async () => {
    const problems = async (changes: Record<string, unknown>) => {
      const { status, body: answer } = await s.post(path, await body(changes), ann.token);
      expect(status).toBe(400);
      return answer;
    };
    const required = ["This field is required."];
    expect((await s.post(path, {}, ann.token)).body).toEqual({
      name: required,
      json: required,
      json_schema: required,
      owner: required,
    });
    expect(Object.keys(await problems({ name: "", json: [], json_schema: "x" })).sort()).toEqual([
      "json",
      "json_schema",
      "name",
    ]);
    expect(await problems({ json: {} })).toEqual({ json: { sport: required } });
    expect(await problems({ json: { sport: "running", gpx: 7 } })).toEqual({
      json: { sport: ['Must be "soccer".'], gpx: ["This value must be string."] },
    });
    for (const json_schema of [999_999, await schemaId(s, "timeframe_soccer")]) {
      expect(Object.keys(await problems({ json_schema }))).toEqual(["json_schema"]);
    }
  });

  it("an activity accepts a GPX document of 5 MiB, counted in bytes, but not a longer one", async () => {
    const gpx = (length: number) => ({ json: { sport: "soccer", gpx: "é".repeat(length / 2) } });
    const limit = 5 * 1024 * 1024;
    const created = await s.post(path, await body(gpx(limit)), ann.token);
    expect(created.status).toBe(201);
    expect(created.body.json.gpx).toHaveLength(limit / 2);
    const refused = await s.post(path, await body(gpx(limit + 2)), ann.token);
    expect([refused.status, Object.keys(refused.body.json)]).toEqual([400, ["gpx"]]);
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "activity"), eq(auditLog.entityId, created.body.id)));
    expect(JSON.stringify(rows).length).toBeLessThan(2000);
    expect((await s.send("DELETE", `${path}${created.body.id}/`, { token: ann.token })).status).toBe(204);
  });

  it("a course of 5 MiB is serialized only once, for the response", async () => {
    const gpx = "x".repeat(5 * 1024 * 1024);
    const created = await s.post(path, await body({ json: { sport: "soccer", gpx } }), ann.token);
    const one = `${path}${created.body.id}/`;
    const { headers } = await s.get(one, ann.token);
    const etag = headers.get("etag") ?? "";
    expect(etag).toBe(created.headers.get("etag"));
    const ifMatch = { token: ann.token, headers: { "If-Match": etag } };
    const stringify = vi.spyOn(JSON, "stringify");
    const timesWritten = () => {
      const long = stringify.mock.results.filter(({ value }) => String(value).length > gpx.length);
      stringify.mockClear();
      return long.length;
    };
    await s.get(one, ann.token);
    expect(timesWritten()).toBe(1);
    const patched = await s.send("PATCH", one, { ...ifMatch, json: { name: "Renamed" } });
    expect([patched.status, timesWritten()]).toEqual([200, 1]);
    expect(patched.headers.get("etag")).not.toBe(etag);
    expect((await s.send("DELETE", one, { ...ifMatch, json: undefined })).status).toBe(412);
    expect(timesWritten()).toBe(0);
    stringify.mockRestore();
    expect((await s.send("DELETE", one, { token: ann.token })).status).toBe(204);
  });

  it("the owner is the caller, and only managers can create activities", async () => {
    expect((await s.post(path, await body({ owner: bob.id }), ann.token)).status).toBe(403);
    expect((await s.post(path, await body({ owner: bob.id, json: {} }), ann.token)).status).toBe(400);
    expect((await s.post(path, await body(), (await s.athlete()).token)).status).toBe(403);
    expect((await s.post(path, await body())).status).toBe(403);
  });

  it("two requests with the same Idempotency-Key create one activity", async () => {
    const send = async () =>
      s.send("POST", path, {
        token: ann.token,
        json: await body(),
        headers: { "Idempotency-Key": "activity-1" },
      });
    const [first, second] = [await send(), await send()];
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  it("the list returns the times and contents of activities on request", async () => {
    const team = await Team.of(s);
    await team.create();
    await team.create({ start_time: "2024-06-02T09:00:00Z", end_time: "2024-06-02T12:00:00Z" });
    const empty = await newActivity(s, team.manager);
    await s.post(
      `${path}${empty}/webhooks/`,
      {
        webhook_url: "https://93.184.215.14/hook",
        secret_token: "secret",
        activity_events: true,
        timeframes_events: true,
      },
      team.manager.token,
    );
    const { body } = await s.get(`${path}?with_summary=true`, team.manager.token);
    expect(body.results.map(({ summary }: { summary: object }) => summary)).toEqual([
      {
        start_time: "2024-06-01T10:00:00.000Z",
        end_time: "2024-06-02T12:00:00.000Z",
        timeframes: 2,
        webhooks: 0,
      },
      { start_time: null, end_time: null, timeframes: 0, webhooks: 1 },
    ]);
    expect((await s.get(path, team.manager.token)).body.results[0]).not.toHaveProperty("summary");
  });

  it("the list contains the caller's own activities, filtered, searched and ordered", async () => {
    const eve = await s.manager();
    for (const name of ["b 10%", "A 20", "c 30"]) await newActivity(s, eve, name);
    const list = async (query: string) =>
      (await s.get(`${path}?${query}`, eve.token)).body.results.map(({ name }: { name: string }) => name);
    expect(await list("")).toEqual(["b 10%", "A 20", "c 30"]);
    expect(await list("ordering=-name")).toEqual(["c 30", "b 10%", "A 20"]);
    expect(await list("name=a")).toEqual(["A 20"]);
    expect(await list("name=%25")).toEqual(["b 10%"]);
    expect(await list("search=0,C")).toEqual(["c 30"]);
    expect(await list(`owner=${eve.id}`)).toHaveLength(3);
    expect(await list(`owner=${ann.id}`)).toEqual([]);
    const page = await s.get(`${path}?limit=2`, eve.token);
    expect(page.body).toMatchObject({ count: 3, page: 1, next: 2, previous: null });
    expect((await s.get(`${path}?page=9`, eve.token)).status).toBe(404);
    expect((await s.get(`${path}?owner=x`, eve.token)).body).toEqual({
      owner: ["A valid integer is required."],
    });
  });

  it("an activity is visible only to its owner; an unknown activity is not found", async () => {
    const id = await newActivity(s, ann);
    expect((await s.get(`${path}${id}/`, bob.token)).status).toBe(403);
    expect((await s.get(`${path}999999/`, ann.token)).status).toBe(404);
    const { headers } = await s.get(`${path}${id}/`, ann.token);
    const again = await s.get(`${path}${id}/`, ann.token, { "If-None-Match": headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
  });

  it("PUT replaces an activity, and PATCH changes the fields in the body", async () => {
    const id = await newActivity(s, ann);
    const put = (json: unknown, token = ann.token) => s.send("PUT", `${path}${id}/`, { token, json });
    const patch = (json: unknown, headers = {}) =>
      s.send("PATCH", `${path}${id}/`, { token: ann.token, json, headers });
    const running = {
      name: "Hills",
      json: { sport: "running" },
      json_schema: await schemaId(s, "activity_running"),
      owner: ann.id,
    };
    expect((await put(running)).body).toEqual({ id, ...running });
    expect((await patch({ name: "Track" })).body).toEqual({ id, ...running, name: "Track" });
    expect((await put({ name: "x" })).status).toBe(400);
    expect((await patch({ json: { sport: "soccer" } })).body).toEqual({
      json: { sport: ['Must be "running".'] },
    });
    expect((await patch({ owner: bob.id })).status).toBe(403);
    expect((await put(running, bob.token)).status).toBe(403);
    expect((await patch({ name: "y" }, { "If-Match": '"old"' })).status).toBe(412);
    const { headers } = await s.get(`${path}${id}/`, ann.token);
    expect((await patch({ name: "y" }, { "If-Match": headers.get("etag") })).status).toBe(200);
  });

  it("a sport is accepted in any letter case and returned as it was sent", async () => {
    const create = async (sport: string) =>
      s.post(
        path,
        {
          name: "A match",
          json: { sport },
          json_schema: await schemaId(s, "activity_soccer"),
          owner: ann.id,
        },
        ann.token,
      );
    const { status, body } = await create("Soccer");
    expect([status, body.json]).toEqual([201, { sport: "Soccer" }]);
    expect((await create("football")).status).toBe(400);
    const patched = await s.send("PATCH", `${path}${body.id}/`, {
      token: ann.token,
      json: { json: { sport: "SOCCER" } },
    });
    expect([patched.status, patched.body.json]).toEqual([200, { sport: "SOCCER" }]);
  });

  it("the sport of an activity cannot change while it has time frames of that sport", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 60);
    const running = { json: { sport: "running" }, json_schema: await schemaId(s, "activity_running") };
    const change = () =>
      s.send("PATCH", `${path}${team.activity}/`, { token: team.manager.token, json: running });
    const refused = await change();
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["json_schema"]]);
    await s.send("DELETE", `/api/v1/timeframes/${frame}/`, { token: team.manager.token });
    expect((await change()).status).toBe(200);
  });

  it("an activity is deleted with its time frames", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 60);
    const { token } = team.manager;
    const one = `${path}${team.activity}/`;
    expect((await s.send("DELETE", one, { token: bob.token })).status).toBe(403);
    expect((await s.send("DELETE", one, { token, headers: { "If-Match": '"old"' } })).status).toBe(412);
    const { status, body: nothing } = await s.send("DELETE", one, { token });
    expect([status, nothing]).toEqual([204, ""]);
    expect((await s.get(one, token)).status).toBe(404);
    expect((await s.get(`/api/v1/timeframes/${frame}/`, token)).status).toBe(404);
    expect((await team.computed(frame)).status).toBe(404);
    expect((await s.send("DELETE", one, { token })).status).toBe(404);
    await s.runJobs();
  });
});
