/** Figures of past sessions whose samples retention has removed. */
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { sessionFiguresOf } from "../src/domain/exports/measured-rows.js";
import { FIGURES_VERSION } from "../src/domain/sessions/figures-inputs.js";
import { queueOutdatedFigures } from "../src/domain/sessions/outdated-figures.js";
import { applySampleRetention } from "../src/jobs/sample-retention.js";
import { queriesOf } from "../src/store/connection/database.js";
import { removedSamples, sessionFigures, squadMembers } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { service, TestService } from "./service.js";
import { minute, SquadScene, type TestPlayer } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const drill = (name: string, from: number, to: number) => ({
  name,
  start_time: minute(from),
  end_time: minute(to),
});

interface Shown {
  rows: {
    period: string | null;
    figures: { distance_m: number | null; sprints: number | null };
    computed_at: string;
  }[];
  left_out: { player: string; period: string | null; reason: string }[];
}

/** A session of Ann, who runs for ten minutes, with a drill. */
async function playedSession() {
  const scene = await SquadScene.of(s, ["Ann"]);
  const [ann] = scene.players as [TestPlayer];
  const session = await scene.session({ kind: "training" });
  const setPeriods = async (...periods: object[]) => {
    expect((await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, periods)).status).toBe(200);
  };
  await setPeriods(drill("First", 2, 4));
  await scene.run(ann.device, 0, 10);
  const table = async (): Promise<Shown> => (await scene.figures(session)).body;
  const distances = async () =>
    (await table()).rows.map(({ period, figures }) => [
      period,
      figures.distance_m === null ? null : Math.round(figures.distance_m),
    ]);
  const notes = async () =>
    (await table()).left_out.map(({ player, period, reason }) => [player, period, reason]);
  const season = async () => (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body;
  const lose = (from: number, to: number) =>
    s.store.database.queries.insert(removedSamples).values({
      deviceId: ann.device.id,
      startMs: Date.parse(minute(from)),
      stopMs: Date.parse(minute(to)),
    });
  return { scene, ann, session, setPeriods, table, distances, notes, season, lose };
}

async function memberOf({ athlete }: TestPlayer) {
  const [member] = await s.store.database.queries
    .select()
    .from(squadMembers)
    .where(eq(squadMembers.athleteId, athlete));
  return member?.id;
}

async function expireSamples() {
  const clock = { now: () => new Date(s.ctx.clock.now().getTime() + 10_000 * 86_400_000) };
  await applySampleRetention({ ...s.ctx, clock }, undefined, () => undefined);
}

it("the figures of a deleted time frame are deleted with it; an export contains only figures of the athlete's time frames", async () => {
  const { scene, ann, session, table } = await playedSession();
  await table();
  const { queries } = s.store.database;
  const isOfSession = eq(sessionFigures.sessionId, session);
  const periods = async () =>
    (await queries.select().from(sessionFigures).where(isOfSession)).map(({ period }) => period);
  const exported = async () => {
    let text = "";
    const athlete = { id: ann.athlete } as Parameters<typeof sessionFiguresOf>[1];
    for await (const part of sessionFiguresOf(s.ctx, athlete, () => undefined)) text += part;
    return (JSON.parse(text) as { periods: { period: string }[] }[]).map((one) =>
      one.periods.map(({ period }) => period),
    );
  };
  expect([await periods(), await exported()]).toEqual([["", "First"], [["", "First"]]]);
  const [whole] = await scene.frames(session);
  expect((await scene.send("DELETE", `/api/v1/timeframes/${whole?.id}/`)).status).toBe(204);
  expect([await periods(), await exported()]).toEqual([["First"], [["First"]]]);
  const ofOther = sql`regexp_replace(inputs, '[0-9]+$', ${String(whole?.id)}::text)`;
  await queries.update(sessionFigures).set({ inputs: ofOther }).where(isOfSession);
  expect([await periods(), await exported()]).toEqual([["First"], []]);
});

