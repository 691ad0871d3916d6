import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { deriveSessions } from "../src/domain/sessions/derive-rest.js";
import { Turn } from "../src/store/queue/turn.js";
import { assignments, permissions } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";
import { guestOf, minute, SquadScene, setPeriods, type TestPlayer } from "./squad-scene.js";
import { grant } from "./team.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

describe("the halves of matches in the season of a squad", () => {
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

  it("has the halves that the names of the periods say, and a note if only their lengths do", async () => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [ann] = scene.players as [TestPlayer];
    await scene.run(ann.device, 0, 120);
    const session = await scene.session({ end_time: minute(120) });
    const shown = async (...names: string[]) => {
      const times = names.map((name, i) => ({
        name,
        start_time: minute(40 * i),
        end_time: minute(40 * i + 35),
        athlete: null,
      }));
      expect((await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, times)).status).toBe(200);
      const table = await scene.completeTable(session);
      const path = `/api/v2/squads/${scene.squad}/season/`;
      const { sessions, players } = (await s.get(path, scene.manager.token)).body;
      const match = table.rows.find(({ period }: { period: string | null }) => period === "Match");
      return [
        players[0].entries[0].covers,
        match === undefined ? null : Math.round(match.figures.minutes),
        sessions[0].match_note,
        table.match_note,
      ];
    };
    expect(await shown("Warm-up", "1st half", "2nd half")).toEqual(["halves", 70, null, null]);
    const unknown = expect.stringMatching(/^The halves are not known/);
    expect(await shown("Warm-up", "Half 1")).toEqual(["session", null, unknown, null]);
    const byLength = expect.stringMatching(/^Match is the sum of two periods without names of halves/);
    expect(await shown("A", "B")).toEqual(["halves", 70, byLength, byLength]);
  });
});
