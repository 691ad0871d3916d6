import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { squadMembers as memberRows, permissions } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";
import { minute, SquadScene, squadWithSession } from "./squad-scene.js";

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
        // with a break, and without Cem on the last day
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
          const { figures, share_with_data } = row;
          rows.push({ athlete, session, figures, share_with_data, days_since: undefined });
        }
      }
      expect(rows).toHaveLength(11);
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
    await scene.run(first.device, 0, 15);
    expect((await season()).sessions[0].not_computed).toEqual([first.athlete]);
    expect((await season()).players).toEqual([]);
    await scene.figures(session);
    const ids = [session];
    for (const day of [1, 2, 3]) {
      const from = day * 24 * 60;
      ids.push(await scene.session({ start_time: minute(from), end_time: minute(from + 60) }));
      await scene.run(first.device, from, from + 15, 3000 + 100 * day);
      await scene.figures(ids.at(-1) ?? 0);
    }
    const { sessions, players } = await season();
    expect(sessions.map((one: { id: number; not_computed: number[] }) => [one.id, one.not_computed])).toEqual(
      ids.map((id) => [id, []]),
    );
    const [ann] = players;
    expect([ann.player, ann.days_since_last, ann.entries.length]).toEqual(["Ann", 0, 4]);
    expect(ann.entries[3]).toMatchObject({ session: ids[3], days_since: 1 });
    // The distances result from 3.0, 3.1 and 3.2 m/s for 15 minutes.
    expect(ann.normal.distance_m.mean).toBeCloseTo(15 * 60 * 3.1, -1);
    expect(ann.best.distance_m).toBeCloseTo(15 * 60 * 3.3, -1);
    await scene.run(first.device, 20, 25);
    expect((await season()).sessions[0].not_computed).toEqual([first.athlete]);
  });
});