it("figures without samples in the session do not change when samples of their time frames outside of it are removed", async () => {
  const scene = await SquadScene.of(s, ["Ann"]);
  const [ann] = scene.players as [TestPlayer];
  const session = await scene.session({ kind: "training" });
  const [whole] = await scene.frames(session);
  // version 1 moves the time frame before the session
  const times = { start_time: minute(-30), end_time: minute(-10) };
  expect((await scene.send("PATCH", `/api/v1/timeframes/${whole?.id}/`, times)).status).toBe(200);
  await scene.run(ann.device, -30, -20);
  const table = async () => {
    const { rows, left_out } = (await scene.figures(session)).body as Shown;
    return { distances: rows.map(({ figures }) => figures.distance_m), left_out };
  };
  const before = await table();
  expect(before).toEqual({ distances: [null], left_out: [] });
  await expireSamples();
  expect(await table()).toEqual(before);
});

it("an export contains the figures of each session once, and its statements compare no time frames for each row", async () => {
  const { scene, ann, session, table } = await playedSession();
  await table();
  const sessions = [session];
  for (const from of [100, 200, 300, 400, 500]) {
    const next = await scene.session({
      kind: "training",
      start_time: minute(from),
      end_time: minute(from + 10),
    });
    await scene.run(ann.device, from, from + 5);
    await scene.figures(next);
    sessions.push(next);
  }
  const both: string[] = [];
  const queries = queriesOf(s.store.database.pool, {
    logQuery(text) {
      if (text.includes("session_figures") && text.includes("timeframes")) both.push(text);
    },
  });
  let [text, count] = ["", 0];
  const athlete = { id: ann.athlete } as Parameters<typeof sessionFiguresOf>[1];
  for await (const part of sessionFiguresOf({ ...s.ctx, queries }, athlete, () => count++)) text += part;
  const exported = JSON.parse(text) as { session: number; periods: object[] }[];
  expect(exported.map((one) => one.session)).toEqual(sessions);
  expect(exported.map(({ periods }) => periods.length)).toEqual([2, 1, 1, 1, 1, 1]);
  expect([count, both]).toEqual([6, []]);
});

