/** Tests that a session is not shown as current if a waiting job will change its time frames. */
import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import type { Context } from "../src/domain/change/context.js";
import { queueSessionFigures } from "../src/domain/computed-data/queue.js";
import { type ChangedSessions, queueDerivation } from "../src/domain/sessions/derive-sessions.js";
import { sessionTable } from "../src/domain/sessions/figures.js";
import { listSessions } from "../src/domain/sessions/list.js";
import { readableSession } from "../src/domain/sessions/rules.js";
import { sessionDetails, waitingDerivations } from "../src/domain/sessions/waiting-work.js";
import { queriesOf } from "../src/store/connection/database.js";
import {
  assignments,
  jobs,
  permissions,
  sessionFigures,
  squadMembers,
  timeframes,
} from "../src/store/schema.js";
import { service, startService } from "./service.js";
import { minute, SquadScene, type TestPlayer, tokenOf } from "./squad-scene.js";
import { newActivity } from "./team.js";

const times = { start_time: minute(-100), end_time: minute(100) };

/**
 * Creates a session with Ann and Bob and samples of Ann, whose jobs have all run, and an athlete with a device who can join the
 * squad.
 */
async function currentSession() {
  const s = await service();
  const scene = await SquadScene.of(s, ["Ann", "Bob", "Cem"]);
  const [ann, bob, cem] = scene.players as [TestPlayer, TestPlayer, TestPlayer];
  await s.store.database.queries.delete(squadMembers).where(eq(squadMembers.athleteId, cem.athlete));
  const join = async () => {
    const member = { squad: scene.squad, athlete: cem.athlete, ...times };
    expect((await scene.send("POST", "/api/v2/members/", member)).status).toBe(201);
  };
  await scene.run(ann.device, 0, 10);
  const session = await scene.session();
  const path = `/api/v2/sessions/${session}/`;
  const season = async () => {
    const { body } = await scene.send("GET", `/api/v2/squads/${scene.squad}/season/`);
    return body.sessions.map(({ computing }: { computing: boolean }) => computing) as boolean[];
  };
  const details = async () => {
    const { computing } = (await scene.send("GET", path)).body;
    expect((await season())[0]).toBe(computing);
    return computing as boolean;
  };
  const table = async () => {
    const { body } = await scene.send("GET", `${path}figures/?wait=60`);
    return body.computing.map(({ player }: { player: string }) => player) as string[];
  };
  await s.runJobs();
  await table();
  await s.runJobs();
  expect([await details(), await table()]).toEqual([false, []]);
  return { s, scene, session, path, ann, bob, join, details, season, table };
}

