/** Tests the time frames of a session after its players have withdrawn permissions, and the age of time frames that replace others. */
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { timeframes } from "../src/store/schema.js";
import { json, unzip } from "./personal-data-scene.js";
import { service, type TestService } from "./service.js";
import {
  half,
  minute,
  putPeriods,
  type SquadScene,
  squadWithSession,
  type TestPlayer,
  tokenOf,
} from "./squad-scene.js";
import { grant } from "./team.js";

let s: TestService;
beforeAll(async () => {
  s = await service();
});

const [LONG_BEFORE, LONG_AFTER] = ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];

/** A session with samples of two players, of whom the first can sign in. */
async function played() {
  const made = await squadWithSession(s, "Ann", "Bob");
  const { scene, first, second } = made;
  for (const { device } of [first, second]) await scene.run(device, 0, 10);
  return { ...made, token: await tokenOf(scene, first) };
}

interface Row {
  player: string;
  share_with_data: number | null;
  figures: { distance_m: number | null };
}

const timesOf = ({ start_time, end_time }: Record<"start_time" | "end_time", string>) => [
  start_time,
  end_time,
];

/** Withdraws the permissions of one kind, or all. */
async function withdraw(scene: SquadScene, { athlete }: TestPlayer, token: string, kind?: "READ" | "WRITE") {
  const path = `/api/v1/athletes/${athlete}/managers/${scene.manager.id}/permissions/`;
  const { results } = (await s.get(path, token)).body;
  for (const { id, permission } of results)
    if (kind === undefined || permission === kind)
      expect((await s.send("DELETE", `${path}${id}/`, { token })).status).toBe(204);
  await s.runJobs();
}

const samplesIn = async ({ athlete }: TestPlayer, token: string): Promise<number> => {
  const response = await fetch(`${s.service.url}/api/v1/athletes/${athlete}/export/`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { files } = json(await unzip(Buffer.from(await response.arrayBuffer())), "export.json");
  return files
    .filter(({ name }: { name: string }) => name.startsWith("samples/"))
    .reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0);
};

