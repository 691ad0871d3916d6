import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { deriveSessions } from "../src/domain/sessions/derive-rest.js";
import { Turn } from "../src/store/queue/turn.js";
import { assignments, squadMembers as memberRows, permissions, sessionFigures } from "../src/store/schema.js";
import { service, startService, type TestService } from "./service.js";
import {
  guestOf,
  minute,
  SquadScene,
  setPeriods,
  squadWithSession,
  type TestPlayer,
  tokenOf,
} from "./squad-scene.js";
import { grant, store } from "./team.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const played = (...names: string[]) => squadWithSession(s, ...names);

describe("the season of a squad", () => {
  it("has the figures and the shares of the tables of its sessions, for every role", async () => {
    const scene = await SquadScene.of(s);
    const players = [await scene.add("Ann", { max_hr: 200 }), await scene.add("Bob"), await scene.add("Cem")];
    const [coach, physician] = [await s.manager(), await s.manager()];
    for (const [guest, role] of [
      [coach, "coach"],
      [physician, "physician"],
    ] as const) {
      const grants = `/api/v2/squads/${scene.squad}/grants/`;
      const { body } = await scene.send("POST", grants, { username: guest.username, role });
      const accept = `/api/v2/invitations/${body.id}/accept/`;
      expect((await s.send("POST", accept, { token: guest.token })).status).toBe(200);
    }
    const sessions: number[] = [];
    for (const day of [0, 1, 2, 3]) {
      const from = day * 24 * 60;
      const session = await scene.session({ start_time: minute(from), end_time: minute(from + 60) });
      sessions.push(session);
      for (const [place, { device }] of players.entries()) {
        // Cem has no samples on the last day.
        if (day === 3 && place === 2) continue;
        await scene.run(device, from + place, from + 5 + 3 * place, 2500 + 300 * day + 100 * place);
        if (place === 1) await scene.run(device, from + 20, from + 22);
      }
      await scene.figures(session);
    }
    for (const { token } of [scene.manager, coach, physician]) {
      const season = (await s.get(`/api/v2/squads/${scene.squad}/season/`, token)).body;
      const entries = season.players.flatMap(
        ({ athlete, entries }: { athlete: number; entries: { session: number }[] }) =>
          entries.map(({ session, ...one }) => ({ athlete, session, ...one, days_since: undefined })),
      );
      const rows: unknown[] = [];
      for (const { athlete } of season.players) {
        for (const session of sessions) {
          const table = (await scene.figures(session, token)).body;
          const row = table.rows.find((one: { athlete: number }) => one.athlete === athlete);
          if (row?.start === null) continue;
          const { figures, share_with_data, ...others } = row;
          // absent for the coach
          const heart = "share_with_hr" in others && { share_with_hr: others.share_with_hr };
          const covers = "session";
          const shares = { share_with_data, ...heart, share_played: 1 };
          rows.push({ athlete, session, covers, figures, ...shares, limits: 0, days_since: undefined });
        }
      }
      expect(rows).toHaveLength(11);
      const speeds = { high_speed_from_m_per_s: 5.5, sprint_from_m_per_s: 7 };
      const maxHr = (max_hr: number | null) => (token === coach.token ? {} : { max_hr });
      expect(season.players.map(({ limits }: { limits: unknown }) => limits)).toEqual(
        [200, null, null].map((one) => [{ ...speeds, ...maxHr(one) }]),
      );
      expect(JSON.stringify(entries)).toBe(JSON.stringify(rows));
    }
  });

  it("has an entity tag that differs by role and changes with its figures, its players and the permissions", async () => {
    const { scene, first, second, session } = await played("Ann", "Bob");
    await scene.run(first.device, 0, 5);
    await scene.figures(session);
    const path = `/api/v2/squads/${scene.squad}/season/`;
    const read = (tag = "", token = scene.manager.token) => s.get(path, token, { "If-None-Match": tag });
    const tagOf = async () => (await read()).headers.get("etag") ?? "";
    let tag = await tagOf();
    const again = await read(tag);
    expect([again.status, again.headers.get("etag"), again.body]).toEqual([304, tag, ""]);
    const coach = await s.manager();
    const { body } = await scene.send("POST", `/api/v2/squads/${scene.squad}/grants/`, {
      username: coach.username,
      role: "coach",
    });
    await s.send("POST", `/api/v2/invitations/${body.id}/accept/`, { token: coach.token });
    expect((await read(tag, coach.token)).status).toBe(200);
    const { queries } = s.store.database;
    const changes: Record<string, () => Promise<unknown>> = {
      samples: () => scene.run(first.device, 5, 10),
      figures: () => scene.figures(session),
      number: () =>
        queries.update(memberRows).set({ number: 77 }).where(eq(memberRows.athleteId, first.athlete)),
      name: () => scene.send("PATCH", `/api/v2/sessions/${session}/`, { name: "Round 9" }),
      permission: () => queries.delete(permissions).where(eq(permissions.athleteId, second.athlete)),
    };
    for (const [what, change] of Object.entries(changes)) {
      await change();
      const next = await tagOf();
      expect([what, next === tag]).toEqual([what, false]);
      tag = next;
    }
  });

  it("contains the stored figures of each player, the sessions without figures, and the normal range of five matches", async () => {
    const { scene, first, session } = await played("Ann");
    const season = async () =>
      (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body;
    const play = async (id: number, from: number, speed?: number) => {
      const half = (name: string, start: number) => ({
        name,
        start_time: minute(start),
        end_time: minute(start + 30),
        athlete: null,
      });
      const halves = [half("1st half", from), half("2nd half", from + 30)];
      expect((await scene.send("PUT", `/api/v2/sessions/${id}/periods/`, halves)).status).toBe(200);
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
      const half = (name: string, start: number) => ({
        name,
        start_time: minute(start),
        end_time: minute(start + 30),
        athlete: null,
      });
      const halves = [half("1st half", from), half("2nd half", from + 30)];
      await scene.send("PUT", `/api/v2/sessions/${id}/periods/`, halves);
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
      "Sessions with another threshold or maximum heart rate than the compared one are in no mean, best value or normal range: High-speed distance: Ann (3).",
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
    await play([half("Warm-up", 0), ...halves]);
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

  it("has the same shares for a player as for the manager, and none if the figures of another player are missing", async () => {
    const { scene, first, second, session } = await played("Ann", "Bob");
    await scene.run(first.device, 0, 5);
    await scene.run(second.device, 0, 20);
    await scene.figures(session);
    const tokens = [scene.manager.token, await tokenOf(scene, first)];
    const shares = () =>
      Promise.all(
        tokens.map(async (token) => {
          const { players } = (await s.get(`/api/v2/squads/${scene.squad}/season/`, token)).body;
          const table = (await scene.figures(session, token)).body;
          const ofAnn = <T extends { athlete: number }>(all: T[]) =>
            all.find(({ athlete }) => athlete === first.athlete);
          return [
            (ofAnn(players) as { entries: { share_with_data: number }[] } | undefined)?.entries[0]
              ?.share_with_data,
            (ofAnn(table.rows) as { share_with_data: number } | undefined)?.share_with_data,
          ];
        }),
      );
    const [ofManager] = await shares();
    expect(ofManager?.[0]).toBeCloseTo(0.25, 3);
    expect(new Set((await shares()).flat())).toEqual(new Set([ofManager?.[0]]));
    const isOfBob = eq(sessionFigures.athleteId, second.athlete);
    await s.store.database.queries.delete(sessionFigures).where(isOfBob);
    for (const token of tokens.toReversed()) {
      const { players } = (await s.get(`/api/v2/squads/${scene.squad}/season/`, token)).body;
      expect(players[0].entries[0].share_with_data).toBeNull();
    }
    const own = (await scene.figures(session, tokens[1])).body;
    expect(
      own.rows.map(({ player, share_with_data }: Record<string, unknown>) => [player, share_with_data]),
    ).toEqual([["Ann", null]]);
    expect(JSON.stringify(own)).not.toContain("Bob");
    const path = `/api/v2/sessions/${session}/figures/`;
    const tag = (await s.get(path, tokens[1])).headers.get("etag") ?? "";
    const again = () => s.get(path, tokens[1], { "If-None-Match": tag });
    expect((await again()).status).toBe(304);
    await scene.figures(session);
    expect((await again()).status).toBe(200);
  });

  it("has the shares of the table if the owner may read only some times of a player", async () => {
    const { scene, first, second, session } = await played("Ann", "Bob");
    const { queries } = s.store.database;
    await scene.run(first.device, 0, 5);
    await scene.run(second.device, 0, 20);
    const readable = async (...times: [from: number, to: number][]) => {
      const isRead = and(eq(permissions.athleteId, second.athlete), eq(permissions.permission, "READ"));
      await queries.delete(permissions).where(isRead);
      for (const [from, to] of times)
        await grant(s, second.athlete, scene.manager.id, "READ", minute(from), minute(to));
    };
    const shares = async (wait: number) => {
      const table = (await scene.figures(session, scene.manager.token, `?wait=${wait}`)).body;
      const season = (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body;
      const ofTable = table.rows.map((one: { player: string; share_with_data: number | null }) => [
        one.player,
        one.share_with_data,
      ]);
      const ofSeason = season.players.map(
        (one: { player: string; entries: { share_with_data: number | null }[] }) => [
          one.player,
          one.entries[0]?.share_with_data,
        ],
      );
      return [ofTable, ofSeason];
    };
    // The times are those of the data.
    const rounded = (all: unknown[][]) =>
      JSON.parse(JSON.stringify(all), (_, value) =>
        typeof value === "number" ? Math.round(value * 100) / 100 : value,
      );
    await readable([0, 10]);
    const onlyAnn = [["Ann", 1]];
    expect(rounded(await shares(60))).toEqual([onlyAnn, onlyAnn]);
    await queries.delete(sessionFigures).where(eq(sessionFigures.athleteId, second.athlete));
    expect(rounded(await shares(0))).toEqual([onlyAnn, onlyAnn]);
    // Bob changes the tracker, and the owner may not read the time between the two.
    const other = await scene.device();
    await queries
      .update(assignments)
      .set({ endTime: new Date(minute(20)) })
      .where(eq(assignments.athleteId, second.athlete));
    await scene.assign(second.athlete, other, minute(50));
    await readable([0, 25], [45, 60]);
    await scene.send("PATCH", `/api/v2/sessions/${session}/`, { place: "Away" });
    const both = [
      ["Ann", 0.25],
      ["Bob", 1],
    ];
    expect(rounded(await shares(60))).toEqual([both, both]);
  });

  it("does not contain the figures of halves if the owner may not read all of their time frames, as in the table", async () => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    const { queries } = s.store.database;
    // Ann changes the tracker in the break. The permission to write ends before the session, so the time frames of the second
    // tracker are only those of the second half.
    const second = await scene.device();
    await queries
      .update(assignments)
      .set({ endTime: new Date(minute(50)) })
      .where(eq(assignments.athleteId, ann.athlete));
    await scene.assign(ann.athlete, second, minute(50));
    const permit = async (readUntil: number) => {
      await queries.delete(permissions).where(eq(permissions.athleteId, ann.athlete));
      await grant(s, ann.athlete, scene.manager.id, "WRITE", minute(-60), minute(115));
      await grant(s, ann.athlete, scene.manager.id, "READ", minute(-60), minute(readUntil));
    };
    await permit(115);
    const session = await scene.session({ end_time: minute(120) });
    expect((await setPeriods(scene, session, "1st half,13:05,13:45,\n2nd half,14:02,14:50,\n")).status).toBe(
      200,
    );
    await scene.run(ann.device, 5, 10);
    await scene.run(second, 62, 70);
    await scene.completeTable(session);
    const coach = await guestOf(scene, "coach");
    const shown = async (token: string) => {
      const { rows } = (await scene.figures(session, token)).body;
      const { players } = (await s.get(`/api/v2/squads/${scene.squad}/season/`, token)).body;
      return [
        rows.map(({ period }: { period: string | null }) => period),
        players.flatMap(({ entries }: { entries: { covers: string; figures: { minutes: number } }[] }) =>
          entries.map(({ covers, figures }) => [covers, Math.round(figures.minutes)]),
        ),
      ];
    };
    const all = [[null, "Match", "1st half", "2nd half"], [["halves", 13]]];
    const part = [[null, "1st half"], []];
    for (const [until, expected] of [
      [115, all],
      [50, part],
      [110, all],
    ] as const) {
      await permit(until);
      for (const { token } of [scene.manager, coach]) expect(await shown(token)).toEqual(expected);
    }
  });

  it("contains the figures of the two halves of a match without the warm-up, like the rows Match of the table", async () => {
    const scene = await SquadScene.of(s, ["Ann", "Bob", "Cem"]);
    const [ann, bob, cem] = scene.players as [TestPlayer, TestPlayer, TestPlayer];
    const isOfCem = eq(assignments.athleteId, cem.athlete);
    await s.store.database.queries
      .update(assignments)
      .set({ endTime: new Date(minute(5)) })
      .where(isOfCem);
    const session = await scene.session({ end_time: minute(90) });
    // Ann runs faster in the warm-up than in the match, and Bob runs only in the warm-up.
    await scene.run(ann.device, 0, 4, 6000);
    await scene.run(ann.device, 10, 12, 3000);
    await scene.run(ann.device, 60, 63, 2000);
    await scene.run(bob.device, 0, 4, 5000);
    // Cem plays without a device.
    await scene.run(cem.device, 0, 4, 5000);
    const half = (name: string, from: number, to: number) => [
      { name, start_time: minute(from), end_time: minute(to), athlete: null },
      { name, start_time: null, end_time: null, athlete: bob.athlete },
    ];
    const periods = [...half("1st half", 5, 45), ...half("2nd half", 50, 90)];
    expect((await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, periods)).status).toBe(200);
    const { rows } = await scene.completeTable(session);
    const rowOf = (athlete: number, period: string | null) =>
      rows.find((one: Record<string, unknown>) => one.athlete === athlete && one.period === period);
    const all = {
      ownerId: scene.manager.id,
      fromMs: Date.parse(minute(0)),
      toMs: Date.parse(minute(90)),
    };
    await deriveSessions(s.ctx, all, new Turn());
    expect((await scene.figures(session)).body.rows).toEqual(rows);
    const match = rowOf(ann.athlete, "Match");
    expect(match.figures.distance_m).toBeCloseTo(
      rowOf(ann.athlete, "1st half").figures.distance_m + rowOf(ann.athlete, "2nd half").figures.distance_m,
      6,
    );
    expect(match.figures.distance_m).toBeLessThan(rowOf(ann.athlete, null).figures.distance_m - 1000);
    expect(match.timeframes).toHaveLength(2);
    expect(rowOf(bob.athlete, "Match").figures.distance_m).toBeNull();
    expect(rowOf(cem.athlete, "Match")).toBeUndefined();
    const { players } = (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body;
    const seen = Object.fromEntries(
      players.map((one: { player: string; entries: { figures: unknown }[] }) => [one.player, one.entries]),
    );
    expect(seen.Ann).toMatchObject([{ session, figures: match.figures }]);
    expect(seen.Ann[0].share_with_data).toBe(match.share_with_data);
    const nothing = [{ session, figures: { distance_m: null, minutes: null } }];
    expect([seen.Bob, seen.Cem]).toMatchObject([nothing, nothing]);

    // A period with this name replaces the sum in the table, and the season does not change.
    const named = { name: "match", start_time: minute(0), end_time: minute(90), athlete: null };
    await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, [...periods, named]);
    const { rows: others } = await scene.completeTable(session);
    expect(others.filter((one: { period: string }) => /match/i.test(one.period ?? ""))).toHaveLength(3);
    const again = (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body.players;
    expect(again.map(({ entries }: { entries: unknown }) => entries)).toEqual(
      players.map(({ entries }: { entries: unknown }) => entries),
    );

    // A session of another kind counts as a whole, as before.
    await scene.send("PATCH", `/api/v2/sessions/${session}/`, { kind: "training" });
    await scene.completeTable(session);
    const training = (await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token)).body;
    expect(training.players[0].entries[0].figures).toEqual(rowOf(ann.athlete, null).figures);
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
    // Two whole matches are not enough for sums.
    expect([normal.distance_m, normal.minutes]).toEqual([null, null]);
    expect(normal.rate_m_per_min.mean).toBeCloseTo(180, 0);
    expect(best.rate_m_per_min).toBeCloseTo(180, 0);
    expect(best.top_speed_km_per_h).toBeCloseTo(18, 0);
    expect(players[0].normal.distance_m.mean).toBeCloseTo(60 * 180, -1);
  });

  it("shows the number of a player in the last of its sessions", async () => {
    const { scene, first, session } = await played("Ann");
    await scene.run(first.device, 0, 5);
    await scene.figures(session);
    const { queries } = s.store.database;
    const isOfAnn = eq(memberRows.athleteId, first.athlete);
    await queries
      .update(memberRows)
      .set({ endTime: new Date(minute(30)) })
      .where(isOfAnn);
    await queries.insert(memberRows).values({
      squadId: scene.squad,
      athleteId: first.athlete,
      number: 9,
      position: "FW",
      params: {},
      startTime: new Date(minute(30)),
      endTime: new Date("2999-01-01T00:00:00Z"),
    });
    const { body } = await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token);
    expect(body.players).toMatchObject([{ number: "9", position: "FW" }]);
  });

  it("does not contain sessions that are only planned", async () => {
    const { scene, session } = await played("Ann");
    await scene.session({
      start_time: "2090-05-16T12:00:00Z",
      end_time: "2090-05-16T14:00:00Z",
      kind: "match",
    });
    const { body } = await s.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token);
    expect(body.sessions.map(({ id }: { id: number }) => id)).toEqual([session]);
  });

  it("reads at most 600 parts of a recording with thousands of breaks", async () => {
    const { scene, first, session } = await played("Ann");
    const samples = Array.from({ length: 3000 }, (_, i) => ({
      t: Date.parse(minute(0)) + 2500 * Math.floor(i / 3) + 10 * (i % 3) + (i < 1500 ? 0 : 60_000),
      speed: 3000,
      hr: 150,
    }));
    await store(s, first.device.id, samples);
    await scene.figures(session);
    const [row] = await s.store.database.queries
      .select({ seconds: sessionFigures.seconds })
      .from(sessionFigures)
      .where(eq(sessionFigures.sessionId, session));
    const parts = JSON.parse(row?.seconds ?? "[]") as [from: number, to: number][];
    expect(parts).toHaveLength(600);
    // The longest break is kept.
    expect(Math.max(...parts.slice(1).map(([from], i) => from - (parts[i]?.[1] ?? 0)))).toBeGreaterThan(59);
  });

  it("does not contain figures beyond the quota of an account, which the table computes for each request", async () => {
    const limited = await startService({ quotaFigures: 1 });
    const { scene, first, second, session } = await squadWithSession(limited, "Ann", "Bob");
    await scene.run(first.device, 0, 5);
    await scene.run(second.device, 0, 5);
    for (let reads = 0; reads < 2; reads++) {
      const { rows } = (await scene.figures(session)).body;
      expect(rows.map(({ figures }: { figures: { distance_m: number } }) => figures.distance_m > 0)).toEqual([
        true,
        true,
      ]);
    }
    const isOfSession = eq(sessionFigures.sessionId, session);
    expect(await limited.store.database.queries.$count(sessionFigures, isOfSession)).toBe(1);
    const { body } = await limited.get(`/api/v2/squads/${scene.squad}/season/`, scene.manager.token);
    expect(body.sessions[0].not_computed).toHaveLength(1);
  });
});
