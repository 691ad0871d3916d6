/** Tests which data and operations of a squad coaches, analysts, physicians and athletes can use. */
import { and, eq } from "drizzle-orm";
import { strFromU8, unzipSync } from "fflate";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { accounts, auditLog, permissions, squadGrants, timeframes } from "../src/store/schema.js";
import { hold } from "./held-locks.js";
import { service, type TestAccount, type TestService } from "./service.js";
import { type GuestRole, guestOf, minute, SquadScene, type TestPlayer, tokenOf } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const PARQUET = "application/vnd.apache.parquet";
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const invite = (scene: SquadScene, username: string, role: GuestRole = "coach") =>
  scene.send("POST", `/api/v2/squads/${scene.squad}/grants/`, { username, role });

/** Creates a squad of two players who have run in a session. */
async function played() {
  const scene = await SquadScene.of(s);
  const ann = await scene.add("Ann", { max_hr: 190, sprint_threshold: 7 });
  const bea = await scene.add("Bea");
  const session = await scene.session({ notes: "Bea was tired." });
  await scene.run(ann.device, 0, 2);
  await scene.run(bea.device, 0, 2);
  return { scene, ann, bea, session, path: `/api/v2/sessions/${session}/` };
}

const revokeRead = (player: TestPlayer) =>
  s.store.database.queries.delete(permissions).where(eq(permissions.athleteId, player.athlete));

const athletesIn = ({ body }: { body: { rows: { athlete: number }[] } }) =>
  body.rows.map(({ athlete }) => athlete);