describe("after a player has withdrawn the permission to write, the session", () => {
  it("keeps the time frames and shows their figures while the permission to read lasts", async () => {
    const { scene, first, session, token } = await played();
    const before = await scene.frames(session);
    await withdraw(scene, first, token, "WRITE");
    expect(await scene.frames(session)).toEqual(before);
    const { rows, left_out } = await scene.completeTable(session);
    expect([rows.map(({ player }: { player: string }) => player), left_out]).toEqual([["Ann", "Bob"], []]);
    await withdraw(scene, first, token);
    expect(await scene.frames(session)).toEqual(before);
    const table = await scene.completeTable(session);
    expect(table.rows.map(({ player }: { player: string }) => player)).toEqual(["Bob"]);
    expect(table.left_out).toEqual([
      { athlete: first.athlete, player: "Ann", period: null, reason: "no_read_permission" },
    ]);
    const csv = await scene.send("GET", `/api/v2/sessions/${session}/samples/?format=csv`);
    expect(csv.body).toContain(",Bob,");
    expect(csv.body).not.toContain(",Ann,");
    const season = (await scene.send("GET", `/api/v2/squads/${scene.squad}/season/`)).body;
    expect(season.players.map(({ player }: { player: string }) => player)).toEqual(["Bob"]);
    const own = await s.get(`/api/v2/sessions/${session}/`, token);
    expect(own.status).toBe(200);
  });

  it("gets no time frames of the player for new times, and keeps the one of the whole session within its current times", async () => {
    const { scene, first, second, session, path, token } = await played();
    await putPeriods(scene, path, [half()]);
    await withdraw(scene, first, token, "WRITE");
    const of = async ({ athlete }: TestPlayer) =>
      (await scene.frames(session))
        .filter((frame) => frame.athlete === athlete)
        .map(timesOf)
        .sort();
    const whole = [minute(0), "2024-06-01T13:59:59.999Z"];
    expect(await of(first)).toEqual([whole, [minute(5), "2024-06-01T13:24:59.999Z"]]);
    expect((await putPeriods(scene, path, [half({ end_time: minute(30) })])).status).toBe(200);
    expect(await of(first)).toEqual([whole]);
    expect(await of(second)).toHaveLength(2);
    const { left_out } = await scene.completeTable(session);
    expect(left_out).toEqual([
      { athlete: first.athlete, player: "Ann", period: "1st half", reason: "no_permission" },
    ]);
    expect((await scene.send("PATCH", path, { end_time: minute(50) })).status).toBe(200);
    const shorter = [minute(0), "2024-06-01T13:49:59.999Z"];
    expect(await of(first)).toEqual([shorter]);
    expect((await of(second))[0]).toEqual(shorter);
    expect((await scene.send("PATCH", path, { end_time: minute(60) })).status).toBe(200);
    expect(await of(first)).toEqual([shorter]);
    await grant(s, first.athlete, scene.manager.id, "WRITE", LONG_BEFORE, LONG_AFTER);
    await scene.send("PATCH", path, { place: "Away" });
    expect(await of(first)).toEqual(await of(second));
  });

  it("keeps the time frames and the samples of the player when the sport changes", async () => {
    const { scene, first, session, path } = await played();
    const token = await tokenOf(scene, first);
    const own = async () =>
      (await scene.frames(session)).filter(({ athlete }) => athlete === first.athlete).map(timesOf);
    const before = await own();
    await withdraw(scene, first, token, "WRITE");
    expect((await scene.send("PATCH", path, { sport: "running" })).status).toBe(200);
    expect(await own()).toEqual(before);
    expect(await samplesIn(first, token)).toBe(6000);
    const { rows } = await scene.completeTable(session);
    expect(rows.map(({ player, figures }: Row) => [player, figures.distance_m])).toEqual([
      ["Ann", expect.closeTo(1800, -1)],
      ["Bob", expect.closeTo(1800, -1)],
    ]);
  });

  it("keeps the time frame of a period that no other contains, as long as the player does not permit changes", async () => {
    const { scene, first, session, path, token } = await played();
    await withdraw(scene, first, token, "WRITE");
    await grant(s, first.athlete, scene.manager.id, "WRITE", minute(5), LONG_AFTER);
    const own = async () =>
      (await scene.frames(session)).filter(({ athlete }) => athlete === first.athlete).map(timesOf);
    expect((await scene.send("DELETE", path)).status).toBe(204);
    const next = await scene.session();
    const periods = `/api/v2/sessions/${next}/`;
    const ofNext = async () =>
      (await scene.frames(next)).filter(({ athlete }) => athlete === first.athlete).map(timesOf);
    await putPeriods(scene, periods, [half()]);
    const kept = [[minute(5), "2024-06-01T13:24:59.999Z"]];
    expect([await own(), await ofNext()]).toEqual([[], kept]);
    await withdraw(scene, first, token, "WRITE");
    await putPeriods(scene, periods, [half({ name: "Start" })]);
    expect(await ofNext()).toEqual(kept);
    expect(await samplesIn(first, token)).toBe(3000);
    await putPeriods(scene, periods, [half({ end_time: minute(7) })]);
    expect(await ofNext()).toEqual(kept);
    const { rows } = await scene.completeTable(next);
    const [row] = rows.filter(({ player }: Row) => player === "Ann");
    expect(row.figures.distance_m).toBeCloseTo(360, -1);
    await grant(s, first.athlete, scene.manager.id, "WRITE", minute(5), LONG_AFTER);
    await scene.send("PATCH", periods, { place: "Away" });
    expect(await ofNext()).toEqual([[minute(5), "2024-06-01T13:06:59.999Z"]]);
  });

  it("leaves samples outside of a shorter session to later time frames, and takes none of the others from the player", async () => {
    const { scene, first, second, session, path, token } = await played();
    const bob = await tokenOf(scene, second);
    const { queries } = s.store.database;
    const ofSession = eq(timeframes.activityId, session);
    const [frame] = await queries.select().from(timeframes).where(ofSession);
    await withdraw(scene, first, token, "WRITE");
    const next = { athlete: second.athlete, device: first.device.id, owner: scene.manager.id, params: {} };
    const times = { start_time: minute(0), end_time: minute(10) };
    const json = { ...next, ...times, activity: session, json_schema: frame?.jsonSchemaId };
    expect((await scene.send("POST", "/api/v1/timeframes/", json)).status).toBe(201);
    expect([await samplesIn(first, token), await samplesIn(second, bob)]).toEqual([6000, 6000]);
    expect((await scene.send("PATCH", path, { end_time: minute(5) })).status).toBe(200);
    expect([await samplesIn(first, token), await samplesIn(second, bob)]).toEqual([3000, 6000]);
    const file = await scene.send("GET", `/api/v2/sessions/${session}/samples/?format=csv`);
    expect(file.body.split(",Ann,")).toHaveLength(1 + 3000);
  });

  it("counts only the current times of the session, and names a player without a time frame for all of them", async () => {
    const { scene, first, session, path, token } = await played();
    await withdraw(scene, first, token, "WRITE");
    const figures = async () =>
      (await scene.completeTable(session)).rows.map(({ player, share_with_data, figures }: Row) => [
        player,
        share_with_data,
        figures.distance_m,
      ]);
    await figures();
    expect((await scene.send("PATCH", path, { end_time: minute(5) })).status).toBe(200);
    expect(await figures()).toEqual([
      ["Ann", expect.closeTo(1, 2), expect.closeTo(900, -1)],
      ["Bob", expect.closeTo(1, 2), expect.closeTo(900, -1)],
    ]);
    expect((await scene.send("PATCH", path, { end_time: minute(9) })).status).toBe(200);
    const season = (await scene.send("GET", `/api/v2/squads/${scene.squad}/season/`)).body;
    expect(season.players.map(({ player }: Row) => player)).toEqual([]);
    const { left_out } = await scene.completeTable(session);
    expect(left_out).toEqual([
      { athlete: first.athlete, player: "Ann", period: null, reason: "no_permission" },
    ]);
  });

  it("leaves the samples in the archive of the player, and an erasure removes them", async () => {
    const { scene, first, session, token } = await played();
    const count = await samplesIn(first, token);
    expect(count).toBe(6000);
    // An erasure also begins with the withdrawal, and may be interrupted before the job runs.
    await withdraw(scene, first, token);
    expect(await samplesIn(first, token)).toBe(count);
    const id = String(first.athlete);
    const proof = await commands["athlete erase"](s.ctx, { id, samples: true, yes: true });
    expect(proof).toMatchObject({ rows: { samples: count, samples_kept: 0 } });
    expect((await scene.frames(session)).map(({ athlete }) => athlete)).not.toContain(first.athlete);
  });
});

describe("a time frame of a session that replaces another", () => {
  it("is as old if it has the same player, device and times, so that no sample changes the player", async () => {
    const { scene, first, session, path } = await played();
    const { queries } = s.store.database;
    const ages = async () =>
      (await queries.select().from(timeframes).where(eq(timeframes.activityId, session)))
        .filter(({ athleteId }) => athleteId === first.athlete)
        .map(({ id, assignedAt }) => ({ id, assignedAt }));
    const [before] = await ages();
    const { results } = (await scene.send("GET", `/api/v2/members/?athlete=${first.athlete}`)).body;
    const changed = { params: { max_hr: 201 } };
    expect((await scene.send("PATCH", `/api/v2/members/${results[0].id}/`, changed)).status).toBe(200);
    await s.runJobs();
    const [after] = await ages();
    expect(after?.id).not.toBe(before?.id);
    expect(after?.assignedAt).toEqual(before?.assignedAt);
    await scene.send("PATCH", path, { sport: "running" });
    expect((await ages()).map(({ assignedAt }) => assignedAt)).toEqual([before?.assignedAt]);
  });
});