describe("the details of a session, its table and the season say that its figures are being computed", () => {
  it("for the players of a changed assignment, until its derivation has run", async () => {
    const { s, scene, bob, details, table } = await currentSession();
    const device = await s.ownedDevice(scene.manager);
    const assignment = { athlete: bob.athlete, device: device.id, ...times };
    expect((await scene.send("POST", "/api/v2/assignments/", assignment)).status).toBe(201);
    expect(await details()).toBe(true);
    expect(await table()).toEqual(["Bob"]);
    await s.runJobs();
    expect(await details()).toBe(false);
    expect(await table()).toEqual([]);
  });

  it("for all players after a change to the squad, and for a player who has just joined it", async () => {
    const { s, join, details, table } = await currentSession();
    await join();
    expect(await details()).toBe(true);
    expect(await table()).toEqual(["Ann", "Bob", "Cem"]);
    await s.runJobs();
    expect(await table()).toEqual([]);
  });

  it("for all players after a change to its times, which the response also reports", async () => {
    const { s, scene, path, details, table } = await currentSession();
    const changed = await scene.send("PATCH", path, { end_time: minute(59) });
    expect(changed.body.computing).toBe(true);
    expect(await table()).toEqual(["Ann", "Bob"]);
    await s.runJobs();
    expect([await details(), await table()]).toEqual([false, []]);
  });

  it("in the season only for the sessions that a derivation or a job of figures will change", async () => {
    const { s, scene, session, ann, season } = await currentSession();
    const other = await scene.session({ start_time: minute(120), end_time: minute(180) });
    expect(await season()).toEqual([false, true]);
    await s.runJobs();
    expect(await season()).toEqual([false, false]);
    await transact(s.computing, "figures", (unit) =>
      queueSessionFigures(unit, [{ id: session, ownerId: scene.manager.id }]),
    );
    expect(await season()).toEqual([true, false]);
    await s.runJobs();
    // Ann was a member at the time of the first session only.
    const { queries } = s.store.database;
    const times = { fromMs: Date.parse(minute(0)), toMs: Date.parse(minute(200)) };
    const derive = (change: Partial<ChangedSessions>) =>
      transact(s.computing, "derivation", (unit) =>
        queueDerivation(unit, { ownerId: scene.manager.id, ...times, ...change }),
      );
    await queries
      .update(squadMembers)
      .set({ endTime: new Date(minute(90)) })
      .where(eq(squadMembers.athleteId, ann.athlete));
    await derive({ athleteId: ann.athlete });
    expect(await season()).toEqual([true, false]);
    await s.runJobs();
    await derive({ sessionId: other });
    expect(await season()).toEqual([false, true]);
    // Too many derivations to compare them all.
    for (let n = 1; n <= 100; n++) await derive({ sessionId: other + n });
    expect(await season()).toEqual([true, true]);
    await s.runJobs();
    expect(await season()).toEqual([false, false]);
  });

  it("only for players whom the caller can see", async () => {
    const { s, scene, ann, join, path } = await currentSession();
    await join();
    const { body } = await s.get(`${path}figures/`, await tokenOf(scene, ann));
    expect(body.computing.map(({ player }: { player: string }) => player)).toEqual(["Ann"]);
  });

  it("while its derivation runs, but not if a derivation has passed the session or concerns other times", async () => {
    const { s, scene, session, join, details, table } = await currentSession();
    await join();
    const { queries } = s.store.database;
    const isDerivation = and(
      eq(jobs.kind, "derive"),
      eq(jobs.chargedTo, scene.manager.id),
      eq(jobs.state, "PENDING"),
    );
    const [job] = await queries.select().from(jobs).where(isDerivation);
    const seen = async (
      change: Record<string, unknown>,
      state: "PENDING" | "STARTED" | "SUCCESS" = "PENDING",
    ) => {
      const payload = { ...job?.payload, ...change };
      await queries
        .update(jobs)
        .set({ payload, state })
        .where(eq(jobs.id, job?.id ?? 0));
      return [await details(), (await table()).length > 0];
    };
    expect(await seen({})).toEqual([true, true]);
    expect(await seen({}, "STARTED")).toEqual([true, true]);
    expect(await seen({}, "SUCCESS")).toEqual([false, false]);
    expect(await seen({ after: session, until: 0 })).toEqual([false, false]);
    // The derivation continues with later sessions, and then with the first ones.
    expect(await seen({ after: session, until: session })).toEqual([true, true]);
    expect(await seen({ after: session + 1, until: session })).toEqual([true, true]);
    expect(await seen({ after: session + 1, until: session - 1 })).toEqual([false, false]);
    // The session is between the two positions.
    expect(await seen({ after: session - 1, until: session })).toEqual([true, true]);
    expect(await seen({ after: session, until: session + 1 })).toEqual([false, false]);
    expect(await seen({ fromMs: Date.parse(minute(60)) })).toEqual([false, false]);
    expect(await seen({ toMs: Date.parse(minute(0)) })).toEqual([false, false]);
    expect(await seen({ subject: "squad 0" })).toEqual([false, false]);
    expect(await seen({ subject: "all" })).toEqual([true, true]);
  });
});

it("the end of a computation does not count as a change by another user: If-Match accepts the earlier entity tag", async () => {
  const { s, scene, join, path } = await currentSession();
  await join();
  const before = await scene.send("GET", path);
  await s.runJobs();
  const after = await scene.send("GET", path);
  expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
  const rename = (name: string, tag: string | null) =>
    scene.send("PATCH", path, { name }, { "If-Match": tag ?? "" });
  expect((await rename("Renamed", before.headers.get("etag"))).status).toBe(200);
  expect((await rename("Again", after.headers.get("etag"))).status).toBe(412);
});

it("the state takes one statement for one session, and none for a list of sessions", async () => {
  const { s, scene, session: id } = await currentSession();
  let sent: string[] = [];
  const queries = queriesOf(s.store.database.pool, { logQuery: (text) => void sent.push(text) });
  const { id: caller, username } = scene.manager;
  const role = { role: "MANAGER", canCreateManagedAthletes: true, scopes: null } as const;
  const ctx: Context = { ...s.computing, queries, caller: { id: caller, username, ...role } };
  const session = await readableSession.find(ctx, { session: id }, { queries, lock: false });
  const searches = async (work: () => Promise<unknown>) => {
    sent = [];
    await work();
    return sent.filter((text) => text.includes("'subject'")).length;
  };
  expect(await searches(() => sessionDetails(queries, session))).toBe(1);
  expect(sent).toHaveLength(1);
  expect(await searches(() => sessionTable(ctx, session))).toBe(1);
  let listed: { results: object[] } = { results: [] };
  const list = async () => {
    listed = await listSessions(ctx, { limit: 20 });
  };
  expect(await searches(list)).toBe(0);
  expect(listed.results).toMatchObject([{ id }]);
  expect(listed.results[0]).not.toHaveProperty("computing");
});

