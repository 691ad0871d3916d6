/** Memberships that follow each other with other values, which an analyst may add. */
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { problem } from "./problem.js";
import { service, type TestService } from "./service.js";
import { guestOf, minute, SquadScene } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

/** An athlete in a squad, and an analyst of the squad. */
async function squadOfOne() {
  const scene = await SquadScene.of(s, ["Bea"]);
  const analyst = await guestOf(scene, "analyst");
  const rows = async (athlete = scene.players[0]?.athlete) =>
    (await scene.send("GET", `/api/v2/members/?squad=${scene.squad}&athlete=${athlete}`)).body.results;
  const patch = (member: number, json: object) =>
    s.send("PATCH", `/api/v2/members/${member}/`, { token: analyst.token, json });
  const [first] = await rows();
  return { scene, rows, patch, first };
}

describe("a change of a member from a time", () => {
  it("adds no membership if nothing differs from the membership at this time", async () => {
    const { rows, patch, first } = await squadOfOne();
    for (const same of [{}, { number: first.number }, { position: first.position, params: first.params }]) {
      const { status, body } = await patch(first.id, { from: minute(60), ...same });
      expect([status, body]).toEqual([200, first]);
    }
    expect(await rows()).toEqual([first]);
  });

  it("adds no membership if the next one has the same values, which starts earlier then", async () => {
    const { rows, patch, first } = await squadOfOne();
    const { body: next } = await patch(first.id, { from: minute(60), number: 8 });
    const { status, body } = await patch(first.id, { from: minute(30), number: 8 });
    expect([status, body]).toEqual([200, { ...next, start_time: minute(30) }]);
    expect(await rows()).toEqual([
      { ...first, end_time: minute(30) },
      { ...next, start_time: minute(30) },
    ]);
    // A later membership with the same values does not follow this one.
    await patch(next.id, { from: minute(60), number: 9 });
    expect((await patch(first.id, { from: minute(20), number: 9 })).body).toMatchObject({
      start_time: minute(20),
      end_time: minute(30),
    });
    expect(await rows()).toHaveLength(4);
  });

  it("is refused if the athlete has 100 memberships in the squad, so nobody uses up the quota of its owner", async () => {
    const { scene, rows, patch, first } = await squadOfOne();
    await s.store.database.queries.execute(sql`
      INSERT INTO squad_members (squad_id, athlete_id, number, params, start_time, end_time)
      SELECT ${scene.squad}, ${first.athlete}, n, '{}', to_timestamp(n), to_timestamp(n + 1)
      FROM generate_series(1, 98) AS n`);
    const { status, body: last } = await patch(first.id, { from: minute(60), number: 8 });
    expect(status).toBe(200);
    const refused = await patch(last.id, { from: minute(90), number: 9 });
    expect(problem(refused)).toEqual([409, "quota_exceeded"]);
    expect(await rows()).toHaveLength(100);
    expect(await rows()).toContainEqual(last);
    expect((await patch(last.id, { number: 9 })).status).toBe(200);
    // Another athlete has as many.
    const { athlete } = await scene.add("Cleo");
    const [cleo] = await rows(athlete);
    expect((await patch(cleo.id, { from: minute(90), number: 9 })).status).toBe(200);
  });
});
