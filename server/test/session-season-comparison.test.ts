import { beforeAll, describe, expect, it } from "vitest";
import { service, type TestService } from "./service.js";
import { guestOf, halvesFrom, minute, SquadScene, squadWithSession, type TestPlayer } from "./squad-scene.js";
import { store } from "./team.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const played = (...names: string[]) => squadWithSession(s, ...names);

describe("the comparisons in the season of a squad", () => {
  it("contains the stored figures of each player, the sessions without figures, and the normal range of five matches", async () => {
    const { scene, first, session } = await played("Ann");
    const season = async () =>
      (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body;
    const play = async (id: number, from: number, speed?: number) => {
      expect((await scene.send("PUT", `/api/v2/sessions/${id}/periods/`, halvesFrom(from))).status).toBe(200);
      await scene.completeTable(id);
      await scene.run(first.device, from, from + 59, speed);
    };
    await play(session, 0);
    expect((await season()).sessions[0].not_computed).toEqual([first.athlete]);
    expect((await season()).players).toEqual([]);
    await scene.figures(session);
    const ids = [session];
    for (const day of [1, 2, 3]) {
      const from = day * 24 * 60;
      ids.push(await scene.session({ start_time: minute(from), end_time: minute(from + 60) }));
      await play(ids.at(-1) ?? 0, from, 3000 + 100 * day);
      await scene.figures(ids.at(-1) ?? 0);
    }
    const { sessions, players } = await season();
    expect(sessions.map((one: { id: number; not_computed: number[] }) => [one.id, one.not_computed])).toEqual(
      ids.map((id) => [id, []]),
    );
    const [ann] = players;
    expect([ann.player, ann.days_since_last, ann.entries.length]).toEqual(["Ann", 0, 4]);
    expect(ann.entries[3]).toMatchObject({ session: ids[3], days_since: 1 });
    // The distances result from 3.0, 3.1 and 3.2 m/s for 59 minutes.
    expect(ann.normal.distance_m.mean).toBeCloseTo(59 * 60 * 3.1, -1);
    expect(ann.best.distance_m).toBeCloseTo(59 * 60 * 3.3, -1);
    await scene.run(first.device, 59, 60);
    expect((await season()).sessions[0].not_computed).toEqual([first.athlete]);
  });

  it("compares figures only between sessions with the same threshold, and says how many have others", async () => {
    const { scene, first, session } = await played("Ann");
    const day = (days: number) => days * 24 * 60;
    const play = async (id: number, from: number) => {
      await scene.send("PUT", `/api/v2/sessions/${id}/periods/`, halvesFrom(from));
      await scene.completeTable(id);
      await scene.run(first.device, from, from + 60, 5000);
      await scene.figures(id);
    };
    await play(session, 0);
    for (const days of [1, 2, 3]) {
      const times = { start_time: minute(day(days)), end_time: minute(day(days) + 60) };
      await play(await scene.session(times), day(days));
    }
    const { body: members } = await scene.send("GET", `/api/v2/members/?squad=${scene.squad}`);
    const { id } = members.results[0];
    const path = `/api/v2/squads/${scene.squad}/season/`;
    const [before] = (await s.get(path, scene.manager.token)).body.players;
    expect([before.normal.high_speed_m.mean, before.notes, before.limits.length]).toEqual([0, [], 1]);
    const changed = { params: { hid_thresholds: [4, 4.5] }, from: minute(day(3) - 60) };
    expect((await scene.send("PATCH", `/api/v2/members/${id}/`, changed)).status).toBe(200);
    for (const one of (await s.get(path, scene.manager.token)).body.sessions) {
      await scene.completeTable(one.id);
      await scene.figures(one.id);
    }
    const [ann] = (await s.get(path, scene.manager.token)).body.players;
    const thresholds = ann.limits.map((one: Record<string, number>) => one.high_speed_from_m_per_s);
    expect([thresholds, ann.entries.map((one: { limits: number }) => one.limits)]).toEqual([
      [5.5, 4.5],
      [0, 0, 0, 1],
    ]);
    expect([ann.normal.high_speed_m, ann.normal.sprints.mean]).toEqual([null, 0]);
    expect(ann.best.high_speed_m).toBeCloseTo(ann.entries[3].figures.distance_m, 0);
    expect(ann.notes).toEqual([
      "Sessions with another threshold or maximum heart rate are in no mean, best value or normal range: High-speed distance: Ann (3).",
    ]);
  });

  it("compares only figures of halves from complete signals, and says which matches have none", async () => {
    const scene = await SquadScene.of(s);
    const ann = await scene.add("Ann", { max_hr: 200 });
    const half = (name: string, from: number) => ({
      name,
      start_time: minute(from),
      end_time: minute(from + 30),
      athlete: null,
    });
    const ids: number[] = [];
    /** A match of an hour after a warm-up of half an hour. */
    const play = async (periods: ReturnType<typeof half>[], heartMinutes = 90) => {
      const from = ids.length * 24 * 60;
      const day = { start_time: minute(from), end_time: minute(from + 95), name: `Round ${ids.length + 1}` };
      const session = await scene.session(day);
      ids.push(session);
      const own = periods.map((one) => ({
        ...one,
        start_time: new Date(Date.parse(one.start_time) + from * 60_000).toISOString(),
        end_time: new Date(Date.parse(one.end_time) + from * 60_000).toISOString(),
      }));
      await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, own);
      const samples = scene
        .samples(from, from + 90)
        .filter(({ t }) => t % 1000 === 0)
        .map((one) => (one.t < Date.parse(minute(from + heartMinutes)) ? one : { ...one, hr: 0 }));
      await store(s, ann.device.id, samples);
      return scene.completeTable(session);
    };
    const halves = [half("1st half", 30), half("2nd half", 60)];
    await play(halves);
    await play([]);
    await play([half("Part 1", 0), half("Part 2", 30), half("Part 3", 60)]);
    await play(halves, 60);
    const table = await play([...halves, { ...half("Extra time", 90), end_time: minute(95) }]);
    await play(halves);
    const extra = "Match is the sum of the two halves, without extra time.";
    expect(table.match_note).toBe(extra);
    expect((await scene.figures(ids[0] ?? 0)).body.match_note).toBeNull();
    const path = `/api/v2/squads/${scene.squad}/season/`;
    const { sessions, players } = (await s.get(path, scene.manager.token)).body;
    const unknown = expect.stringMatching(/^The halves are not known, .*exactly two of 30 to 70 minutes/);
    expect(sessions.map((one: { match_note: string | null }) => one.match_note)).toEqual([
      null,
      unknown,
      unknown,
      null,
      extra,
      null,
    ]);
    const [{ entries, normal }] = players;
    const H = "halves";
    expect(entries.map((one: { covers: string }) => one.covers)).toEqual([H, "session", "session", H, H, H]);
    expect(entries.map((one: { share_with_hr: number }) => Math.round(100 * one.share_with_hr))).toEqual([
      100, 100, 100, 50, 100, 100,
    ]);
    // Three of the five earlier sessions are matches with halves, and one of them lacks heart rates.
    expect(normal.distance_m.mean).toBeCloseTo(entries[0].figures.distance_m, 0);
    expect([normal.trimp, normal.hr_max_bpm]).toEqual([null, null]);
    const coach = await guestOf(scene, "coach");
    expect(JSON.stringify((await s.get(path, coach.token)).body)).not.toContain("share_with_hr");
    // Other kinds of sessions have no halves.
    await scene.send("PATCH", `/api/v2/sessions/${ids[1]}/`, { kind: "training" });
    await scene.completeTable(ids[1] ?? 0);
    expect((await s.get(path, scene.manager.token)).body.sessions[1].match_note).toBeNull();
    // A match whose halves are not known is not compared.
    await scene.send("PUT", `/api/v2/sessions/${ids[5]}/periods/`, []);
    await scene.completeTable(ids[5] ?? 0);
    const [last] = (await s.get(path, scene.manager.token)).body.players;
    expect([last.entries[5].covers, last.normal.distance_m]).toEqual(["session", null]);
  });

  it("counts sums of short appearances in no normal range, and rates of less than 10 minutes in no best value", async () => {
    const scene = await SquadScene.of(s, ["Ann", "Bob"]);
    const [ann, bob] = scene.players as [TestPlayer, TestPlayer];
    /** A match of an hour, which Bob plays only for the last minutes. */
    const play = async (day: number, minutes: number, speed: number) => {
      const from = day * 24 * 60;
      const end = from + 60;
      const session = await scene.session({ start_time: minute(from), end_time: minute(end) });
      const half = (name: string, start: number | null, stop: number, athlete: number | null) => {
        const times = start === null ? [null, null] : [minute(start), minute(stop)];
        return { name, start_time: times[0], end_time: times[1], athlete };
      };
      const isWhole = minutes === 60;
      const periods = [
        half("1st half", from, end - 30, null),
        half("2nd half", end - 30, end, null),
        ...(isWhole ? [] : [half("1st half", null, 0, bob.athlete)]),
        ...(isWhole ? [] : [half("2nd half", end - minutes, end, bob.athlete)]),
      ];
      expect((await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, periods)).status).toBe(200);
      await scene.run(ann.device, from, end);
      await scene.run(bob.device, end - minutes, end, speed);
      await scene.completeTable(session);
    };
    for (const [day, minutes] of [60, 60, 12, 5, 60].entries())
      await play(day, minutes, minutes === 5 ? 5000 : 3000);
    const path = `/api/v2/squads/${scene.squad}/season/`;
    const { players } = (await s.get(path, scene.manager.token)).body;
    const shares = players.map(({ entries }: { entries: { share_played: number }[] }) =>
      entries.map(({ share_played }) => share_played),
    );
    expect(shares).toEqual([
      [1, 1, 1, 1, 1],
      [1, 1, 0.2, 1 / 12, 1],
    ]);
    const { normal, best } = players[1];
    // Two whole matches are not enough for sums. The minutes themselves are compared with those of all matches.
    expect(normal.distance_m).toBeNull();
    expect(normal.minutes.mean).toBeCloseTo(44, 1);
    expect(normal.rate_m_per_min.mean).toBeCloseTo(180, 0);
    expect(best.rate_m_per_min).toBeCloseTo(180, 0);
    expect(best.top_speed_km_per_h).toBeCloseTo(18, 0);
    expect(players[0].normal.distance_m.mean).toBeCloseTo(60 * 180, -1);
  });
});
