/** Tests that `/api/v2/changes/` lists everything that the reader must read again, and nothing from other accounts. */
import { and, eq } from "drizzle-orm";
import { describe, expect } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { commands } from "../src/operator/commands.js";
import { changes } from "../src/store/schema.js";
import { follow, loaded, object, samplesOf } from "./change-reader.js";
import { withOwnService } from "./file-service.js";
import { guestOf, SquadScene, START } from "./squad-scene.js";

const it = withOwnService();

describe("samples", () => {
  it("are reported with their times to the owner of the device when they are loaded", async ({
    service: s,
  }) => {
    const { owner, device, load } = await loaded(s);
    const next = await follow(s, owner);
    const others = await follow(s, await s.manager());
    await load("2024-05-17T13:00:00.000Z");
    expect(await next()).toEqual([
      samplesOf(device.id, "2024-05-17T13:00:00.000Z", "2024-05-17T13:00:00.101Z"),
    ]);
    expect(await next()).toEqual([]);
    expect(await others()).toEqual([]);
  });

  it("are reported separately for each day", async ({ service: s }) => {
    const { owner, device, load } = await loaded(s);
    const next = await follow(s, owner);
    await load("2024-05-17T23:59:59.900Z");
    expect(await next(1)).toEqual([
      samplesOf(device.id, "2024-05-17T23:59:59.900Z", "2024-05-18T00:00:00.000Z"),
      samplesOf(device.id, "2024-05-18T00:00:00.000Z", "2024-05-18T00:00:00.001Z"),
    ]);
  });

  it("are reported once per day, however often they change", async ({ service: s }) => {
    const { owner, device, load } = await loaded(s);
    const next = await follow(s, owner);
    for (const minute of ["20", "30", "10"]) await load(`2024-05-16T13:${minute}:00.000Z`);
    const { queries } = s.store.database;
    const ofDevice = and(eq(changes.kind, "samples"), eq(changes.objectId, device.id));
    expect(await queries.$count(changes, ofDevice)).toBe(1);
    expect(await next()).toEqual([
      samplesOf(device.id, "2024-05-16T13:00:00.000Z", "2024-05-16T13:30:00.101Z"),
    ]);
  });

  it("are reported when they are deleted or expire", async ({ service: s }) => {
    const { owner, device, load } = await loaded(s);
    await load("2024-05-17T13:00:00.000Z");
    const next = await follow(s, owner);
    const serialNumber = device.serial_number;
    await commands["samples delete"](s.ctx, {
      serialNumber,
      start: "1970-01-01T00:00:00Z",
      stop: "2024-05-17T00:00:00Z",
    });
    expect(await next()).toEqual([
      samplesOf(device.id, "2024-05-16T13:00:00.000Z", "2024-05-16T13:00:00.101Z"),
    ]);
    await applyRetention({ ...s.ctx, config: { ...s.config, rawRetentionDays: -1 } });
    expect(await next()).toEqual([
      samplesOf(device.id, "2024-05-17T13:00:00.000Z", "2024-05-17T13:00:00.101Z"),
    ]);
  });

  it.runIf(process.env.TEST_DISTRIBUTED === "1")(
    "are reported again by a load that finds them on another server, because an earlier load may have been interrupted",
    async ({ service: s }) => {
      const { owner, device, load } = await loaded(s);
      const next = await follow(s, owner);
      await load("2024-05-16T13:00:00.000Z");
      expect(await next()).toEqual([
        samplesOf(device.id, "2024-05-16T13:00:00.000Z", "2024-05-16T13:00:00.101Z"),
      ]);
    },
  );

  it("are reported as removed when a release removes them", async ({ service: s }) => {
    s.clock.stopAt(Date.now());
    const { owner, device, load } = await loaded(s);
    const ahead = new Date(s.clock.now().getTime() + 60_000).toISOString();
    await load(ahead);
    const next = await follow(s, owner);
    expect((await s.release(device, owner)).status).toBe(204);
    expect(await next()).toMatchObject([{ kind: "samples", id: device.id, from: ahead, removed: true }]);
  });
});

