import { beforeAll, describe, expect, it } from "vitest";
import { service, type TestService } from "./service.js";
import { halvesFrom, minute, SquadScene, type TestPlayer } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

/** The start of a session, in minutes after that of the first one. */
const day = (days: number) => days * 24 * 60;

describe("the sports in the season of a squad", () => {
  it("has the rows that no figure includes of each player, and asks for the sport", async () => {
    const scene = await SquadScene.of(s, ["Ann", "Bob"]);
    const [ann, bob] = scene.players as [TestPlayer, TestPlayer];
    const session = await scene.session();
    await scene.run(ann.device, 0, 9);
    // on a bicycle to the pitch
    await scene.run(ann.device, 9, 10, 15_000);
    await scene.run(bob.device, 0, 10);
    const read = async () => {
      const { rows } = await scene.completeTable(session);
      const path = `/api/v2/squads/${scene.squad}/season/`;
      const { sessions, players } = (await s.get(path, scene.manager.token)).body;
      const fast = players.map((player: { entries: Record<string, number>[]; notes: string[] }) => [
        player.entries[0]?.too_fast_rows,
        Math.round(player.entries[0]?.too_fast_s ?? -1),
        player.notes,
      ]);
      expect(
        players.map((one: { entries: Record<string, number>[] }) => one.entries[0]?.too_fast_rows),
      ).toEqual(rows.map((row: { too_fast_rows: number }) => row.too_fast_rows));
      return { sport: sessions[0].sport, fast };
    };
    const note = "Too fast for the sport and in no figure: Ann (600 rows, 60.0 s). Is the sport correct?";
    expect(await read()).toEqual({
      sport: "soccer",
      fast: [
        [600, 60, [note]],
        [0, 0, []],
      ],
    });
    await scene.send("PATCH", `/api/v2/sessions/${session}/`, { sport: "biking" });
    expect(await read()).toEqual({
      sport: "biking",
      fast: [
        [0, 0, []],
        [0, 0, []],
      ],
    });
  });

  it("compares figures only between sessions of the same sport, and names the others", async () => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const play = async (days: number, speed: number, changes: Record<string, unknown>) => {
      const from = day(days);
      const session = await scene.session({
        name: `Day ${days}`,
        start_time: minute(from),
        end_time: minute(from + 60),
        ...changes,
      });
      await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, halvesFrom(from));
      await scene.run(ann.device, from, from + 60, speed);
      await scene.completeTable(session);
    };
    for (const days of [0, 1, 2]) await play(days, 2000, {});
    // also a competition of another sport
    await play(3, 6000, { sport: "biking" });
    await play(4, 2000, {});
    const read = async (query = "") => {
      const path = `/api/v2/squads/${scene.squad}/season/${query}`;
      return (await s.get(path, scene.manager.token)).body.players[0];
    };
    const note = (sport: string, names: string) =>
      `Sessions of another sport than ${sport} are in no mean, best value or normal range: ${names}.`;
    const { normal, best, notes } = await read();
    expect(normal.distance_m.mean).toBeCloseTo(7200, -1);
    expect(best.distance_m).toBeCloseTo(7200, -1);
    expect(normal.rate_m_per_min.mean).toBeCloseTo(120, 0);
    expect(notes).toEqual([note("soccer", "Day 3")]);
    const ride = await read(`?to=${minute(day(4))}`);
    expect([ride.normal.distance_m, ride.normal.rate_m_per_min]).toEqual([null, null]);
    expect(ride.best.distance_m).toBeCloseTo(21_600, -1);
    expect(ride.notes[0]).toBe(note("biking", "Day 0, Day 1, Day 2"));
  });
});
