/** Tests that reads of squads at the maximum size are bounded, and that other requests run in between. */
import { desc, eq, inArray, sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { giveSquad, type SquadExtent } from "../siege/squads.js";
import { selectSessions, toSession } from "../src/domain/sessions/rules.js";
import { batchesOf } from "../src/domain/sessions/season-stored.js";
import { accountCaller, addressCaller } from "../src/fairness/callers.js";
import { queriesOf } from "../src/store/connection/database.js";
import { sessions, sessionTimeframes } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { problem } from "./problem.js";
import { type TestAccount, TestService } from "./service.js";
import { schemaId } from "./team.js";

let s: TestService;

beforeAll(async () => {
  s = await TestService.start(await newStore());
});

const SMALL: SquadExtent = {
  athletes: 0,
  members: 0,
  assignments: 0,
  ownerships: 0,
  sessions: 0,
  figures: 0,
  periods: 0,
  breaks: 0,
};

/** Creates a manager with a squad. @returns the ids of the squad and of its latest session */
async function squadOf(extent: Partial<SquadExtent>) {
  const owner = await s.manager();
  const device = await s.ownedDevice(owner);
  const schemas = {
    activity_soccer: await schemaId(s, "activity_soccer"),
    timeframe_soccer: await schemaId(s, "timeframe_soccer"),
  };
  const party = { id: owner.id, device: device.id, schemas, startMs: Date.UTC(2024, 5, 1) };
  await giveSquad(s.store.database.queries, party, { ...SMALL, ...extent });
  const get = async (path: string) => (await s.get(`/api/v2/${path}`, owner.token)).body.results[0]?.id;
  return { owner, squad: await get("squads/"), session: await get("sessions/") };
}

/** Returns the number of requests for the account that get a response, one after another, before the work ends. */
async function answeredDuring<T>({ token }: TestAccount, work: Promise<T>): Promise<[number, T]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let answered = 0;
  while (!isDone) {
    await s.get("/api/v1/account/", token);
    answered++;
  }
  return [answered, await done];
}

it("a season contains the latest sessions with at most 15,000 players, in chronological order, and lets other requests run meanwhile", async () => {
  const { owner, squad } = await squadOf({ athletes: 50, members: 50, sessions: 320, figures: 50 });
  const [answered, { body }] = await answeredDuring(
    owner,
    s.get(`/api/v2/squads/${squad}/season/`, owner.token),
  );
  expect(answered).toBeGreaterThan(15);
  expect([body.sessions.length, body.left_out]).toEqual([300, 20]);
  const starts = body.sessions.map(({ start_time }: { start_time: string }) => start_time);
  expect(starts).toEqual([...starts].sort());
  // The season omits the first of the 320 hourly sessions.
  expect([starts[0], starts.at(-1)]).toEqual(["2024-06-01T20:00:00.000Z", "2024-06-14T07:00:00.000Z"]);
  const names = body.players.map(({ player }: { player: string }) => player);
  expect(names).toEqual(Array.from({ length: 50 }, (_, i) => `Émilie ${i + 1} Von der Heide`));
  const ids = body.sessions.map(({ id }: { id: number }) => id);
  for (const { entries } of body.players)
    expect(entries.map(({ session }: { session: number }) => session)).toEqual(ids);
});

it("a season reads at most 3,000 time frames in one statement, including those of periods, and counts those of 50 sessions at a time", async () => {
  const { queries, pool } = s.store.database;
  const { owner, squad } = await squadOf({ athletes: 2, members: 2, sessions: 60, figures: 2 });
  const ofSquad = sql`session_timeframes JOIN sessions ON activity_id = session_id AND squad_id = ${squad}`;
  await queries.execute(sql`
    WITH added AS (
      INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
      SELECT whole.start_time, whole.end_time, whole.params, whole.device_id, whole.activity_id, whole.athlete_id, whole.owner_id,
        whole.json_schema_id, whole.assigned_at
      FROM timeframes AS whole, generate_series(1, 199) WHERE whole.id IN (SELECT timeframe_id FROM ${ofSquad}) RETURNING id, activity_id
    )
    INSERT INTO session_timeframes (timeframe_id, session_id, period) SELECT id, activity_id, 'Drill' FROM added`);
  const found = await selectSessions(queries)
    .where(eq(sessions.squadId, squad))
    .orderBy(desc(sessions.startTime));
  const counted: number[] = [];
  const listening = queriesOf(pool, {
    logQuery(text, params) {
      if (text.includes("FILTER")) counted.push(params.filter((one) => typeof one === "number").length);
    },
  });
  const batches = await batchesOf(listening, found.map(toSession));
  expect(counted).toEqual([50, 10]);
  expect(batches.flat().map(({ id }) => id)).toEqual(found.map(({ id }) => id).reverse());
  for (const batch of batches) {
    const isOfBatch = inArray(
      sessionTimeframes.sessionId,
      batch.map(({ id }) => id),
    );
    expect(await queries.$count(sessionTimeframes, isOfBatch)).toBeLessThanOrEqual(3_000);
  }
  const [answered, { body }] = await answeredDuring(
    owner,
    s.get(`/api/v2/squads/${squad}/season/`, owner.token),
  );
  expect(answered).toBeGreaterThan(5);
  expect(body.sessions).toHaveLength(60);
});