const HEART = /"[^"]*(?:_hr|hr_|trimp)[^"]*"/g;

describe("an invitation", () => {
  it("gets the same response for an unknown username, an athlete and a manager", async () => {
    const scene = await SquadScene.of(s);
    const [manager, athlete] = [await s.manager(), await s.athlete()];
    const answers = await Promise.all(
      [manager.username, athlete.username, "nobody-of-this-name"].map((name) => invite(scene, name)),
    );
    const shapes = answers.map(({ status, body }) => [
      status,
      { ...body, id: 0, username: "", created_at: "" },
    ]);
    expect(shapes).toEqual(
      Array(3).fill([201, { id: 0, username: "", role: "coach", created_at: "", accepted_at: null }]),
    );
    const { body } = await s.get("/api/v2/invitations/", manager.token);
    expect(body.results).toMatchObject([
      { squad: scene.squad, squad_name: "First team", owner: scene.manager.username, role: "coach" },
    ]);
    const mine = await invite(scene, scene.manager.username);
    expect([mine.status, mine.body.errors[0].field]).toEqual([400, "username"]);
  });

  it("grants nothing before it is accepted, or after it is declined, left or revoked", async () => {
    const { scene, path } = await played();
    const guest = await s.manager();
    const status = async () => (await s.get(`${path}figures/`, guest.token)).status;
    const { body: open } = await invite(scene, guest.username);
    expect(await status()).toBe(404);
    const mine = `/api/v2/invitations/${open.id}/`;
    await s.post(`${mine}accept/`, undefined, guest.token);
    expect(await status()).toBe(200);
    expect((await s.send("DELETE", mine, { token: guest.token })).status).toBe(204);
    expect(await status()).toBe(404);
    const again = await guestOf(scene, "coach");
    const grant = `/api/v2/squads/${scene.squad}/grants/${again.grant}/`;
    expect((await scene.send("DELETE", grant)).status).toBe(204);
    expect((await s.get(`${path}figures/`, again.token)).status).toBe(404);
    const rows = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(eq(auditLog.entity, "squad grant"));
    const operations = rows.filter(({ entityId }) => entityId === open.id).map(({ operation }) => operation);
    expect(operations).toEqual(["createSquadGrant", "acceptInvitation", "deleteInvitation"]);
  });

  it("replaces the earlier role when it is accepted", async () => {
    const { scene, path } = await played();
    const guest = await guestOf(scene, "coach");
    const { body } = await invite(scene, guest.username, "physician");
    expect(JSON.stringify((await s.get(`${path}figures/`, guest.token)).body)).not.toMatch(HEART);
    await s.post(`/api/v2/invitations/${body.id}/accept/`, undefined, guest.token);
    expect(JSON.stringify((await s.get(`${path}figures/`, guest.token)).body)).toMatch(HEART);
    const { body: left } = await s.get("/api/v2/invitations/", guest.token);
    expect(left.results.map(({ id }: { id: number }) => id)).toEqual([body.id]);
  });

  it("ends with the only invitation, however often the owner has invited the guest", async () => {
    const { scene, path } = await played();
    const guest = await s.manager();
    const { body: wide } = await invite(scene, guest.username, "physician");
    const { body: narrow } = await invite(scene, guest.username.toUpperCase(), "coach");
    const accept = async ({ id }: { id: number }) =>
      (await s.post(`/api/v2/invitations/${id}/accept/`, undefined, guest.token)).status;
    expect([await accept(wide), await accept(narrow)]).toEqual([404, 200]);
    const grants = `/api/v2/squads/${scene.squad}/grants/`;
    expect((await scene.send("GET", grants)).body.results).toMatchObject([{ id: narrow.id, role: "coach" }]);
    expect((await scene.send("DELETE", `${grants}${narrow.id}/`)).status).toBe(204);
    expect((await s.get("/api/v2/invitations/", guest.token)).body.results).toEqual([]);
    expect((await s.get(`${path}figures/`, guest.token)).status).toBe(404);
  });

  it("replaces invitations that were sent under an earlier name", async () => {
    const { scene } = await played();
    const guest = await s.manager();
    const { body: wide } = await invite(scene, guest.username, "physician");
    const username = `${guest.username}-later`;
    await s.store.database.queries
      .update(accounts)
      .set({ username, usernameKey: username })
      .where(eq(accounts.id, guest.id));
    const { body: narrow } = await invite(scene, username, "coach");
    await s.post(`/api/v2/invitations/${narrow.id}/accept/`, undefined, guest.token);
    const { status } = await s.post(`/api/v2/invitations/${wide.id}/accept/`, undefined, guest.token);
    expect(status).toBe(404);
  });

  it("counts towards QUOTA_INVITATIONS", async () => {
    const scene = await SquadScene.of(s);
    await s.store.database.queries.insert(squadGrants).values(
      Array.from({ length: 200 }, (_, n) => ({
        squadId: scene.squad,
        username: `none-${n}`,
        role: "coach" as const,
        createdAt: new Date(),
      })),
    );
    const { status, body } = await invite(scene, "one-more");
    expect([status, body.code]).toEqual([409, "quota_exceeded"]);
  });
});

describe("a guest", () => {
  it("can read the table, the season, the members and the periods of the squad, but heart data only as a physician", async () => {
    const { scene, session, path } = await played();
    const owned = (await scene.send("GET", `${path}figures/`)).body;
    const season = `/api/v2/squads/${scene.squad}/season/`;
    const coach = await guestOf(scene, "coach");
    const physician = await guestOf(scene, "physician");
    expect((await s.get(`${path}figures/`, physician.token)).body).toEqual(owned);
    // 150 is 79 % of 190, so each of two minutes counts as 3.
    expect(owned.rows[0].figures).toMatchObject({ hr_mean_bpm: 150, trimp: 6 });

    const paths = [
      `${path}figures/`,
      season,
      `/api/v2/members/?squad=${scene.squad}`,
      `${path}periods/`,
      path,
    ];
    for (const one of paths) {
      const answer = await s.get(one, coach.token);
      expect([one, answer.status, JSON.stringify(answer.body).match(HEART)]).toEqual([one, 200, null]);
      expect((await s.get(one, physician.token)).body).toEqual((await scene.send("GET", one)).body);
    }
    const { rows } = (await s.get(`${path}figures/`, coach.token)).body;
    expect(rows[0].figures.distance_m).toBe(owned.rows[0].figures.distance_m);
    const csv = await s.send("GET", `${path}figures/`, {
      token: coach.token,
      headers: { Accept: "text/csv" },
    });
    expect(csv.body).toContain("distance_m");
    expect(csv.body).not.toMatch(/hr|trimp/);
    const listed = await s.get("/api/v2/sessions/", coach.token);
    expect(listed.body.results.map(({ id }: { id: number }) => id)).toEqual([session]);
    const { body } = await s.get("/api/v2/squads/", coach.token);
    expect(body.results.map(({ id }: { id: number }) => id)).toEqual([scene.squad]);
  });

  it("receives no heart data in any file of the table, unless the role includes heart data", async () => {
    const { scene, path } = await played();
    const [coach, physician] = [await guestOf(scene, "coach"), await guestOf(scene, "physician")];
    const file = async (by: TestAccount, type: string) => {
      const headers = { Authorization: `Bearer ${by.token}`, Accept: type };
      const response = await fetch(`${s.service.url}${path}figures/`, { headers });
      expect(response.status).toBe(200);
      return response.arrayBuffer();
    };
    const columnsOf = async (by: TestAccount) => {
      const [row = {}] = await parquetReadObjects({ file: await file(by, PARQUET) });
      return Object.keys(row);
    };
    const headersOf = async (by: TestAccount) =>
      Object.values(unzipSync(new Uint8Array(await file(by, XLSX))))
        .map((part) => strFromU8(part))
        .join();
    expect(await columnsOf(physician)).toEqual(expect.arrayContaining(["hr_mean_bpm", "trimp"]));
    expect((await columnsOf(coach)).filter((name) => /hr|trimp/.test(name))).toEqual([]);
    expect(await columnsOf(coach)).toContain("distance_m");
    expect(await headersOf(physician)).toContain("Mean heart rate");
    expect(await headersOf(physician)).toContain("Training impulse");
    expect(await headersOf(coach)).not.toMatch(/heart rate|training impulse/i);
  });

  it("never receives a table that was created for another role", async () => {
    const { scene, path } = await played();
    const coach = await guestOf(scene, "coach");
    const owned = await scene.send("GET", `${path}figures/`);
    const etag = owned.headers.get("etag") ?? "";
    const answer = await s.send("GET", `${path}figures/`, {
      token: coach.token,
      headers: { "If-None-Match": etag },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("etag")).not.toBe(etag);
  });

  it("sees no data that the owner of the session cannot read, whatever the permissions of the guest", async () => {
    const { scene, ann, bea, path } = await played();
    const physician = await guestOf(scene, "physician");
    const [granted] = await s.store.database.queries
      .select()
      .from(permissions)
      .where(eq(permissions.athleteId, bea.athlete));
    if (granted === undefined) throw new Error("No permission");
    await revokeRead(bea);
    const { id: _, ...columns } = granted;
    await s.store.database.queries
      .insert(permissions)
      .values({ ...columns, permission: "READ", managerId: physician.id });
    expect(athletesIn(await s.get(`${path}figures/`, physician.token))).toEqual([ann.athlete]);
  });

  it("can edit on behalf of the owner as an analyst, which leaves the heart-rate thresholds unchanged", async () => {
    const { scene, ann } = await played();
    const analyst = await guestOf(scene, "analyst");
    const send = (method: string, path: string, json?: unknown) =>
      s.send(method, path, { token: analyst.token, json });
    const created = await send("POST", "/api/v2/sessions/", scene.body({ name: "By the analyst" }));
    expect(created.status).toBe(201);
    const path = `/api/v2/sessions/${created.body.id}/`;
    expect((await scene.send("GET", path)).body.name).toBe("By the analyst");
    expect((await scene.frames(created.body.id)).length).toBe(2);
    const period = { name: "1st half", start_time: minute(5), end_time: minute(25), athlete: null };
    expect((await send("PUT", `${path}periods/`, [period])).status).toBe(200);
    expect((await send("PATCH", path, { place: "Away" })).body.place).toBe("Away");
    expect((await send("DELETE", path)).status).toBe(204);

    const { body } = await send("GET", `/api/v2/members/?athlete=${ann.athlete}`);
    const member = `/api/v2/members/${body.results[0].id}/`;
    const refused = await send("PATCH", member, { params: { max_hr: 200 } });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, "params.max_hr"]);
    expect((await send("PATCH", member, { params: { sprint_threshold: 6 } })).body.params).toEqual({
      sprint_threshold: 6,
    });
    expect((await scene.send("GET", member)).body.params).toEqual({ max_hr: 190, sprint_threshold: 6 });
    // Thresholds that change at a later time create a new membership.
    const from = minute(60);
    const later = await send("PATCH", member, { from, params: { sprint_threshold: 8 } });
    expect(later.body).toEqual({
      ...body.results[0],
      ...{ id: later.body.id, params: { sprint_threshold: 8 }, start_time: from },
    });
    expect(`/api/v2/members/${later.body.id}/`).not.toBe(member);
    expect((await scene.send("GET", member)).body).toMatchObject({
      params: { max_hr: 190, sprint_threshold: 6 },
      end_time: from,
    });
    expect((await scene.send("GET", `/api/v2/members/${later.body.id}/`)).body.params).toEqual({
      max_hr: 190,
      sprint_threshold: 8,
    });
    const activities = await send("GET", "/api/v1/activities/");
    expect(activities.body.count).toBe(0);
  });

  it("cannot include as an analyst times at which a player of the session is not in the squad", async () => {
    const { scene, ann } = await played();
    const analyst = await guestOf(scene, "analyst");
    const [member] = (await scene.send("GET", `/api/v2/members/?athlete=${ann.athlete}`)).body.results;
    const path = `/api/v2/members/${member.id}/`;
    const times = { start_time: minute(20), end_time: minute(70) };
    expect((await scene.send("PATCH", path, times)).status).toBe(200);
    // Two memberships without a break between them
    expect((await scene.send("PATCH", path, { from: minute(40), number: 5 })).status).toBe(200);
    const create = (start: number, end: number, { token }: Pick<TestAccount, "token"> = analyst) =>
      s.post("/api/v2/sessions/", scene.body({ start_time: minute(start), end_time: minute(end) }), token);
    const refusal = {
      status: 403,
      body: { detail: expect.stringMatching(/^Ann.* is in the squad during only a part of these times\./) },
    };
    expect(await create(0, 21)).toMatchObject(refusal);
    expect(await create(69, 120)).toMatchObject(refusal);
    expect(await create(0, 120)).toMatchObject(refusal);
    const { status, body } = await create(30, 60);
    expect(status).toBe(201);
    const patch = (json: object) =>
      s.send("PATCH", `/api/v2/sessions/${body.id}/`, { token: analyst.token, json });
    expect(await patch({ end_time: minute(71) })).toMatchObject(refusal);
    expect(await patch({ end_time: minute(70) })).toMatchObject({ status: 200 });
    expect((await create(0, 21, scene.manager)).status).toBe(201);
    // A session that the owner has created can be renamed and shortened.
    expect(
      (await scene.send("PATCH", `/api/v2/sessions/${body.id}/`, { start_time: minute(0) })).status,
    ).toBe(200);
    expect(await patch({ name: "Match", start_time: minute(5) })).toMatchObject({ status: 200 });
  });

  it("cannot change as an analyst when a player is in the squad, and thus the days that an analyst sees", async () => {
    const { scene, ann } = await played();
    const analyst = await guestOf(scene, "analyst");
    const ofAnn = () => scene.send("GET", `/api/v2/members/?athlete=${ann.athlete}`);
    const [member] = (await ofAnn()).body.results;
    const path = `/api/v2/members/${member.id}/`;
    const end = await scene.send("PATCH", path, { end_time: minute(60) });
    expect(end.status).toBe(200);
    const before = (await ofAnn()).body.results;
    const patch = (json: object) => s.send("PATCH", path, { token: analyst.token, json });
    const refusals = [
      await patch({ start_time: "2019-01-01T00:00:00Z" }),
      await patch({ end_time: minute(90) }),
      await patch({ end_time: minute(30), number: 5 }),
      await s.post(
        "/api/v2/members/",
        { squad: scene.squad, athlete: ann.athlete, start_time: minute(60) },
        analyst.token,
      ),
      await s.send("DELETE", path, { token: analyst.token }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
      refusals.map(() => [403, "permission_denied"]),
    );
    for (const from of [minute(60), minute(90)]) {
      const { status, body } = await patch({ from, number: 5 });
      expect([status, body.errors[0].field]).toEqual([400, "from"]);
    }
    expect((await ofAnn()).body.results).toEqual(before);
    // A client may send the times back unchanged.
    const { start_time, end_time } = before[0];
    expect((await patch({ start_time, end_time, number: 6 })).body.number).toBe(6);
    const whole = await patch({ from: "2019-01-01T00:00:00Z", number: 7 });
    expect(whole.body).toMatchObject({ id: member.id, start_time, end_time, number: 7 });
    expect((await scene.send("PATCH", path, { from: minute(10), end_time })).body.errors[0].field).toBe(
      "from",
    );
  });

  it.runIf(process.env.TEST_DATABASE === "postgres")(
    "cannot change anything as an analyst after the role has ended, even with a request in progress",
    async () => {
      const { scene, ann, path } = await played();
      const analyst = await guestOf(scene, "analyst");
      const { body } = await s.get(`/api/v2/members/?athlete=${ann.athlete}`, analyst.token);
      const revoking = await hold(s, `DELETE FROM squad_grants WHERE id = ${analyst.grant}`);
      const send = (to: string, json: unknown) => s.send("PATCH", to, { token: analyst.token, json });
      const edits = [
        send(path, { place: "Away" }),
        send(`/api/v2/members/${body.results[0].id}/`, { params: { sprint_threshold: 6 } }),
      ];
      await revoking.waiters(2);
      await revoking.release();
      expect((await Promise.all(edits)).map(({ status }) => status)).toEqual([404, 404]);
      expect((await scene.send("GET", path)).body.place).not.toBe("Away");
    },
  );

  it("cannot copy periods of another squad as an analyst", async () => {
    const { scene, path } = await played();
    const analyst = await guestOf(scene, "analyst");
    const { body: squad } = await scene.send("POST", "/api/v2/squads/", { name: "Second team" });
    const { body: hidden } = await scene.send("POST", "/api/v2/sessions/", scene.body({ squad: squad.id }));
    const copy = (from: number, token: string) =>
      s.send("POST", `${path}periods/copy/`, { token, json: { from } });
    const { status, body } = await copy(hidden.id, analyst.token);
    expect([status, body.errors[0].field]).toEqual([400, "from"]);
    expect((await copy(hidden.id, scene.manager.token)).status).toBe(200);
    const { body: seen } = await scene.send("POST", "/api/v2/sessions/", scene.body({}));
    expect((await copy(seen.id, analyst.token)).status).toBe(200);
  });
});

describe("an athlete", () => {
  it("can see only their own rows, members and periods", async () => {
    const { scene, ann, bea, session, path } = await played();
    const times = { name: "1st half", start_time: minute(0), end_time: minute(1) };
    await scene.send("PUT", `${path}periods/`, [
      { ...times, athlete: null },
      { ...times, athlete: bea.athlete },
    ]);
    await scene.send("GET", `${path}figures/`);
    const token = await tokenOf(scene, ann);
    const read = async (one: string) => (await s.get(one, token)).body;
    const table = await read(`${path}figures/`);
    expect(new Set(athletesIn({ body: table }))).toEqual(new Set([ann.athlete]));
    expect(table.left_out).toEqual([]);
    expect(table.rows[0].figures.hr_mean_bpm).toBe(150);
    expect(await read(path)).toMatchObject({ id: session, notes: null });
    expect((await read(`${path}periods/`)).map(({ athlete }: { athlete: number | null }) => athlete)).toEqual(
      [null],
    );
    const season = await read(`/api/v2/squads/${scene.squad}/season/`);
    expect(season.players.map(({ athlete }: { athlete: number }) => athlete)).toEqual([ann.athlete]);
    for (const one of ["figures/", "periods/", ""])
      expect(JSON.stringify(await read(`${path}${one}`))).not.toContain("Bea");
    const csv = await s.send("GET", `${path}periods/`, { token, headers: { Accept: "text/csv" } });
    expect(csv.body).not.toContain("Bea");
    expect((await read("/api/v2/members/")).results.map((one: { athlete: number }) => one.athlete)).toEqual([
      ann.athlete,
    ]);
    expect((await read("/api/v2/squads/")).results).toHaveLength(1);
    const other = await scene.session({
      name: "Without Ann",
      start_time: minute(-900),
      end_time: minute(-800),
    });
    await s.store.database.queries
      .delete(timeframes)
      .where(and(eq(timeframes.activityId, other), eq(timeframes.athleteId, ann.athlete)));
    expect((await s.get(`/api/v2/sessions/${other}/`, token)).status).toBe(404);
    expect((await read("/api/v2/sessions/")).results.map(({ id }: { id: number }) => id)).toEqual([session]);
    const seen = await read(`/api/v2/squads/${scene.squad}/season/`);
    expect(seen.sessions.map(({ id }: { id: number }) => id)).toEqual([session]);
  });
});
