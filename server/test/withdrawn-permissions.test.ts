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

  it("gets no time frames of the player for new times, and keeps the one of the whole session when its times change", async () => {
    const { scene, first, second, session, path, token } = await played();
    await putPeriods(scene, path, [half()]);
    await withdraw(scene, first, token, "WRITE");
    const of = async ({ athlete }: TestPlayer) =>
      (await scene.frames(session))
        .filter((frame) => frame.athlete === athlete)
        .map(({ start_time, end_time }) => [start_time, end_time])
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
    expect(await of(first)).toEqual([whole]);
    expect((await of(second))[0]).toEqual([minute(0), "2024-06-01T13:49:59.999Z"]);
    await grant(s, first.athlete, scene.manager.id, "WRITE", LONG_BEFORE, LONG_AFTER);
    await scene.send("PATCH", path, { place: "Away" });
    expect(await of(first)).toEqual(await of(second));
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
