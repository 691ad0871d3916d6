/** Tests the sessions of a squad. A session is an activity with periods, from which time frames are derived. */
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import {
  accounts,
  assignments,
  auditLog,
  sessionFigures,
  sessions,
  squadMembers,
} from "../src/store/schema.js";
import { json, unzip } from "./personal-data-scene.js";
import { problem } from "./problem.js";
import { service, startService, type TestService } from "./service.js";
import {
  half,
  minute,
  putPeriods,
  SquadScene,
  START,
  squadWithSession,
  type TestPlayer,
} from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const played = (...names: string[]) => squadWithSession(s, ...names);

describe("a session", () => {
  it("is an activity of version 1 with the same id, and is found by its Location", async () => {
    const scene = await SquadScene.of(s);
    const created = await scene.send("POST", "/api/v2/sessions/", scene.body({ notes: "Rain.\nCold." }));
    expect(created.status).toBe(201);
    const path = `/api/v2/sessions/${created.body.id}/`;
    expect(created.headers.get("location")).toBe(path);
    expect(created.body).toEqual({
      ...scene.body(),
      id: created.body.id,
      place: null,
      notes: "Rain.\nCold.",
      computing: true,
      limit_reached: false,
    });
    expect((await scene.send("GET", path)).body).toEqual(created.body);
    const activity = await s.get(`/api/v1/activities/${created.body.id}/`, scene.manager.token);
    expect(activity.body).toMatchObject({
      name: "Round 3",
      json: { sport: "soccer" },
      owner: scene.manager.id,
    });
  });

  it("is refused if the squad belongs to another manager, the end is before the start, or the duration is more than a day", async () => {
    const [scene, other] = [await SquadScene.of(s), await SquadScene.of(s)];
    for (const [changes, field] of [
      [{ squad: other.squad }, "squad"],
      [{ end_time: START }, "end_time"],
      [{ end_time: minute(25 * 60) }, "end_time"],
      [{ sport: "chess" }, "sport"],
      [{ colour: "red" }, "colour"],
    ] as const) {
      const answer = await scene.send("POST", "/api/v2/sessions/", scene.body(changes));
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
    }
  });

  it("is listed newest first, and can be filtered by squad, kind and time", async () => {
    const scene = await SquadScene.of(s);
    const first = await scene.session();
    const second = await scene.session({ kind: "training", start_time: minute(120), end_time: minute(180) });
    const listed = async (query: string) =>
      (await scene.send("GET", `/api/v2/sessions/?${query}`)).body.results.map(
        ({ id }: { id: number }) => id,
      );
    expect(await listed("")).toEqual([second, first]);
    expect(await listed(`squad=${scene.squad}&kind=match`)).toEqual([first]);
    expect(await listed(`from=${minute(60)}`)).toEqual([second]);
    expect(await listed(`to=${minute(120)}`)).toEqual([first]);
    const { body } = await scene.send("GET", "/api/v2/sessions/?limit=1");
    expect(await listed(`limit=1&cursor=${body.next}`)).toEqual([first]);
  });

  it("is deleted together with its activity, also in version 1, and the audit log records both deletions", async () => {
    const { scene, session, path } = await played("Ann");
    const later = await scene.session();
    expect((await scene.send("DELETE", path)).status).toBe(204);
    expect((await scene.send("DELETE", `/api/v1/activities/${later}/`)).status).toBe(204);
    for (const id of [session, later]) {
      expect(problem(await scene.send("GET", `/api/v2/sessions/${id}/`))).toEqual([404, "not_found"]);
      expect((await scene.send("GET", `/api/v1/activities/${id}/`)).status).toBe(404);
      const rows = await s.store.database.queries.select().from(auditLog).where(eq(auditLog.entityId, id));
      const ended = rows.filter(({ entity, after }) => entity === "session" && after === null);
      expect(ended).toHaveLength(1);
    }
    expect(await scene.frames(session)).toEqual([]);
  });

  it("is not created if its squad is deleted concurrently, unless the deletion is refused", async () => {
    for (let round = 0; round < 4; round++) {
      const scene = await SquadScene.of(s);
      const [deleted, ...created] = await Promise.all([
        scene.send("DELETE", `/api/v2/squads/${scene.squad}/`),
        ...Array.from({ length: 4 }, () => scene.send("POST", "/api/v2/sessions/", scene.body())),
      ]);
      const statuses = new Set(created.map(({ status }) => status));
      expect([204, 409]).toContain(deleted.status);
      expect([...statuses]).toEqual([deleted.status === 204 ? 400 : 201]);
    }
  });

  it("has at most 200 players and 1,000 assignments", async () => {
    const { queries } = s.store.database;
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const tiny = (n: number) => ({
      startTime: new Date(Date.parse(START) + 2 * n),
      endTime: new Date(Date.parse(START) + 2 * n + 1),
    });
    await queries.insert(assignments).values(
      Array.from({ length: 1_000 }, (_, n) => ({
        ownerId: scene.manager.id,
        deviceId: ann.device.id,
        athleteId: ann.athlete,
        ...tiny(n),
      })),
    );
    const create = async () => problem(await scene.send("POST", "/api/v2/sessions/", scene.body()));
    expect(await create()).toEqual([409, "session_too_large"]);
    await queries.delete(assignments).where(eq(assignments.ownerId, scene.manager.id));
    const others = await queries
      .insert(accounts)
      .values(
        Array.from({ length: 200 }, (_, n) => ({
          role: "ATHLETE" as const,
          username: `of-${scene.squad}-${n}`,
          usernameKey: `of-${scene.squad}-${n}`,
          email: "",
          createdAt: new Date(),
        })),
      )
      .returning({ id: accounts.id });
    await queries
      .insert(squadMembers)
      .values(others.map(({ id }, n) => ({ squadId: scene.squad, athleteId: id, params: {}, ...tiny(n) })));
    expect(await create()).toEqual([409, "session_too_large"]);
  });

  it("is changed only if the client has the current version", async () => {
    const { scene, path } = await played();
    const { headers } = await scene.send("GET", path);
    const tag = { "If-Match": headers.get("etag") ?? "" };
    expect((await scene.send("PATCH", path, { name: "Cup" }, tag)).body.name).toBe("Cup");
    expect(problem(await scene.send("PATCH", path, { name: "Final" }, tag))).toEqual([
      412,
      "precondition_failed",
    ]);
  });
});

