import { and, desc, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { deletePermissions } from "../src/domain/permissions/remove.js";
import { auditLog, permissions, timeframes } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";
import { grant, newActivity, schemaId, Team } from "./team.js";

let s: TestService;
let team: Team;
let other: Team;

beforeAll(async () => {
  s = await service();
  team = await Team.of(s);
  other = await Team.of(s);
});

const path = "/api/v1/timeframes/";

describe("time frames", () => {
  it("a time frame is created", async () => {
    const sent = await team.body({ params: { max_hr: 190, note: { kept: [1] } } });
    const { status, body, headers } = await s.post(path, sent, team.manager.token);
    expect([status, body]).toEqual([201, { id: expect.any(Number), ...sent }]);
    expect(headers.get("deprecation")).toBe("@1704067200");
  });

  it("a time frame lasts at most seven days, and longer than 0 ms", async () => {
    const ends = async (end_time: string) => {
      const { status, body } = await team.create({ start_time: "2024-06-01T10:00:00Z", end_time });
      return status === 201 ? status : [status, Object.keys(body)];
    };
    expect(await ends("2024-06-08T10:00:00Z")).toBe(201);
    expect(await ends("2024-06-08T10:00:00.001Z")).toEqual([400, ["end_time"]]);
    expect(await ends("2024-06-01T10:00:00Z")).toEqual([400, ["end_time"]]);
    expect(await ends("2024-06-01T12:00:00+0300")).toEqual([400, ["end_time"]]);
    expect(await ends("2024-06-01T14:00:00+0300")).toBe(201);
  });

  it("the parent of the schema of a time frame is the schema of its activity", async () => {
    const running = await schemaId(s, "timeframe_running");
    const refused = await team.create({ json_schema: running });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["json_schema"]]);
    const run = await newActivity(s, team.manager, "A run", "running");
    const { status, body: frame } = await team.create({ json_schema: running, activity: run });
    expect(status).toBe(201);
    const change = async (method: string, changes: Record<string, unknown>) =>
      (
        await s.send(method, `${path}${frame.id}/`, {
          token: team.manager.token,
          json: method === "PUT" ? await team.body(changes) : changes,
        })
      ).status;
    expect(await change("PATCH", { activity: team.activity })).toBe(400);
    expect(await change("PATCH", { json_schema: await schemaId(s, "timeframe_soccer") })).toBe(400);
    expect(await change("PUT", { json_schema: running })).toBe(400);
    expect(await change("PUT", {})).toBe(200);
  });

  it("a time frame that was stored with the schema of a different sport can still be changed", async () => {
    const { body: frame } = await team.create();
    const running = await schemaId(s, "timeframe_running");
    await s.store.database.queries
      .update(timeframes)
      .set({ jsonSchemaId: running })
      .where(eq(timeframes.id, frame.id));
    const { status, body } = await s.send("PATCH", `${path}${frame.id}/`, {
      token: team.manager.token,
      json: { params: { max_hr: 188 } },
    });
    expect([status, body.params, body.json_schema]).toEqual([200, { max_hr: 188 }, running]);
  });

  it("all invalid fields are reported before any permission is checked", async () => {
    const wrong = {
      owner: other.manager.id,
      device: other.device.id,
      activity: 999_999,
      athlete: team.manager.id,
      json_schema: await schemaId(s, "activity_soccer"),
      end_time: "2024-06-01T09:00:00Z",
    };
    const { status, body } = await team.create(wrong);
    expect([status, Object.keys(body).sort()]).toEqual([
      400,
      ["activity", "athlete", "device", "end_time", "json_schema"],
    ]);
    const unknown = await team.create({ device: 999_999 });
    expect(unknown.body.device).toEqual(body.device);
    expect((await s.post(path, {}, team.manager.token)).status).toBe(400);
  });

  it("params are checked first against the JSON schema and then for consistency", async () => {
    const problems = async (params: unknown) => {
      const { status, body } = await team.create({ params });
      expect(status).toBe(400);
      return body.params;
    };
    expect(await problems({ max_hr: 300, intensity_span: "x" })).toEqual({
      max_hr: ["This value must be <= 240."],
      intensity_span: ["This value must be number."],
    });
    expect(Object.keys(await problems({ speed_ranges: [0, -1] }))).toEqual(["speed_ranges"]);
    expect(await problems({ speed_ranges: [0, 3, 2], hid_thresholds: [5, 4] })).toEqual({
      speed_ranges: [expect.stringContaining("ascend")],
      hid_thresholds: [expect.stringContaining("ascend")],
    });
    expect(Object.keys(await problems({ max_valid_speed: 5 }))).toEqual(["max_valid_speed"]);
    expect(await problems([])).toEqual(["Invalid data. Expected an object."]);
  });

  it("params have at most 2,000 members", async () => {
    const refused = async (params: unknown) => (await team.create({ params })).body.params;
    const members = Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`key-${i}`, i]));
    expect(await refused(members)).toEqual(["Ensure this object has no more than 2000 members."]);
    const { "key-2000": _, ...most } = members;
    expect((await team.create({ params: most })).status).toBe(201);
  });

  it("unchanged params are neither validated again nor written to the audit log", async () => {
    const { body: frame } = await team.create();
    // An earlier release may have stored these params.
    const params = { max_hr: 300, note: "x".repeat(1_000) };
    const { queries } = s.store.database;
    await queries.update(timeframes).set({ params }).where(eq(timeframes.id, frame.id));
    const patched = await s.send("PATCH", `${path}${frame.id}/`, {
      token: team.manager.token,
      json: { end_time: "2024-06-01T10:30:00Z", params },
    });
    expect([patched.status, patched.body.params]).toEqual([200, params]);
    const [row] = await queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "timeframe"), eq(auditLog.entityId, frame.id)))
      .orderBy(desc(auditLog.id))
      .limit(1);
    expect(row?.after).toMatchObject({ endTime: "2024-06-01T10:30:00.000Z" });
    expect(row?.after).not.toHaveProperty("params");
  });

  it("a new time frame requires an activity of the caller, and WRITE on the athlete from start to end", async () => {
    expect((await team.create({ owner: other.manager.id })).status).toBe(403);
    expect((await team.create({ activity: other.activity })).status).toBe(403);
    const { id: athlete } = await s.athlete();
    expect((await team.create({ athlete })).status).toBe(403);
    const half = "2024-06-01T10:30:00.000Z";
    await grant(s, athlete, team.manager.id, "READ", "2024-06-01T00:00:00Z", "2024-06-02T00:00:00Z");
    await grant(s, athlete, team.manager.id, "WRITE", "2024-06-01T10:00:00Z", half);
    expect((await team.create({ athlete })).status).toBe(403);
    await grant(s, athlete, team.manager.id, "WRITE", half, "2024-06-01T11:00:00Z");
    expect((await team.create({ athlete })).status).toBe(201);
    expect((await s.post(path, await team.body(), (await s.athlete()).token)).status).toBe(403);
  });

  it("a new time frame can refer to a device that the caller owned earlier", async () => {
    const device = await s.ownedDevice(team.manager);
    await s.release(device, team.manager);
    await s.take(device, other.manager);
    expect((await team.create({ device: device.id })).status).toBe(201);
  });

  it("the list contains the caller's own time frames, filtered and ordered", async () => {
    const mine = await Team.of(s);
    const second = await newActivity(s, mine.manager);
    const at = (hour: number) => new Date(Date.UTC(2024, 5, 1, hour)).toISOString();
    const made: number[] = [];
    for (const [from, to, activity] of [
      [12, 14, mine.activity],
      [10, 15, second],
      [11, 13, mine.activity],
    ] as const) {
      made.push((await mine.create({ start_time: at(from), end_time: at(to), activity })).body.id);
    }
    const [a, b, c] = made;
    const list = async (query: string) =>
      (await s.get(`${path}?${query}`, mine.manager.token)).body.results.map(({ id }: { id: number }) => id);
    expect(await list("")).toEqual([a, b, c]);
    expect(await list("ordering=start_time")).toEqual([b, c, a]);
    expect(await list("ordering=-end_time")).toEqual([b, a, c]);
    expect(await list("ordering=-activity,start_time")).toEqual([b, c, a]);
    expect(await list(`activity=${second}`)).toEqual([b]);
    expect(await list(`device=${mine.device.id}&athlete=${mine.athlete}&owner=${mine.manager.id}`)).toEqual(
      made,
    );
    expect(await list("athlete=1")).toEqual([]);
    expect(await list(`start_time_from=${at(11)}&start_time_to=${at(12)}`)).toEqual([a, c]);
    expect(await list(`end_time_from=${at(14)}`)).toEqual([a, b]);
    expect(await list(`end_time_to=${at(14)}`)).toEqual([a, c]);
    expect((await s.get(path, other.manager.token)).body.results).toEqual([]);
    const wrong = await s.get(`${path}?device=x&end_time_to=soon&with_device=perhaps`, mine.manager.token);
    expect([wrong.status, Object.keys(wrong.body).sort()]).toEqual([
      400,
      ["device", "end_time_to", "with_device"],
    ]);
    expect(
      (await s.get(`/api/v1/devices/?activity=${second}`, mine.manager.token)).body.results,
    ).toMatchObject([{ id: mine.device.id }]);
  });

  it("the list includes the device, the activity and the athlete on request", async () => {
    const { body: frame } = await team.create();
    const one = `${path}${frame.id}/?with_device=True&with_activity=1&with_athlete=true`;
    const { body } = await s.get(one, team.manager.token);
    expect(body).toMatchObject({
      device: team.device.id,
      device_details: { id: team.device.id, serial_number: team.device.serial_number },
      activity_details: { id: team.activity, name: "A match" },
      athlete_details: { id: team.athlete, is_default_athlete: true },
    });
    const plain = await s.get(`${path}?with_device=false`, team.manager.token);
    expect(Object.keys(plain.body.results[0])).not.toContain("device_details");
    const listed = await s.get(
      `${path}?with_device=true&with_athlete=true&activity=${team.activity}`,
      team.manager.token,
    );
    expect(listed.body.results.at(-1).device_details).toEqual(body.device_details);
    expect(listed.body.results.at(-1).athlete_details).toEqual(body.athlete_details);
  });

  it("the list does not repeat the course of the activity or the picture of the athlete for each time frame", async () => {
    const mine = await Team.of(s);
    const { token } = mine.manager;
    const json = { sport: "soccer", gpx: "<gpx/>", duration: 90 };
    const changed = await s.send("PATCH", `/api/v1/activities/${mine.activity}/`, { token, json: { json } });
    expect(changed.status).toBe(200);
    const { body: frame } = await mine.create();
    for (const at of [path, `${path}${frame.id}/`]) {
      const { body } = await s.get(`${at}?with_activity=true&with_athlete=true`, token);
      const { activity_details, athlete_details } = body.results?.[0] ?? body;
      const { gpx: _, ...rest } = json;
      expect(activity_details).toMatchObject({ id: mine.activity, json: rest });
      expect(activity_details.json).not.toHaveProperty("gpx");
      expect(athlete_details.athlete_profile).not.toHaveProperty("profile_picture");
    }
  });

  it("the list contains no data of an athlete whom the caller cannot read", async () => {
    const { id: athlete } = await s.athlete();
    await grant(s, athlete, team.manager.id, "WRITE", "2024-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    const { body: frame } = await team.create({ athlete });
    const { body } = await s.get(`${path}${frame.id}/?with_athlete=true`, team.manager.token);
    expect([body.athlete, body.athlete_details]).toEqual([athlete, null]);
  });

  it("one time frame is visible to the owner; the filters of the list apply", async () => {
    const { body: frame } = await team.create();
    const one = `${path}${frame.id}/`;
    const { body, headers } = await s.get(one, team.manager.token);
    expect(body).toEqual(frame);
    expect((await s.get(one, other.manager.token)).status).toBe(403);
    expect((await s.get(`${one}?activity=${other.activity}`, team.manager.token)).status).toBe(404);
    expect((await s.get(`${path}999999/`, team.manager.token)).status).toBe(404);
    const known = { "If-None-Match": headers.get("etag") ?? "" };
    expect((await s.get(one, team.manager.token, known)).status).toBe(304);
    expect((await s.get(`${one}?with_device=1`, team.manager.token, known)).status).toBe(200);
  });

  it("PUT replaces every field", async () => {
    const { body: frame } = await team.create();
    const put = (json: unknown, query = "", token = team.manager.token) =>
      s.send("PUT", `${path}${frame.id}/${query}`, { token, json });
    const sent = await team.body({ params: { max_hr: 181 }, end_time: "2024-06-01T10:20:00.000Z" });
    expect((await put(sent)).body).toEqual({ id: frame.id, ...sent });
    expect((await put(sent, "?with_athlete=true")).body.athlete_details.id).toBe(team.athlete);
    const { params: _, ...incomplete } = sent;
    expect((await put(incomplete)).body).toEqual({ params: ["This field is required."] });
    expect((await put(sent, "?athlete=1")).status).toBe(404);
    expect((await put(sent, "", other.manager.token)).status).toBe(403);
    expect((await put({ ...sent, device: other.device.id })).status).toBe(400);
    expect((await put({ ...sent, owner: other.manager.id })).status).toBe(403);
  });

  it("PATCH changes the fields in the body, and validates the complete time frame", async () => {
    const { body: frame } = await team.create({ params: { max_hr: 181 } });
    const patch = (json: unknown, headers = {}) =>
      s.send("PATCH", `${path}${frame.id}/`, { token: team.manager.token, json, headers });
    expect((await patch({ params: {} })).body).toEqual({ ...frame, params: {} });
    expect((await patch({})).status).toBe(200);
    expect((await patch({ end_time: frame.start_time })).body).toEqual({
      end_time: ["Must be after start_time."],
    });
    expect((await patch({ device: other.device.id })).status).toBe(400);
    expect((await patch({ activity: other.activity })).status).toBe(403);
    expect((await patch({ params: {} }, { "If-Match": '"old"' })).status).toBe(412);
    const { headers } = await s.get(`${path}${frame.id}/`, team.manager.token);
    const fresh = { "If-Match": headers.get("etag") };
    expect((await patch({ params: {} }, fresh)).status).toBe(200);
    expect((await patch({ params: {} }, fresh)).status).toBe(412);
  });

  it("the athlete and the times of a time frame cannot be changed after the athlete has withdrawn the permission", async () => {
    const { id: athlete } = await s.athlete();
    await grant(s, athlete, team.manager.id, "WRITE", "2024-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    const { body: frame } = await team.create({ athlete });
    const patch = (json: unknown) =>
      s.send("PATCH", `${path}${frame.id}/`, { token: team.manager.token, json });
    const later = { start_time: "2024-06-01T10:30:00.000Z" };
    expect((await patch(later)).status).toBe(200);
    await transact(s.ctx, "test", (unit) => deletePermissions(unit, eq(permissions.athleteId, athlete)));
    const moved = await patch({ athlete: team.athlete });
    expect([moved.status, moved.body.detail]).toEqual([
      403,
      expect.stringContaining("WRITE permission for the athlete of the time frame"),
    ]);
    expect((await patch({ start_time: frame.start_time })).status).toBe(403);
    const { body } = await s.get(`${path}${frame.id}/`, team.manager.token);
    expect(body).toEqual({ ...frame, ...later });
  });

  it("a time frame that moves to another activity is reported to the webhooks of both", async () => {
    const mine = await Team.of(s);
    const { token } = mine.manager;
    const second = await newActivity(s, mine.manager);
    const { body: frame } = await mine.create();
    const hook = { secret_token: "secret", activity_events: true, timeframes_events: true };
    const hooks: string[] = [];
    for (const activity of [mine.activity, second]) {
      const webhooks = `/api/v1/activities/${activity}/webhooks/`;
      const { body } = await s.post(webhooks, { ...hook, webhook_url: "http://93.184.215.14/" }, token);
      hooks.push(`${webhooks}${body.id}/deliveries/`);
    }
    await s.send("PATCH", `${path}${frame.id}/`, { token, json: { activity: second } });
    for (const [i, activity_id] of [mine.activity, second].entries()) {
      const { results } = (await s.get(hooks[i] ?? "", token)).body;
      expect(results).toMatchObject([
        { event: "timeframe-updated", data: { activity_id, timeframe_id: frame.id } },
      ]);
      expect(results).toHaveLength(1);
    }
  });

  it("the owner can delete a time frame; the filters of the list apply", async () => {
    const { body: frame } = await team.create();
    const one = `${path}${frame.id}/`;
    const remove = (query = "", token = team.manager.token) => s.send("DELETE", one + query, { token });
    expect((await remove("", other.manager.token)).status).toBe(403);
    expect((await remove("?athlete=1")).status).toBe(404);
    const { status, body } = await remove();
    expect([status, body]).toEqual([204, ""]);
    expect((await remove()).status).toBe(404);
  });
});
