/** Tests that changes are recorded in parts for objects that many accounts can read, and not for accounts that cannot sign in. */
import { and, eq, inArray, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { sessionsOfMembers } from "../src/domain/change-log/session-readers.js";
import { deletePermissions } from "../src/domain/permissions/remove.js";
import { deleteTimeframes } from "../src/domain/timeframes/remove.js";
import { createApplication } from "../src/oauth/applications.js";
import { changes, jobs, permissions, timeframes } from "../src/store/schema.js";
import { follow, object } from "./change-reader.js";
import { withOwnService } from "./file-service.js";
import type { TestService } from "./service.js";
import { guestOf, SquadScene, START } from "./squad-scene.js";

const it = withOwnService();

const HOUR_MS = 3_600_000;

/** More than one transaction records. */
const MANY = 450;

const waiting = (s: TestService) =>
  s.store.database.queries.$count(jobs, and(eq(jobs.kind, "record-figures"), eq(jobs.state, "PENDING")));

/** Returns the accounts among these that have been told about a squad since the last call. */
function toldOf(s: TestService, squad: number, accounts: readonly number[]) {
  const { queries } = s.store.database;
  const ofSquad = and(
    eq(changes.kind, "squad"),
    eq(changes.objectId, squad),
    inArray(changes.accountId, [...accounts]),
  );
  return async () => {
    const told = await queries.$count(changes, ofSquad);
    await queries.delete(changes).where(ofSquad);
    return told;
  };
}

/** Creates a squad with many athletes who can sign in. */
async function largeSquad(s: TestService) {
  const scene = await SquadScene.of(s);
  const { rows } = await s.store.database.queries.execute<{ id: string }>(sql`
    WITH added AS (
      INSERT INTO accounts (role, username, username_key, email, created_at)
      SELECT 'ATHLETE', name, name, '', now() FROM generate_series(1, ${MANY}::integer) AS n
        CROSS JOIN LATERAL (SELECT 'reader-' || ${scene.squad}::text || '-' || n AS name) AS named RETURNING id
    ), joined AS (
      INSERT INTO squad_members (squad_id, athlete_id, params, start_time, end_time)
      SELECT ${scene.squad}::bigint, id, '{}', '2020-01-01', '2999-01-01' FROM added
    ) SELECT id FROM added`);
  const athletes = rows.map(({ id }) => Number(id));
  return { scene, told: toldOf(s, scene.squad, athletes) };
}

describe("a squad with hundreds of athletes", () => {
  it("tells them in parts that it has another name, with one job at a time", async ({ service: s }) => {
    const { scene, told } = await largeSquad(s);
    const path = `/api/v2/squads/${scene.squad}/`;
    const next = await follow(s, scene.manager);
    for (const name of ["Second team", "Third team"])
      expect((await scene.send("PATCH", path, { name })).body.name).toBe(name);
    expect([await waiting(s), await told()]).toEqual([1, 0]);
    // The owner is told at once.
    expect(await next()).toEqual([object("squad", scene.squad)]);
    await s.runJobs();
    expect([await waiting(s), await told()]).toEqual([0, MANY]);
  });

  it("tells nobody if its name is the same", async ({ service: s }) => {
    const { scene } = await largeSquad(s);
    const path = `/api/v2/squads/${scene.squad}/`;
    const next = await follow(s, scene.manager);
    const { body } = await scene.send("GET", path);
    expect(await scene.send("PATCH", path, { name: body.name })).toMatchObject({ status: 200, body });
    expect([await waiting(s), await next()]).toEqual([0, []]);
  });

  it("tells them in parts that it is deleted", async ({ service: s }) => {
    const { scene, told } = await largeSquad(s);
    const next = await follow(s, scene.manager);
    expect((await scene.send("DELETE", `/api/v2/squads/${scene.squad}/`)).status).toBe(204);
    expect(await told()).toBeLessThan(MANY / 2);
    expect(await next()).toEqual([object("squad", scene.squad, true)]);
    await s.runJobs();
    expect(await told()).toBeGreaterThan(MANY / 2);
  });
});

/** Creates sessions, each with a time frame of a player, that the owner and two guests can read. */
async function manySessions(s: TestService, count: number) {
  const scene = await SquadScene.of(s, ["Ann"]);
  const guest = await guestOf(scene, "coach");
  await guestOf(scene, "coach");
  const session = await scene.session();
  await s.runJobs();
  await s.store.database.queries.execute(sql`
    WITH added AS (
      INSERT INTO activities (name, json, json_schema_id, owner_id, created_at)
      SELECT name, json, json_schema_id, owner_id, created_at FROM activities, generate_series(2, ${count}) WHERE id = ${session} RETURNING id
    ), held AS (
      INSERT INTO sessions (activity_id, squad_id, kind, start_time, end_time)
      SELECT added.id, squad_id, kind, start_time, end_time FROM added, sessions WHERE activity_id = ${session}
    ), frames AS (
      INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
      SELECT start_time, end_time, params, device_id, added.id, athlete_id, owner_id, json_schema_id, assigned_at
      FROM added, timeframes WHERE activity_id = ${session} RETURNING id, activity_id
    ) INSERT INTO session_timeframes (timeframe_id, session_id, period) SELECT id, activity_id, '' FROM frames`);
  await s.runJobs();
  const next = await follow(s, guest);
  /** Returns the number of sessions of which the guest is told. */
  const told = async (kind: "session" | "figures") =>
    new Set((await next()).filter((change) => change.kind === kind).map(({ id }) => id)).size;
  return { scene, athlete: scene.players[0]?.athlete ?? 0, told };
}

describe("a change to many sessions", () => {
  const COUNT = 120;

  it("is told in parts to those who can read them, with one job even if it repeats", async ({
    service: s,
  }) => {
    const { scene, athlete, told } = await manySessions(s, COUNT);
    for (const birth_date of ["2000-05-01", "2000-05-02"]) {
      const json = { athlete_profile: { birth_date } };
      expect((await scene.send("PATCH", `/api/v1/athletes/${athlete}/`, json)).status).toBeLessThan(300);
    }
    expect([await waiting(s), await told("figures")]).toEqual([1, 0]);
    await s.runJobs();
    expect(await told("figures")).toBe(COUNT);
  });

  it("is told if it deletes their time frames", async ({ service: s }) => {
    const { athlete, told } = await manySessions(s, COUNT);
    await transact(s.ctx, "test", (unit) => deleteTimeframes(unit, eq(timeframes.athleteId, athlete)));
    expect(await told("session")).toBe(0);
    await s.runJobs();
    expect(await told("session")).toBe(COUNT);
  });

  it("is told by a job even if they have few readers, and after sessions that nobody can read any more", async ({
    service: s,
  }) => {
    const { scene, athlete, told } = await manySessions(s, 30);
    const ofAthlete = eq(timeframes.athleteId, athlete);
    await transact(s.ctx, "test", (unit) => deleteTimeframes(unit, ofAthlete));
    expect([await waiting(s), await told("session")]).toEqual([1, 0]);
    await s.store.database.queries.execute(sql`DELETE FROM activities WHERE id IN (
      SELECT activity_id FROM sessions WHERE squad_id = ${scene.squad} ORDER BY activity_id LIMIT 25)`);
    await s.runJobs();
    expect(await told("session")).toBe(5);
  });
});

describe("an athlete with a hundred memberships of a squad", () => {
  /** Replaces the memberships by one for each interval of ms after the start of the sessions. */
  async function sessionsDuring(s: TestService, times: readonly { from: number; to: number }[]) {
    const { scene, athlete } = await manySessions(s, 3);
    const { queries } = s.store.database;
    await queries.execute(sql`DELETE FROM squad_members WHERE athlete_id = ${athlete}`);
    await queries.execute(sql`
      INSERT INTO squad_members (squad_id, athlete_id, params, start_time, end_time)
      SELECT ${scene.squad}::bigint, ${athlete}::bigint, '{}', ${START}::timestamptz + first, ${START}::timestamptz + last
      FROM unnest(${sql.param(times.map(({ from }) => `${from} ms`))}::interval[], ${sql.param(times.map(({ to }) => `${to} ms`))}::interval[])
        AS time (first, last)`);
    return (await queries.execute(sessionsOfMembers([{ athleteId: athlete }]))).rows.length;
  }

  it("has each session once", async ({ service: s }) => {
    const times = Array.from({ length: 100 }, (_, n) => ({ from: 2 * n, to: 2 * n + 1 }));
    expect(await sessionsDuring(s, times)).toBe(3);
  });

  it("has no sessions between two of them", async ({ service: s }) => {
    const around = [
      { from: -HOUR_MS, to: 0 },
      { from: 12 * HOUR_MS, to: 13 * HOUR_MS },
    ];
    expect(await sessionsDuring(s, around)).toBe(0);
  });
});

describe("a manager who loses a thousand permissions on one athlete", () => {
  it("is told once, without a job", async ({ service: s }) => {
    const { manager, players } = await SquadScene.of(s, ["Ann"]);
    const athlete = players[0]?.athlete ?? 0;
    const next = await follow(s, manager);
    await s.store.database.queries.execute(sql`
      INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
      SELECT ${athlete}::bigint, ${manager.id}::bigint, 'READ', '2020-01-01', '2999-01-01' FROM generate_series(1, 1000)`);
    await transact(s.ctx, "test", (unit) => deletePermissions(unit, eq(permissions.athleteId, athlete)));
    expect(await waiting(s)).toBe(0);
    expect(await next()).toEqual([object("athlete", athlete, true)]);
  });
});

describe("a managed athlete", () => {
  it("has no changes, because nobody can sign in as the athlete", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players;
    if (ann === undefined) throw new Error("No player");
    const session = await scene.session();
    await scene.run(ann.device, 0, 1);
    await scene.send("PATCH", `/api/v2/squads/${scene.squad}/`, { name: "Second team" });
    await scene.send("PATCH", `/api/v1/athletes/${ann.athlete}/`, { athlete_profile: { last_name: "Bell" } });
    await s.runJobs();
    const { queries } = s.store.database;
    expect(await queries.$count(changes, eq(changes.objectId, session))).toBeGreaterThan(0);
    expect(await queries.$count(changes, eq(changes.accountId, ann.athlete))).toBe(0);
  });

  it("has no applications that read in its name", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const { body } = await scene.send("GET", `/api/v1/athletes/${scene.players[0]?.athlete}/`);
    const machine = { username: body.username, scopes: ["sessions:read" as const] };
    await expect(
      createApplication(s.ctx, { name: "Reader", redirectUris: [], machine }),
    ).rejects.toMatchObject({ code: "invalid" });
  });
});
