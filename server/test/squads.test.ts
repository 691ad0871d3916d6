/** Tests squads, their members, and the devices that they wear. */
import { and, eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { deleteAccount } from "../src/domain/deletion/account.js";
import { assignments, auditLog, squadMembers, squads } from "../src/store/schema.js";
import { problem } from "./problem.js";
import { type Answer, service, type TestAccount, type TestService } from "./service.js";
import { SquadScene } from "./squad-scene.js";
import { grant, Team } from "./team.js";

const SQUADS = "/api/v2/squads/";
const MEMBERS = "/api/v2/members/";
const ASSIGNMENTS = "/api/v2/assignments/";
let s: TestService;

beforeAll(async () => {
  s = await service();
});

const day = (n: number) => new Date(Date.UTC(2024, 6, n)).toISOString();

const patch = (path: string, json: object, token: string) => s.send("PATCH", path, { token, json });
const remove = (path: string, token: string) => s.send("DELETE", path, { token });

const squadOf = async ({ token }: TestAccount): Promise<number> =>
  (await s.post(SQUADS, { name: "First team" }, token)).body.id;

/** Runs every operation on one object. */
const operationsOn = (path: string, token: string, change: object) =>
  Promise.all([s.get(path, token), patch(path, change, token), remove(path, token)]);

describe("a squad", () => {
  it("is created, found by its Location, renamed and deleted", async () => {
    const { token } = await s.manager();
    const created = await s.post(SQUADS, { name: "First team" }, token);
    const path = created.headers.get("location") ?? "";
    expect([created.status, path]).toEqual([201, `${SQUADS}${created.body.id}/`]);
    expect((await s.get(path, token)).body).toEqual(created.body);
    expect((await patch(path, { name: "Second team" }, token)).body.name).toBe("Second team");
    expect((await s.get(SQUADS, token)).body.results).toMatchObject([{ name: "Second team" }]);
    expect((await remove(path, token)).status).toBe(204);
    expect((await s.get(SQUADS, token)).body.results).toEqual([]);
  });

  it("is not found by another manager, and neither are its members and assignments", async () => {
    const team = await Team.of(s);
    const { token } = team.manager;
    const squad = await squadOf(team.manager);
    const member = await s.post(MEMBERS, { squad, athlete: team.athlete, start_time: day(1) }, token);
    const assignment = await s.post(
      ASSIGNMENTS,
      { device: team.device.id, athlete: team.athlete, start_time: day(1) },
      token,
    );
    const stranger = await s.manager();
    for (const [path, change] of [
      [`${SQUADS}${squad}/`, { name: "Mine" }],
      [`${MEMBERS}${member.body.id}/`, { number: 1 }],
      [`${ASSIGNMENTS}${assignment.body.id}/`, { end_time: day(2) }],
    ] as const) {
      for (const { status } of await operationsOn(path, stranger.token, change)) expect(status).toBe(404);
      expect((await s.get(path, token)).status).toBe(200);
    }
    for (const path of [SQUADS, MEMBERS, ASSIGNMENTS])
      expect((await s.get(path, stranger.token)).body.results).toEqual([]);
    expect(
      (await s.post(MEMBERS, { squad, athlete: team.athlete, start_time: day(9) }, stranger.token)).body
        .errors,
    ).toEqual([{ field: "squad", detail: "You have no squad with this id." }]);
  });

  it("is deleted with the account of its manager, including its members and assignments", async () => {
    const team = await Team.of(s);
    const squad = await squadOf(team.manager);
    await s.post(MEMBERS, { squad, athlete: team.athlete, start_time: day(1) }, team.manager.token);
    await s.post(
      ASSIGNMENTS,
      { device: team.device.id, athlete: team.athlete, start_time: day(1) },
      team.manager.token,
    );
    await deleteAccount(s.ctx, team.manager.username);
    const { queries } = s.store.database;
    expect(await queries.$count(squads, eq(squads.ownerId, team.manager.id))).toBe(0);
    expect(await queries.$count(squadMembers, eq(squadMembers.squadId, squad))).toBe(0);
    expect(await queries.$count(assignments, eq(assignments.ownerId, team.manager.id))).toBe(0);
  });
});

it("squads, players, assignments and sessions are found by a part of their names, with cursors, and only those that the caller sees", async () => {
  const scene = await SquadScene.of(s, ["Ann 100%", "Bea", "Anton"]);
  const other = await SquadScene.of(s, ["Ann 100%"]);
  const session = await scene.session({ name: "Derby", place: "Bern" });
  await other.session({ name: "Derby", place: "Bern" });
  const [ann, bea, anton] = scene.players;
  const found = async (path: string, search: string, limit = 100) => {
    const query = new URLSearchParams({ search, limit: String(limit) });
    const { body } = await s.get(`${path}?${query}`, scene.manager.token);
    return body;
  };
  const athletesIn = async (path: string, search: string) =>
    (await found(path, search)).results.map(({ athlete }: { athlete: number }) => athlete);
  expect((await found(SQUADS, "first TEAM")).results).toMatchObject([{ id: scene.squad }]);
  expect((await found(SQUADS, "first second")).results).toEqual([]);
  expect(await athletesIn(MEMBERS, "ann")).toEqual([ann?.athlete]);
  // Search by the shirt number, and by the position together with the name.
  expect(await athletesIn(MEMBERS, "2")).toEqual([bea?.athlete]);
  expect(await athletesIn(MEMBERS, "mf an")).toEqual([ann?.athlete, anton?.athlete]);
  expect(await athletesIn(ASSIGNMENTS, "0%")).toEqual([ann?.athlete]);
  expect(await athletesIn(ASSIGNMENTS, bea?.device.serial_number ?? "")).toEqual([bea?.athlete]);
  for (const text of ["derby", "bern match", "FIRST der"])
    expect((await found("/api/v2/sessions/", text)).results).toMatchObject([{ id: session }]);
  expect((await found("/api/v2/sessions/", "training")).results).toEqual([]);
  const first = await found(MEMBERS, "an", 1);
  const next = await s.get(`${MEMBERS}?search=an&limit=1&cursor=${first.next}`, scene.manager.token);
  expect([first.results[0].athlete, next.body.results[0].athlete, next.body.next]).toEqual([
    ann?.athlete,
    anton?.athlete,
    null,
  ]);
  const terms = Array.from({ length: 21 }, (_, i) => `t${i}`).join(" ");
  expect((await found(MEMBERS, terms)).errors).toEqual([
    { field: "search", detail: "Search for at most 20 terms." },
  ]);
});

it("a search of assignments looks through 5,000 of them for a page, and continues with the cursor", async () => {
  const scene = await SquadScene.of(s, ["Ann"]);
  const [ann] = scene.players;
  await s.store.database.queries.execute(sql`
    INSERT INTO assignments (owner_id, device_id, athlete_id, start_time, end_time)
    SELECT owner_id, device_id, athlete_id, start_time - n * interval '2 hours', start_time - n * interval '2 hours' + interval '1 hour'
    FROM assignments, generate_series(1, 5000) AS n WHERE owner_id = ${scene.manager.id}`);
  const zoe = await scene.add("Zoe");
  const search = async (query: string) => (await s.get(`${ASSIGNMENTS}?${query}`, scene.manager.token)).body;
  const first = await search("search=zoe");
  expect(first).toEqual({ results: [], next: expect.any(String) });
  const second = await search(`search=zoe&cursor=${first.next}`);
  expect(second).toMatchObject({ results: [{ athlete: zoe.athlete }], next: null });
  // A full page ends before the others that it looks through.
  const full = await search("search=ann&limit=2");
  expect(full.results).toHaveLength(2);
  const after = await search(`search=ann&limit=1&cursor=${full.next}`);
  expect(after.results).toMatchObject([{ id: full.results[1].id + 1, athlete: ann?.athlete }]);
});

it("a search of members and of sessions looks through 5,000 of them for a page, and continues with the cursor", async () => {
  const scene = await SquadScene.of(s, ["Ann"]);
  const { token } = scene.manager;
  const first = await scene.session();
  const { queries } = s.store.database;
  await queries.execute(sql`
    INSERT INTO squad_members (squad_id, athlete_id, params, start_time, end_time)
    SELECT squad_id, athlete_id, params, start_time - n * interval '2 hours', start_time - n * interval '2 hours' + interval '1 hour'
    FROM squad_members, generate_series(1, 5000) AS n WHERE squad_id = ${scene.squad}`);
  await queries.execute(sql`
    WITH added AS (
      INSERT INTO activities (name, json, json_schema_id, owner_id, created_at)
      SELECT 'Later', json, json_schema_id, owner_id, created_at FROM activities, generate_series(1, 5000) WHERE id = ${first}
      RETURNING id
    )
    INSERT INTO sessions (activity_id, squad_id, kind, start_time, end_time)
    SELECT added.id, squad_id, kind, start_time, end_time FROM added, sessions WHERE activity_id = ${first}`);
  const zoe = await scene.add("Zoe");
  const { name } = (await s.get(`/api/v2/sessions/${first}/`, token)).body;
  for (const [path, text, found] of [
    [MEMBERS, "zoe", { athlete: zoe.athlete }],
    ["/api/v2/sessions/", encodeURIComponent(name), { id: first }],
  ] as const) {
    const { body } = await s.get(`${path}?search=${text}`, token);
    expect(body).toEqual({ results: [], next: expect.any(String) });
    const next = await s.get(`${path}?search=${text}&cursor=${body.next}`, token);
    expect(next.body).toMatchObject({ results: [found], next: null });
  }
  // A full page ends before the others that it looks through.
  const later = async (query: string) => (await s.get(`/api/v2/sessions/?search=later&${query}`, token)).body;
  const full = await later("limit=2");
  expect(full.results).toHaveLength(2);
  expect((await later(`limit=1&cursor=${full.next}`)).results).toMatchObject([
    { id: full.results[1].id - 1 },
  ]);
});

describe("a member", () => {
  it("contains a number, a position, thresholds and an interval, which ends only on request", async () => {
    const team = await Team.of(s);
    const { token } = team.manager;
    const squad = await squadOf(team.manager);
    const body = {
      squad,
      athlete: team.athlete,
      number: 7,
      position: "FW",
      params: { max_hr: 196, sprint_threshold: 7, hid_thresholds: [4, 5.5] },
      start_time: day(1),
    };
    const { status, body: created } = await s.post(MEMBERS, body, token);
    expect(status).toBe(201);
    expect(created).toEqual({ id: created.id, ...body, end_time: "2999-12-31T23:59:59.000Z" });
    const ended = await patch(`${MEMBERS}${created.id}/`, { end_time: day(10) }, token);
    expect(ended.body).toEqual({ ...created, end_time: day(10) });
    const at = async (time: string) =>
      (await s.get(`${MEMBERS}?squad=${squad}&at=${time}`, token)).body.results.length;
    expect([await at(day(9)), await at(day(10))]).toEqual([1, 0]);
  });

  it("never overlaps another membership of the same athlete, for any number of concurrent requests", async () => {
    const team = await Team.of(s);
    const { token } = team.manager;
    const squad = await squadOf(team.manager);
    const body = { squad, athlete: team.athlete, start_time: day(1), end_time: day(10) };
    const answers = await Promise.all(Array.from({ length: 5 }, () => s.post(MEMBERS, body, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const later = await s.post(MEMBERS, { ...body, start_time: day(10), end_time: day(20) }, token);
    expect(later.status).toBe(201);
    expect(problem(await patch(`${MEMBERS}${later.body.id}/`, { start_time: day(9) }, token))).toEqual([
      409,
      "member_overlaps",
    ]);
  });

  it("is refused with the field that is invalid", async () => {
    const team = await Team.of(s);
    const { token } = team.manager;
    const squad = await squadOf(team.manager);
    const body = { squad, athlete: team.athlete, start_time: day(1) };
    const unread = await Team.of(s);
    for (const [change, field] of [
      [{ end_time: day(1) }, "end_time"],
      [{ athlete: unread.athlete }, "athlete"],
      [{ params: { hid_thresholds: [5, 4] } }, "params.hid_thresholds"],
      [{ params: { speed: 1 } }, "params.speed"],
      [{ number: 1000 }, "number"],
      [{ colour: "red" }, "colour"],
    ] as const) {
      const { status, body: problem } = await s.post(MEMBERS, { ...body, ...change }, token);
      expect([status, problem.errors?.[0]?.field]).toEqual([400, field]);
    }
  });

  it("is refused with a speed that no counted sample of any sport reaches, with the unit", async () => {
    const team = await Team.of(s);
    const { token } = team.manager;
    const body = { squad: await squadOf(team.manager), athlete: team.athlete, start_time: day(1) };
    const errors = async (params: object) =>
      (await s.post(MEMBERS, { ...body, params }, token)).body.errors.map(
        ({ field, detail }: { field: string; detail: string }) => `${field}: ${detail}`,
      );
    const rule = "Must be from 0.1 to 30 m/s (108 km/h); faster samples do not count.";
    expect(await errors({ sprint_threshold: 30.1 })).toEqual([`params.sprint_threshold: ${rule}`]);
    expect(await errors({ hid_thresholds: [4, 70] })).toEqual([`params.hid_thresholds.1: ${rule}`]);
    const params = { sprint_threshold: 30, hid_thresholds: [20, 30] };
    expect((await s.post(MEMBERS, { ...body, params }, token)).status).toBe(201);
  });
});

describe("an assignment", () => {
  it("records which athlete wears a device; only one athlete can wear it at a time", async () => {
    const team = await Team.of(s);
    const { token } = team.manager;
    const body = { device: team.device.id, athlete: team.athlete, start_time: day(1) };
    const { body: first } = await s.post(ASSIGNMENTS, body, token);
    const second = await s.post(ASSIGNMENTS, { ...body, start_time: day(5) }, token);
    expect(problem(second)).toEqual([409, "assignment_overlaps"]);
    expect(second.body.detail).toContain("An athlete already wears the device");
    await patch(`${ASSIGNMENTS}${first.id}/`, { end_time: day(5) }, token);
    expect((await s.post(ASSIGNMENTS, { ...body, start_time: day(5) }, token)).status).toBe(201);
    const at = await s.get(`${ASSIGNMENTS}?device=${team.device.id}&at=${day(4)}`, token);
    expect(at.body.results.map(({ id }: { id: number }) => id)).toEqual([first.id]);
  });

  it("requires a device of the manager and WRITE permission on the athlete", async () => {
    const team = await Team.of(s);
    const other = await Team.of(s);
    const create = (device: number, athlete: number) =>
      s.post(ASSIGNMENTS, { device, athlete, start_time: day(1) }, team.manager.token);
    const fieldsOf = async (answer: Promise<Answer>) =>
      (await answer).body.errors.map(({ field }: { field: string }) => field);
    expect(await fieldsOf(create(other.device.id, other.athlete))).toEqual(["device", "athlete"]);
    await grant(s, other.athlete, team.manager.id, "READ", day(1), "2999-01-01T00:00:00.000Z");
    expect(await fieldsOf(create(team.device.id, other.athlete))).toEqual(["athlete"]);
  });

  it("is recorded in the audit log, as are its members and squads", async () => {
    const team = await Team.of(s);
    const { body } = await s.post(
      ASSIGNMENTS,
      { device: team.device.id, athlete: team.athlete, start_time: day(1) },
      team.manager.token,
    );
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "assignment"), eq(auditLog.entityId, body.id)));
    expect(rows).toMatchObject([{ operation: "createAssignment", after: { athleteId: team.athlete } }]);
  });
});
