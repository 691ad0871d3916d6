/** Tests the table of a session: figures of `asi squad` from stored samples, and only those that the caller may read. */
import { and, eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { applySampleRetention } from "../src/jobs/sample-retention.js";
import { commands } from "../src/operator/commands.js";
import {
  accounts,
  assignments,
  squadMembers as memberRows,
  permissions,
  recomputations,
  sessionFigures,
} from "../src/store/schema.js";
import { McpClient } from "./mcp-client.js";
import { service, type TestDevice, type TestService } from "./service.js";
import { minute, SquadScene, setPeriods, squadWithSession } from "./squad-scene.js";
import { grant } from "./team.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const played = (...names: string[]) => squadWithSession(s, ...names);

/** A range of times that contains all sessions. */
const EVER = "{[2000-01-01, 2100-01-01]}";

/** Returns the rows of the CSV of a table. */
async function csvRows(scene: SquadScene, session: number): Promise<Record<string, string>[]> {
  const { body } = await s.get(`/api/v2/sessions/${session}/figures/`, scene.manager.token, {
    Accept: "text/csv",
  });
  const [head = [], ...rows] = (body as string)
    .trimEnd()
    .split("\n")
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""),
    );
  return rows.map((cells) => Object.fromEntries(head.map((key, i) => [key, cells[i] ?? ""])));
}

/** Returns the column with the training impulse from the CSV of a table. */
const trimpsInCsv = async (scene: SquadScene, session: number) =>
  (await csvRows(scene, session)).map(({ trimp }) => trimp);

const cellsOf = (rows: { player: string; period: string | null }[]) =>
  rows.map(({ player, period }) => [player, period]);