it("the state considers the jobs of at most 201 players of a squad", async () => {
  const { s, scene, session } = await currentSession();
  const { pool, queries } = s.store.database;
  await queries.execute(sql`
    WITH added AS (
      INSERT INTO accounts (role, username, username_key, email, managed_by, is_default_athlete, created_at)
      SELECT 'ATHLETE', name, name, name || '@example.org', ${scene.manager.id}, false, now()
      FROM generate_series(1, 400) AS n, LATERAL (SELECT 'many-' || n || '-' || ${scene.squad}::bigint AS name) AS named
      RETURNING id)
    INSERT INTO squad_members (squad_id, athlete_id, params, start_time, end_time)
    SELECT ${scene.squad}, id, '{}', '2020-01-01', '2030-01-01' FROM added`);
  const sent: [string, unknown[]][] = [];
  const logged = queriesOf(pool, { logQuery: (text, values) => void sent.push([text, values]) });
  await waitingDerivations(logged, {
    id: session,
    ownerId: scene.manager.id,
    squadId: scene.squad,
    startTime: new Date(minute(0)),
    endTime: new Date(minute(60)),
  });
  const [[text, values] = ["", []]] = sent;
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  const [, searched] = /"Relation Name":"jobs"[^{}]*?"Actual Loops":(\d+)/.exec(JSON.stringify(rows)) ?? [];
  expect(Number(searched)).toBe(3 + 201);
});