it("a season omits older sessions if the figures would exceed 64 MiB in total", async () => {
  const { owner, squad } = await squadOf({
    athletes: 1,
    members: 1,
    sessions: 40,
    figures: 1,
    breaks: 80_000,
  });
  const { body } = await s.get(`/api/v2/squads/${squad}/season/`, owner.token);
  expect(body.sessions.length).toBeLessThan(40);
  expect(body.left_out).toBe(40 - body.sessions.length);
  expect(body.sessions.length).toBeGreaterThan(20);
  expect(body.players[0].entries).toHaveLength(body.sessions.length);
});

it("a roster finds its players among thousands of athletes, and lets other requests run meanwhile", async () => {
  const { owner, squad } = await squadOf({ athletes: 4_500 });
  const load = (csv: string) =>
    s.send("POST", `/api/v2/squads/${squad}/roster/`, {
      token: owner.token,
      body: csv,
      headers: { "Content-Type": "text/csv" },
    });
  const csv =
    "player,serial\nÉmilie 1 Von der Heide,\nÉMILIE 1000  Von der Heide,\nÉmilie 4500 Von der Heide,\n";
  const [, found] = await answeredDuring(owner, load(csv));
  expect(found.body.created).toEqual({ athletes: 0, members: 3, assignments: 0 });
  const serials = Array.from({ length: 1_000 }, (_, i) => i.toString(36));
  const refused = await load(`player,serial\nÉmilie 2 Von der Heide,${serials.join(" ")}\n`);
  expect(refused.status).toBe(400);
  expect(refused.body.errors.filter(({ field }: { field: string }) => field === "line 2")).toHaveLength(100);
});

it("a session of a squad of thousands is refused before its players are read", async () => {
  const { owner, session } = await squadOf({ athletes: 400, members: 400, sessions: 1 });
  const path = `/api/v2/sessions/${session}/`;
  const refused = [409, "session_too_large"];
  expect(problem(await s.get(`${path}figures/`, owner.token))).toEqual(refused);
  const csv = { token: owner.token, headers: { Accept: "text/csv" } };
  expect(problem(await s.send("GET", `${path}periods/`, csv))).toEqual(refused);
  const put = { token: owner.token, json: [] };
  expect(problem(await s.send("PUT", `${path}periods/`, put))).toEqual(refused);
  expect((await s.get(`${path}periods/`, owner.token)).body).toEqual([]);
});

it("a table has at most 10,000 rows for players and periods, including periods without players", async () => {
  const { owner, session } = await squadOf({ athletes: 60, members: 60, sessions: 1 });
  const path = `/api/v2/sessions/${session}/`;
  const { body } = await s.get(path, owner.token);
  const put = (count: number) =>
    s.send("PUT", `${path}periods/`, {
      token: owner.token,
      json: Array.from({ length: count }, (_, i) => ({
        name: `Drill ${i}`,
        start_time: body.start_time,
        end_time: body.end_time,
        athlete: null,
      })),
    });
  expect((await put(150)).status).toBe(200);
  expect(problem(await put(180))).toEqual([409, "session_too_large"]);
});

it("a caller can make two heavy requests at a time, and other requests meanwhile", async () => {
  const { owner, squad } = await squadOf({ athletes: 1, members: 1, sessions: 1 });
  const { heavyQueue } = s.service.app;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const season = () => s.get(`/api/v2/squads/${squad}/season/`, owner.token);
  const { group } = addressCaller("127.0.0.1");
  for (let i = 0; i < 2; i++)
    void heavyQueue.run(`${accountCaller(owner.id)} ${group}`, () => held, undefined, group);
  let isAnswered = false;
  const waiting = season().finally(() => {
    isAnswered = true;
  });
  await s.get(`/api/v2/squads/${squad}/`, owner.token);
  await s.get("/api/v1/account/", owner.token);
  expect(isAnswered).toBe(false);
  release();
  expect((await waiting).status).toBe(200);
});