describe("the time frames of a session", () => {
  it("are one per player, device and interval, end before the end of the session, and count in version 1 like any other time frame", async () => {
    const { scene, first, path, session } = await played("Ann");
    expect((await putPeriods(scene, path, [half()])).status).toBe(200);
    const frames = await scene.frames(session);
    expect(
      frames.map(({ athlete, device, start_time, end_time }) => [athlete, device, start_time, end_time]),
    ).toEqual([
      [first.athlete, first.device.id, START, "2024-06-01T13:59:59.999Z"],
      [first.athlete, first.device.id, minute(5), "2024-06-01T13:24:59.999Z"],
    ]);
    await scene.run(first.device, 0, 2);
    await s.runJobs();
    const computed = await scene.send("GET", `/api/v1/timeframes/${frames[0]?.id}/computed-data/`);
    expect(computed.body.total_distance).toBeCloseTo(360, 0);
  });

  it("keep their ids if they are unchanged", async () => {
    const { scene, path, session } = await played("Ann", "Bob");
    await putPeriods(scene, path, [half()]);
    const before = await scene.frames(session);
    await putPeriods(scene, path, [
      half({ name: "Drill", start_time: minute(30), end_time: minute(40) }),
      half(),
    ]);
    const after = await scene.frames(session);
    expect(after.filter(({ id }) => before.some((one) => one.id === id))).toEqual(before);
    expect(after).toHaveLength(6);
    await scene.send("PATCH", path, { end_time: minute(50) });
    const shorter = await scene.frames(session);
    expect(shorter.filter(({ id }) => after.some((one) => one.id === id))).toHaveLength(4);
    expect(shorter).toHaveLength(6);
  });

  it("are restored by the next change after version 1 has deleted or changed them", async () => {
    const { scene, first, path, session } = await played("Ann", "Bob");
    const [ann, bob] = await scene.frames(session);
    await scene.send("DELETE", `/api/v1/timeframes/${ann?.id}/`);
    await scene.send("PATCH", `/api/v1/timeframes/${bob?.id}/`, { athlete: first.athlete });
    await scene.send("PATCH", path, { place: "Away" });
    const { id: _ann, ...one } = ann ?? {};
    const { id: _bob, ...other } = bob ?? {};
    expect(await scene.frames(session)).toEqual([
      expect.objectContaining(one),
      expect.objectContaining(other),
    ]);
  });

  it("follow changes to the assignments and to the sport", async () => {
    const { scene, first, second, path, session } = await played("Ann", "Bob");
    const known = await scene.send("GET", "/api/v2/assignments/");
    for (const { id } of known.body.results) await scene.send("DELETE", `/api/v2/assignments/${id}/`);
    const assign = (athlete: number, start_time: string, end_time: string) =>
      scene.send("POST", "/api/v2/assignments/", { device: second.device.id, athlete, start_time, end_time });
    await assign(first.athlete, START, minute(10));
    await assign(second.athlete, minute(10), minute(60));
    await s.runJobs();
    const frames = await scene.frames(session);
    const ends = new Map(frames.map(({ athlete, device, end_time }) => [athlete, [device, end_time]]));
    expect(ends).toEqual(
      new Map([
        [first.athlete, [second.device.id, "2024-06-01T13:09:59.999Z"]],
        [second.athlete, [second.device.id, "2024-06-01T13:59:59.999Z"]],
      ]),
    );
    const changed = await scene.send("PATCH", path, { sport: "running" });
    expect([changed.status, changed.body.sport]).toEqual([200, "running"]);
    expect(await scene.frames(session)).toHaveLength(2);
  });

  it("are created when a permission is granted later", async () => {
    const scene = await SquadScene.of(s);
    const athlete = await s.athlete();
    await scene.join(athlete.id, {}, 1);
    await scene.assign(athlete.id, await scene.device());
    const session = await scene.session();
    const missing = (await scene.figures(session)).body.left_out;
    expect(missing).toMatchObject([{ athlete: athlete.id, reason: "no_permission" }]);
    const given = await s.post(
      `/api/v1/athletes/${athlete.id}/managers/${scene.manager.id}/permissions/`,
      { start_time: "2020-01-01T00:00:00Z", expiration_time: "2999-01-01T00:00:00Z", permission: "WRITE" },
      athlete.token,
    );
    expect(given.status).toBe(200);
    await s.runJobs();
    expect((await scene.frames(session)).map((frame) => frame.athlete)).toEqual([athlete.id]);
    // Without READ permission, their figures are not shown.
    expect((await scene.figures(session)).body.left_out).toMatchObject([
      { athlete: athlete.id, reason: "no_read_permission" },
    ]);
  });

  it("are limited to the maximum of an activity", async () => {
    const small = await startService({ activityMaxTimeframes: 2 });
    const { scene, path, session } = await played("Ann", "Bob");
    const answer = await small.send("PUT", `${path}periods/`, { token: scene.manager.token, json: [half()] });
    expect(problem(answer)).toEqual([409, "too_many_timeframes"]);
    expect(await scene.frames(session)).toHaveLength(2);
    expect((await scene.send("GET", `${path}periods/`)).body).toEqual([]);
  });
});