describe("sessions", () => {
  it("are reported to everyone who can see them when they are created, changed and deleted", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const guest = await guestOf(scene, "coach");
    const [own, other] = [await follow(s, scene.manager), await follow(s, guest)];
    const session = await scene.session();
    expect(await own()).toContainEqual(object("session", session));
    expect(await other()).toContainEqual(object("session", session));
    await scene.send("PATCH", `/api/v2/sessions/${session}/`, { place: "Away" });
    expect(await other()).toContainEqual(object("session", session));
    await scene.run(scene.players[0]?.device ?? { id: 0, serial_number: "", device_name: "" }, 0, 1);
    expect(await other()).toEqual([object("figures", session)]);
    await scene.send("DELETE", `/api/v2/sessions/${session}/`);
    expect(await own()).toContainEqual(object("session", session, true));
    expect(await other()).toContainEqual(object("session", session, true));
  });

  it("are reported to a guest who joins or leaves as a change to their squad", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const guest = await guestOf(scene, "coach");
    const next = await follow(s, guest);
    expect((await scene.send("DELETE", `/api/v2/squads/${scene.squad}/grants/${guest.grant}/`)).status).toBe(
      204,
    );
    expect(await next()).toEqual([object("squad", scene.squad, true)]);
    await scene.session();
    expect(await next()).toEqual([]);
  });

  it("are reported to guests as removed when their owner is deleted", async ({ service: s }) => {
    const scene = await SquadScene.of(s);
    const guest = await guestOf(scene, "coach");
    const session = await scene.session();
    const next = await follow(s, guest);
    await commands["account delete"](s.ctx, { username: scene.manager.username });
    expect(await next()).toContainEqual(object("squad", scene.squad, true));
    expect((await s.get(`/api/v2/sessions/${session}/`, guest.token)).status).toBe(404);
    expect(await s.store.database.queries.$count(changes, eq(changes.accountId, scene.manager.id))).toBe(0);
  });

  it("are reported if an erased athlete has times in their periods, even if the athlete has left the squad", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const athlete = scene.players[0]?.athlete ?? 0;
    const session = await scene.session();
    const period = {
      name: "1st half",
      start_time: START,
      end_time: new Date(Date.parse(START) + 60_000),
      athlete,
    };
    expect((await scene.send("PUT", `/api/v2/sessions/${session}/periods/`, [period])).status).toBe(200);
    const { results } = (await scene.send("GET", `/api/v2/members/?squad=${scene.squad}`)).body;
    await scene.send("DELETE", `/api/v2/members/${results[0].id}/`);
    await s.runJobs();
    const next = await follow(s, scene.manager);
    await commands["athlete erase"](s.ctx, { id: String(athlete), yes: true });
    expect(await next()).toContainEqual(object("session", session));
    expect((await scene.send("GET", `/api/v2/sessions/${session}/periods/`)).body).toEqual([]);
  });
});

describe("a personal token", () => {
  it("are limited to the scopes of the token", async ({ service: s }) => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const [samples, sessions, writing] = [
      await s.personalToken(scene.manager, "samples:read"),
      await s.personalToken(scene.manager, "sessions:read"),
      await s.personalToken(scene.manager, "samples:write"),
    ];
    const [first, second] = [await follow(s, { token: samples }), await follow(s, { token: sessions })];
    await scene.session();
    await scene.run(scene.players[0]?.device ?? { id: 0, serial_number: "", device_name: "" }, 0, 1);
    expect(new Set((await first()).map(({ kind }) => kind))).toEqual(new Set(["samples"]));
    expect(new Set((await second()).map(({ kind }) => kind))).toEqual(new Set(["session", "figures"]));
    const refused = await s.get("/api/v2/changes/", writing);
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"]);
  });

  it("refuses the cursor of another account or of a token with other scopes, which would pass over changes", async ({
    service: s,
  }) => {
    const [ann, bob] = [await s.manager(), await s.manager()];
    const { body } = await s.get("/api/v2/changes/", ann.token);
    const read = async (token: string) => {
      const { status, body: problem } = await s.get(`/api/v2/changes/?cursor=${body.next_cursor}`, token);
      return [status, problem.code];
    };
    expect(await read(bob.token)).toEqual([409, "cursor_of_another_token"]);
    expect(await read(await s.personalToken(ann, "samples:read"))).toEqual([409, "cursor_of_another_token"]);
    // Another token that reads the same continues.
    expect(await read(await s.personalToken(ann, "samples:read", "sessions:read"))).toEqual([200, undefined]);
  });
});