describe("the table of a session", () => {
  it("contains the figures of a player's samples in the whole session and in each period", async () => {
    const { scene, first, session } = await played("Ann", "Bob");
    await scene.run(first.device, 0, 10);
    expect((await setPeriods(scene, session, "1st half,13:02,13:06,\n1st half,-,-,Bob\n")).status).toBe(200);
    const { status, body } = await scene.figures(session);
    expect([status, body.left_out]).toEqual([200, []]);
    expect(cellsOf(body.rows)).toEqual([
      ["Ann", null],
      ["Ann", "1st half"],
      ["Bob", null],
      ["Bob", "1st half"],
    ]);
    const [whole, half, absent, out] = body.rows;
    expect(whole.figures.distance_m).toBeCloseTo(1800, 0);
    expect(half.figures.distance_m).toBeCloseTo(720, 0);
    expect([half.period_minutes, half.start, half.end]).toEqual([4, minute(2), "2024-06-01T13:05:59.900Z"]);
    expect([half.figures.hr_mean_bpm, half.definition.parameters.max_valid_speed]).toEqual([150, 12.5]);
    expect([absent.figures.distance_m, absent.share_with_data]).toEqual([null, 0]);
    expect([out.period_minutes, out.share_with_data]).toEqual([0, null]);
  });

  it("shows figures of a player whose permission is withdrawn in no period, in no CSV and in no season, but the reason", async () => {
    const { scene, first, second, session } = await played("Ann", "Bob");
    await setPeriods(scene, session, "1st half,13:02,13:06,\n2nd half,13:20,13:30,\n");
    for (const { device } of [first, second]) await scene.run(device, 0, 3);
    expect((await scene.figures(session)).body.rows).toHaveLength(6);
    const { queries } = s.store.database;
    await queries
      .delete(permissions)
      .where(and(eq(permissions.athleteId, second.athlete), eq(permissions.permission, "READ")));
    const { body } = await scene.figures(session);
    expect(cellsOf(body.rows)).toEqual([
      ["Ann", null],
      ["Ann", "1st half"],
      ["Ann", "2nd half"],
    ]);
    const withdrawn = { athlete: second.athlete, player: "Bob", reason: "no_read_permission" };
    expect(body.left_out).toEqual([{ ...withdrawn, period: null }]);
    expect((await incompleteCells(scene, session)).filter(([player]) => player === "Bob")).toEqual([
      ["Bob", "session", "", "no_read_permission"],
    ]);
    const season = await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token);
    expect(JSON.stringify(season.body)).not.toContain("Bob");
    // The permission is for the first half only.
    await grant(s, second.athlete, scene.manager.id, "READ", minute(1), minute(10));
    expect(cellsOf((await scene.figures(session)).body.rows)).toContainEqual(["Bob", "1st half"]);
    const { rows, left_out } = (await scene.figures(session)).body;
    expect(rows).toHaveLength(4);
    expect(left_out).toEqual([null, "2nd half"].map((period) => ({ ...withdrawn, period })));
    const reason = "no_read_permission";
    await scene.completeTable(session);
    const [, , , half = [], ...others] = await incompleteCells(scene, session);
    expect([half.slice(0, 2), Number(half[2]) > 0, half[3]]).toEqual([["Bob", "1st half"], true, ""]);
    expect(others).toEqual(["session", "2nd half"].map((period) => ["Bob", period, "", reason]));
  });

  it("names the players without a device in its files, and the note about extra time in the rows of the match", async () => {
    const { scene, first, second, session } = await played("Ann", "Bob");
    await s.store.database.queries.delete(assignments).where(eq(assignments.athleteId, second.athlete));
    await setPeriods(scene, session, "1st half,13:00,13:30,\n2nd half,13:30,14:00,\n");
    await scene.run(first.device, 0, 3);
    const noted = async () => {
      await scene.completeTable(session);
      const rows = await csvRows(scene, session);
      return rows.map(({ player, period, match_note, incomplete }) => [
        player,
        period,
        match_note,
        incomplete,
      ]);
    };
    const reason = "no_device";
    expect(await noted()).toEqual([
      ...["session", "Match", "1st half", "2nd half"].map((period) => ["Ann", period, undefined, ""]),
      ...["session", "1st half", "2nd half"].map((period) => ["Bob", period, undefined, reason]),
    ]);
    await scene.send("PATCH", `/api/v2/sessions/${session}/`, { end_time: minute(70) });
    await setPeriods(scene, session, "1st half,13:00,13:30,\n2nd half,13:30,14:00,\nET1,14:02,14:09,\n");
    const note = "Match is the sum of the two halves, without extra time.";
    expect((await noted()).filter(([player]) => player === "Ann")).toEqual(
      ["session", "Match", "1st half", "2nd half", "ET1"].map((period) => [
        "Ann",
        period,
        period === "Match" ? note : "",
        "",
      ]),
    );
  });

  it("omits a player who only has time frames of a removed period", async () => {
    const { scene, first, second, session } = await played("Ann", "Bob");
    await setPeriods(scene, session, "2nd half,13:20,13:30,Ann\n");
    const { rows } = (await scene.figures(session)).body;
    const frameOf = (name: string, inPeriod: string | null) =>
      rows.find(
        (row: { player: string; period: string | null }) => row.player === name && row.period === inPeriod,
      ).timeframes[0];
    const half = `/api/v1/timeframes/${frameOf("Ann", "2nd half")}/`;
    expect((await scene.send("PATCH", half, { athlete: second.athlete })).status).toBe(200);
    expect((await scene.send("DELETE", `/api/v1/timeframes/${frameOf("Bob", null)}/`)).status).toBe(204);
    await commands["athlete erase"](s.ctx, { id: String(first.athlete), samples: true, yes: true });
    const { status, body } = await s.get(`/api/v2/sessions/${session}/figures/`, scene.manager.token);
    expect([status, body.rows]).toEqual([200, []]);
  });

  it("is recomputed when samples arrive later, and is otherwise read from the stored figures", async () => {
    const { scene, first, session } = await played("Ann");
    await scene.run(first.device, 0, 5);
    const before = await scene.figures(session);
    const { queries } = s.store.database;
    const isOfSession = eq(sessionFigures.sessionId, session);
    const stored = await queries.select().from(sessionFigures).where(isOfSession);
    expect(stored).toHaveLength(1);
    const again = await s.get(`/api/v2/sessions/${session}/figures/`, scene.manager.token, {
      "If-None-Match": before.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
    expect(await queries.select().from(sessionFigures).where(isOfSession)).toEqual(stored);
    await scene.run(first.device, 5, 10);
    const after = await scene.figures(session);
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    expect(after.body.rows[0].figures.distance_m).toBeCloseTo(1800, 0);
  });

  it("is kept after retention, even if several changes to its player are pending", async () => {
    const { scene, first, session } = await played("Ann");
    await scene.run(first.device, 0, 10);
    const before = await scene.figures(session);
    expect(before.body.rows[0].figures.distance_m).toBeCloseTo(1800, 0);
    const times = { startMs: Date.parse(minute(0)), stopMs: Date.parse(minute(5)) };
    const deviceId = first.device.id;
    await transact(s.ctx, "test", async ({ queries, announce }) => {
      await queries.execute(sql`DELETE FROM sample_chunks WHERE device_id = ${deviceId}`);
      await announce("samplesExpired", { deviceId, removed: [times], count: 3000 });
      const change = { athleteId: first.athlete, forgets: false, doneThrough: 0 };
      await queries
        .insert(recomputations)
        .values([change, { ...change, athleteId: null, deviceId, times: EVER, doneStart: new Date(0) }]);
    });
    const { body } = await scene.figures(session);
    expect(body.rows[0].figures).toEqual(before.body.rows[0].figures);
  });

  it("is deleted when a time frame gets other times, even after it was moved to another activity", async () => {
    const { scene, first, session } = await played("Ann");
    await scene.run(first.device, 0, 10);
    await scene.figures(session);
    const { body: list } = await scene.send("GET", `/api/v1/timeframes/?activity=${session}`);
    const path = `/api/v1/timeframes/${list.results[0].id}/`;
    const { body: mine } = await scene.send("GET", `/api/v1/activities/${session}/`);
    const { body: other } = await scene.send("POST", "/api/v1/activities/", {
      name: "Other",
      json: mine.json,
      json_schema: mine.json_schema,
      owner: mine.owner,
    });
    expect((await scene.send("PATCH", path, { activity: other.id })).status).toBe(200);
    const stored = () =>
      s.store.database.queries.$count(sessionFigures, eq(sessionFigures.sessionId, session));
    expect(await stored()).toBe(1);
    expect((await scene.send("PATCH", path, { end_time: minute(50) })).status).toBe(200);
    expect(await stored()).toBe(0);
  });

  it("contains the training impulse of players with a maximum heart rate, in each period, in the season and in the CSV", async () => {
    const scene = await SquadScene.of(s);
    const [ann, bob] = [await scene.add("Ann", { max_hr: 200 }), await scene.add("Bob")];
    const session = await scene.session();
    for (const { device } of [ann, bob]) await scene.run(device, 0, 10);
    await setPeriods(scene, session, "1st half,13:02,13:06,\n");
    const { body } = await scene.figures(session);
    // 150 is 75 % of 200, so each minute counts as 3.
    expect(body.rows.map((row: { figures: { trimp: number | null } }) => row.figures.trimp)).toEqual([
      30,
      12,
      null,
      null,
    ]);
    expect(await trimpsInCsv(scene, session)).toEqual(["30", "12", "", ""]);
    const season = await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token);
    const { players } = season.body;
    expect(players.map((one: { best: { trimp: number | null } }) => one.best.trimp)).toEqual([30, null]);
    expect(players[0].entries[0].figures.trimp).toBe(30);
  });

  it("contains recomputed results if they were stored before a figure was introduced; the figure is null if the samples have been removed", async () => {
    const scene = await SquadScene.of(s);
    const ann = await scene.add("Ann", { max_hr: 200 });
    const session = await scene.session();
    await scene.run(ann.device, 0, 10);
    const season = async () =>
      (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body;
    const { queries } = s.store.database;
    const isOfSession = eq(sessionFigures.sessionId, session);
    /** Replaces the stored figures with those of a release without training impulse. */
    const asStoredBefore = async () => {
      for (const row of await queries.select().from(sessionFigures).where(isOfSession)) {
        const [figures, { cells, ...others }] = [JSON.parse(row.figures), JSON.parse(row.details)];
        expect([figures.trimp, cells.trimp]).toEqual([30, 30]);
        for (const one of [figures, cells]) delete one.trimp;
        const [, ...inputs] = row.inputs.split(":");
        await queries
          .update(sessionFigures)
          .set({
            figures: JSON.stringify(figures),
            details: JSON.stringify({ cells, ...others }),
            inputs: [row.rulesVersion, ...inputs].join(":"),
          })
          .where(isOfSession);
      }
    };
    const before = (await scene.figures(session)).body.rows[0].figures;
    await asStoredBefore();
    expect((await season()).sessions[0].not_computed).toEqual([ann.athlete]);
    expect((await scene.figures(session)).body.rows[0].figures).toEqual(before);
    expect((await season()).sessions[0].not_computed).toEqual([]);
    await asStoredBefore();
    const clock = { now: () => new Date(s.ctx.clock.now().getTime() + 10_000 * 86_400_000) };
    await applySampleRetention({ ...s.ctx, clock }, undefined, () => undefined);
    const { figures } = (await scene.figures(session)).body.rows[0];
    expect(figures).toEqual({ ...before, trimp: null });
    expect(await trimpsInCsv(scene, session)).toEqual([""]);
    const { sessions, players } = await season();
    expect(sessions[0].not_computed).toEqual([]);
    expect(players[0].entries[0].figures).toEqual({ ...before, trimp: null });
    expect(players[0].best.trimp).toBeNull();
  });

  it("names the device that does not count because another one has more data at the same time", async () => {
    const { scene, first, session } = await played("Ann", "Bob");
    const bag = await scene.device();
    await scene.assign(first.athlete, bag, minute(30));
    await setPeriods(scene, session, "1st half,13:02,13:20,\n2nd half,13:40,13:50,\n");
    await scene.run(first.device, 0, 45);
    await scene.run(bag, 30, 60, 5000);
    const { rows } = await scene.completeTable(session);
    const frames = await scene.frames(session);
    const idsOf = (device: TestDevice, from: number) =>
      frames.filter((one) => one.device === device.id && one.start_time === minute(from)).map(({ id }) => id);
    const bagFrom = (from: number) => [{ serial: bag.serial_number, timeframes: idsOf(bag, from) }];
    const found = rows
      .filter((row: { player: string }) => row.player === "Ann")
      .map((row: Record<string, unknown>) => [row.period, row.timeframes, row.left_out_devices]);
    expect(found).toEqual([
      [null, idsOf(first.device, 0), bagFrom(30)],
      ["1st half", idsOf(first.device, 2), []],
      ["2nd half", idsOf(first.device, 40), bagFrom(40)],
    ]);
    expect(rows[2].figures.distance_m).toBeCloseTo(5 * 60 * 3, 0);
    const assistant = await McpClient.of(s, scene.manager.token);
    const half = { session, period: "2nd half", players: ["Ann"] };
    const { answer } = await assistant.ask("session_figures", half);
    expect(answer.rows).toMatchObject([{ left_out_devices: bagFrom(40) }]);
  });

  it("names the players without a device or without permission", async () => {
    const { scene, first, second, session } = await played("Ann", "Bob");
    const carl = await s.athlete();
    await scene.join(carl.id, {}, 9);
    const stranger = await s.athlete();
    await scene.join(stranger.id, {}, 10);
    await scene.assign(stranger.id, first.device);
    await scene.send("PATCH", `/api/v2/sessions/${session}/`, { place: "Away" });
    const { body } = await scene.figures(session);
    expect(cellsOf(body.rows)).toEqual([
      [first.name, null],
      [second.name, null],
    ]);
    expect(body.left_out).toEqual([
      { athlete: carl.id, player: carl.username, period: null, reason: "no_device" },
      { athlete: stranger.id, player: stranger.username, period: null, reason: "no_permission" },
    ]);
    // The new name changes the entity tag.
    const table = await scene.figures(session);
    const { queries } = s.store.database;
    await queries.update(accounts).set({ firstName: "Carl" }).where(eq(accounts.id, carl.id));
    const renamed = await s.get(`/api/v2/sessions/${session}/figures/`, scene.manager.token, {
      "If-None-Match": table.headers.get("etag") ?? "",
    });
    expect([renamed.status, renamed.body.left_out?.[0].player]).toEqual([200, "Carl"]);
  });

  it("uses the thresholds that were valid for the player at the time of the session", async () => {
    const { scene, first, session } = await played("Ann");
    await scene.run(first.device, 0, 5);
    const sprintFrom = async () => (await scene.figures(session)).body.rows[0].sprint_from_m_per_s;
    const default_ = await sprintFrom();
    const { queries } = s.store.database;
    const isFirst = eq(memberRows.athleteId, first.athlete);
    await queries
      .update(memberRows)
      .set({ endTime: new Date(minute(120)) })
      .where(isFirst);
    await queries.insert(memberRows).values({
      squadId: scene.squad,
      athleteId: first.athlete,
      params: { sprint_threshold: 2 },
      startTime: new Date(minute(120)),
      endTime: new Date(minute(100_000)),
    });
    const later = await scene.session({ start_time: minute(120), end_time: minute(180) });
    await scene.run(first.device, 120, 125);
    expect([await sprintFrom(), (await scene.figures(later)).body.rows[0].sprint_from_m_per_s]).toEqual([
      default_,
      2,
    ]);
  });

  it("is available only to the manager", async () => {
    const { scene, session } = await played("Ann");
    const other = await s.manager();
    const found = [
      await scene.figures(session, other.token),
      await s.get(`/api/v2/squads/${scene.squad}/season/`, other.token),
      await s.get(`/api/v2/sessions/${session}/periods/`, other.token),
    ];
    expect(found.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

/** Returns the player, period, distance and reason in each row of the CSV. */
const incompleteCells = async (scene: SquadScene, session: number) =>
  (await csvRows(scene, session)).map(({ player, period, distance_m, incomplete }) => [
    player,
    period,
    distance_m,
    incomplete,
  ]);