describe("an athlete of a session", () => {
  it("gets the figures in the export, without serial numbers", async () => {
    const { scene, first, path, session } = await played("Ann");
    await putPeriods(scene, path, [half()]);
    await scene.run(first.device, 0, 1);
    await scene.figures(session);
    const response = await fetch(`${s.service.url}/api/v1/athletes/${first.athlete}/export/`, {
      headers: { Authorization: `Bearer ${scene.manager.token}` },
    });
    const files = await unzip(Buffer.from(await response.arrayBuffer()));
    const [exported] = json(files, "session-figures.json");
    expect([exported.session, exported.periods.map(({ period }: { period: string }) => period)]).toEqual([
      session,
      ["", "1st half"],
    ]);
    expect(exported.periods[0].figures.distance_m).toBeCloseTo(180, 0);
    expect(files.get("session-figures.json")).not.toContain(first.device.serial_number);
  });

  it("is deleted with the figures and the rows of periods", async () => {
    const { scene, first, path, session } = await played("Ann", "Bob");
    await putPeriods(scene, path, [
      half(),
      half({ start_time: null, end_time: null, athlete: first.athlete }),
    ]);
    await scene.run(first.device, 0, 1);
    await scene.figures(session);
    const { status } = await scene.send("DELETE", `/api/v1/athletes/${first.athlete}/`);
    expect(status).toBe(204);
    const { queries } = s.store.database;
    expect(await queries.$count(sessionFigures, eq(sessionFigures.athleteId, first.athlete))).toBe(0);
    expect((await scene.send("GET", `${path}periods/`)).body).toEqual([half()]);
    expect(await queries.$count(sessions, eq(sessions.activityId, session))).toBe(1);
    expect((await scene.figures(session)).body.rows.map(({ player }: { player: string }) => player)).toEqual([
      "Bob",
      "Bob",
    ]);
  });
});
