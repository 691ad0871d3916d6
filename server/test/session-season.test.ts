import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { assignments, squadMembers as memberRows, permissions, sessionFigures } from "../src/store/schema.js";
import { service, startService, type TestService } from "./service.js";
import { minute, SquadScene, squadWithSession, tokenOf } from "./squad-scene.js";
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
          const fast = { too_fast_rows: others.too_fast_rows, too_fast_s: 0 };
          const shares = { share_with_data, ...heart, share_played: 1, ...fast };
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

  it("does not contain a player whom the owner has just removed, before the session is derived again", async () => {
    const { scene, first, second, session } = await played("Ann", "Bob");
    for (const { device } of [first, second]) await scene.run(device, 0, 5);
    await scene.figures(session);
    const names = async () => {
      const { body } = await scene.send("GET", `/api/v2/squads/${scene.squad}/season/`);
      return body.players.map(({ player }: { player: string }) => player);
    };
    expect(await names()).toEqual(["Ann", "Bob"]);
    const { body } = await scene.send(
      "GET",
      `/api/v2/members/?squad=${scene.squad}&athlete=${first.athlete}`,
    );
    expect((await scene.send("DELETE", `/api/v2/members/${body.results[0].id}/`)).status).toBe(204);
    expect(await names()).toEqual(["Bob"]);
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