describe("after retention has removed the samples of a session", () => {
  it("its figures remain when a drill is added, and when the thresholds of a player change", async () => {
    const { scene, ann, session, setPeriods, table, distances, notes, season } = await playedSession();
    const before = await table();
    const known = [
      [null, 1800],
      ["First", 360],
    ];
    expect(await distances()).toEqual(known);
    await expireSamples();
    await setPeriods(drill("First", 2, 4), drill("Second", 5, 7));
    await s.runJobs();
    expect(await distances()).toEqual([...known, ["Second", null]]);
    expect(await notes()).toEqual([["Ann", "Second", "samples_removed"]]);
    expect((await table()).rows.slice(0, 2)).toEqual(before.rows);

    const frames = await scene.frames(session);
    const params = { params: { sprint_threshold: 2 } };
    expect((await scene.send("PATCH", `/api/v2/members/${await memberOf(ann)}/`, params)).status).toBe(200);
    await s.runJobs();
    expect(await scene.frames(session)).toEqual(frames);
    expect(await distances()).toEqual([...known, ["Second", null]]);
    // They were computed with the former thresholds.
    expect(await notes()).toEqual(
      [null, "First", "Second"].map((period) => ["Ann", period, "samples_removed"]),
    );
    const { sessions, players } = await season();
    expect(sessions[0].not_computed).toEqual([]);
    expect(players[0].entries[0].figures.distance_m).toBeCloseTo(1800, 0);

    await setPeriods(drill("Second", 5, 7));
    expect(await distances()).toEqual([
      [null, 1800],
      ["Second", null],
    ]);
  });

  it("a part of the samples never counts as the whole; periods with all samples are computed", async () => {
    const { setPeriods, distances, notes, season, lose } = await playedSession();
    await lose(0, 1);
    expect(await distances()).toEqual([
      [null, null],
      ["First", 360],
    ]);
    expect(await notes()).toEqual([["Ann", null, "samples_removed"]]);
    expect((await season()).sessions[0].not_computed).toEqual([]);
    await setPeriods(drill("First", 2, 4), drill("Second", 5, 7));
    await lose(3, 3.5);
    expect(await distances()).toEqual([
      [null, null],
      ["First", 360],
      ["Second", 360],
    ]);
  });

  it("late samples of a complete period are computed, also if another period lacks samples", async () => {
    const { scene, ann, setPeriods, distances, lose, season } = await playedSession();
    await setPeriods(drill("First", 2, 4), drill("Late", 9, 12));
    const known = [
      [null, 1800],
      ["First", 360],
    ];
    expect(await distances()).toEqual([...known, ["Late", 180]]);
    await lose(3, 3.5);
    await scene.run(ann.device, 10, 12);
    expect(await distances()).toEqual([...known, ["Late", 540]]);
    expect((await season()).players[0].entries[0].figures.distance_m).toBeCloseTo(1800, 0);
  });

  it("new figures have the current thresholds, also if another period lacks samples and has the former ones", async () => {
    const { scene, ann, setPeriods, table, lose } = await playedSession();
    await setPeriods(drill("First", 2, 4), drill("Second", 5, 7));
    await table();
    await lose(3, 3.5);
    await scene.send("PATCH", `/api/v2/members/${await memberOf(ann)}/`, { params: { sprint_threshold: 2 } });
    await s.runJobs();
    const { rows } = await table();
    expect(rows.map(({ period, figures }) => [period, figures.sprints])).toEqual([
      [null, 0],
      ["First", 0],
      ["Second", 1],
    ]);
  });

  it("a start of the service examines 1,000 figures in each transaction, and a stop interrupts it", async () => {
    const own = await TestService.start(await newStore());
    const scene = await SquadScene.of(own, ["Ann"]);
    const session = await scene.session();
    const { queries, pool } = own.store.database;
    await queries.execute(sql`
      WITH added AS (
        INSERT INTO activities (name, json, json_schema_id, owner_id, created_at)
        SELECT name, json, json_schema_id, owner_id, created_at FROM activities, generate_series(2, 150) WHERE id = ${session} RETURNING id
      )
      INSERT INTO sessions (activity_id, squad_id, kind, start_time, end_time)
      SELECT added.id, squad_id, kind, start_time, end_time FROM added, sessions WHERE activity_id = ${session}`);
    await queries.execute(sql`
      INSERT INTO session_figures
        (session_id, athlete_id, period, inputs, figures, period_ms, seconds, details, computed_at, rules_version)
      SELECT activity_id, ${scene.players[0]?.athlete}, number, '0.x:', '{}', 0, '[]', '{}', now(), 0
      FROM sessions, generate_series(1, 7) AS number`);
    const stopping = new AbortController();
    const listening = queriesOf(pool, {
      logQuery: (text) => void (/INSERT INTO jobs/.test(text) && stopping.abort()),
    });
    expect(await queueOutdatedFigures({ ...own.ctx, queries: listening }, stopping.signal)).toBe(143);
    expect(await queueOutdatedFigures(own.ctx)).toBe(150);
  });

  it("a start of the service examines 1,000 figures in each statement, also of one session", async () => {
    const own = await TestService.start(await newStore());
    const scene = await SquadScene.of(own, ["Ann"]);
    const session = await scene.session();
    const { queries, pool } = own.store.database;
    await queries.execute(sql`
      INSERT INTO session_figures
        (session_id, athlete_id, period, inputs, figures, period_ms, seconds, details, computed_at, rules_version)
      SELECT ${session}::bigint, ${scene.players[0]?.athlete}::bigint, number, ${`${FIGURES_VERSION}:`}::text, '{}', 0, '[]', '{}', now(), 0
      FROM generate_series(10001, 12500) AS number`);
    let statements = 0;
    const counting = queriesOf(pool, {
      logQuery: (text) => void (/from "session_figures"/.test(text) && statements++),
    });
    const ctx = { ...own.ctx, queries: counting };
    expect(await queueOutdatedFigures(ctx)).toBe(0);
    expect(statements).toBe(3);
    await queries.update(sessionFigures).set({ inputs: "0.x:" }).where(eq(sessionFigures.period, "12500"));
    expect(await queueOutdatedFigures(ctx)).toBe(1);
  });

  it("a start of the service with other rules queues the session, and the season shows the kept figures again", async () => {
    const { table, season } = await playedSession();
    await table();
    await expireSamples();
    const { queries } = s.store.database;
    await queries.update(sessionFigures).set({ inputs: sql`regexp_replace(inputs, '^[^:]*', '0.x')` });
    expect((await season()).sessions[0].not_computed).toHaveLength(1);
    expect(await queueOutdatedFigures(s.ctx)).toBeGreaterThan(0);
    await s.runJobs();
    expect(await queueOutdatedFigures(s.ctx)).toBe(0);
    const { sessions, players } = await season();
    expect(sessions[0].not_computed).toEqual([]);
    expect(players[0].entries[0].figures.distance_m).toBeCloseTo(1800, 0);
  });
});