describe("a derivation that a limit prevents", () => {
  it.each(["activityMaxTimeframes", "quotaTimeframes"])(
    "%s: leaves no figures of a wrong player; all forms of the session name the incomplete players",
    async (limit) => {
      const { s, scene, session, path, ann, bob, join } = await currentSession();
      const small = await startService({ [limit]: 2 });
      expect(await scene.frames(session)).toHaveLength(2);
      const { id: deviceId } = await scene.device();
      const { queries } = s.store.database;
      const ofAnn = eq(assignments.athleteId, ann.athlete);
      await queries.update(assignments).set({ deviceId }).where(ofAnn);
      await join();
      await small.runJobs();
      expect((await scene.frames(session)).map(({ athlete }) => athlete)).toEqual([bob.athlete]);
      const stored = await queries.select().from(sessionFigures).where(eq(sessionFigures.sessionId, session));
      expect(new Set(stored.map(({ athleteId }) => athleteId))).toEqual(new Set([bob.athlete]));
      const { rows, left_out, computing } = (await scene.send("GET", `${path}figures/?wait=60`)).body;
      expect(rows.map(({ player }: { player: string }) => player)).toEqual(["Bob"]);
      expect(left_out).toMatchObject([
        { player: "Ann", period: null, reason: "limit_reached" },
        { player: "Cem", period: null, reason: "limit_reached" },
      ]);
      expect(computing).toEqual([]);
      expect((await scene.send("GET", path)).body).toMatchObject({ computing: false, limit_reached: true });
      const season = async () =>
        (await scene.send("GET", `/api/v2/squads/${scene.squad}/season/`)).body.sessions[0].not_computed
          .length;
      expect(await season()).toBe(2);
      expect(await incompleteInFiles(scene, path)).toEqual([
        { player: "Bob", incomplete: "" },
        { player: "Ann", incomplete: "limit_reached" },
        { player: "Cem", incomplete: "limit_reached" },
      ]);
      // Bob sees nothing about the others.
      const bobs = (await s.get(path, await tokenOf(scene, bob))).body;
      expect(bobs.limit_reached).toBe(false);

      expect((await scene.send("PATCH", path, { place: "Away" })).body.limit_reached).toBe(false);
      await s.runJobs();
      expect(await scene.frames(session)).toHaveLength(3);
      expect((await scene.send("GET", `${path}figures/`)).body.left_out).toEqual([]);
      expect(await season()).toBe(0);
      const { body } = await scene.send("GET", `${path}figures/`, undefined, { Accept: "text/csv" });
      expect(body).not.toContain("incomplete");
    },
  );

  it("leaves the time frames whose thresholds alone have changed, until a derivation is possible", async () => {
    const { s, scene, session, path, ann, join } = await currentSession();
    const { queries } = s.store.database;
    const params = { max_hr: 190 };
    await queries.update(squadMembers).set({ params }).where(eq(squadMembers.athleteId, ann.athlete));
    const before = await scene.frames(session);
    const small = await startService({ activityMaxTimeframes: 2 });
    await join();
    await small.runJobs();
    expect(await scene.frames(session)).toEqual(before);
    const { rows, left_out } = (await scene.send("GET", `${path}figures/?wait=60`)).body;
    expect([rows, left_out].map((all) => all.map(({ player }: { player: string }) => player))).toEqual([
      ["Ann", "Bob"],
      ["Cem"],
    ]);
    expect((await scene.send("PATCH", path, { place: "Away" })).status).toBe(200);
    expect((await scene.frames(session)).map(({ params }) => params)).toContainEqual(params);
  });

  it("leaves a time frame that version 1 has moved, until a derivation restores it without the permission to write", async () => {
    const { s, scene, session, path, ann, join } = await currentSession();
    const { queries } = s.store.database;
    const own = and(eq(timeframes.athleteId, ann.athlete), eq(timeframes.ownerId, scene.manager.id));
    const [before] = await queries.select().from(timeframes).where(own);
    const activity = await newActivity(s, scene.manager);
    const moved = await scene.send("PATCH", `/api/v1/timeframes/${before?.id}/`, { activity });
    expect(moved.status).toBe(200);
    const isWrite = eq(permissions.permission, "WRITE");
    await queries.delete(permissions).where(and(eq(permissions.athleteId, ann.athlete), isWrite));
    const small = await startService({ activityMaxTimeframes: 1 });
    await join();
    await small.runJobs();
    expect((await scene.send("GET", path)).body.limit_reached).toBe(true);
    expect(await queries.select().from(timeframes).where(own)).toMatchObject([{ id: before?.id }]);
    expect((await scene.send("PATCH", path, { place: "Away" })).status).toBe(200);
    const { assignedAt, startTime, endTime } = before ?? {};
    expect(await queries.select().from(timeframes).where(own)).toMatchObject([
      { activityId: session, assignedAt, startTime, endTime },
    ]);
  });

  it("runs again when a time frame of the activity is deleted; a deleted time frame is not a limit", async () => {
    const { s, scene, session, path, bob, join, table } = await currentSession();
    const limits = async () =>
      (await scene.send("GET", `${path}figures/?wait=60`)).body.left_out.map(
        ({ player }: { player: string }) => player,
      );
    const [first] = await scene.frames(session);
    expect((await scene.send("DELETE", `/api/v1/timeframes/${first?.id}/`)).status).toBe(204);
    expect([await limits(), await table()]).toEqual([[], []]);
    await scene.send("PATCH", path, {});
    const small = await startService({ activityMaxTimeframes: 2 });
    await join();
    await small.runJobs();
    expect(await limits()).toEqual(["Cem"]);
    const [, second] = await scene.frames(session);
    await s.store.database.queries.delete(assignments).where(eq(assignments.athleteId, bob.athlete));
    await scene.send("DELETE", `/api/v1/timeframes/${second?.id}/`);
    await small.runJobs();
    expect((await scene.frames(session)).map(({ athlete }) => athlete)).not.toContain(bob.athlete);
    expect(await scene.frames(session)).toHaveLength(2);
    expect((await scene.send("GET", path)).body.limit_reached).toBe(false);
  });

  it("because the session is too large: deletes what no longer applies, and season and details say so", async () => {
    const { s, scene, session, path, ann } = await currentSession();
    const { queries } = s.store.database;
    const { id: deviceId } = await scene.device();
    await queries.update(assignments).set({ deviceId }).where(eq(assignments.athleteId, ann.athlete));
    await queries.execute(sql`
      INSERT INTO assignments (owner_id, device_id, athlete_id, start_time, end_time)
      SELECT ${scene.manager.id}::bigint, ${deviceId}::bigint, ${ann.athlete}::bigint,
        ${minute(0)}::timestamptz + n * interval '1 s', ${minute(0)}::timestamptz + (n + 1) * interval '1 s'
      FROM generate_series(1, 1001) AS n`);
    await transact(s.ctx, "test", (unit) =>
      queueDerivation(unit, {
        ownerId: scene.manager.id,
        sessionId: session,
        ...{ fromMs: Date.parse(minute(0)), toMs: Date.parse(minute(60)) },
      }),
    );
    await s.runJobs();
    expect((await scene.frames(session)).map(({ athlete }) => athlete)).not.toContain(ann.athlete);
    expect((await scene.send("GET", `${path}figures/`)).body.code).toBe("session_too_large");
    expect((await scene.send("GET", path)).body.limit_reached).toBe(true);
    const { body } = await scene.send("GET", `/api/v2/squads/${scene.squad}/season/`);
    expect(body.sessions[0].not_computed).toContain(ann.athlete);
  });
});

/** The players in the CSV, and why their rows are incomplete. */
async function incompleteInFiles(scene: SquadScene, path: string) {
  const { body } = await scene.send("GET", `${path}figures/`, undefined, { Accept: "text/csv" });
  const [head = [], ...lines] = (body as string)
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const places = [head.indexOf("player"), head.indexOf("incomplete")];
  return lines.map((line) => ({ player: line[places[0] ?? 0], incomplete: line[places[1] ?? 0] }));
}
