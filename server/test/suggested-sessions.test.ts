/** Tests suggestions for times with samples that have no session yet. */
import { findSessions } from "asi-convert/squad";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { joinRanges, suggestSessions } from "../src/domain/sessions/suggested.js";
import { wearersOf } from "../src/domain/sessions/suggested-wearers.js";
import { wearerSearch } from "../src/domain/sessions/worn-times.js";
import { queriesOf } from "../src/store/connection/database.js";
import { assignments, ownerships, permissions } from "../src/store/schema.js";
import { problem } from "./problem.js";
import { service, type TestService } from "./service.js";
import { minute, SquadScene } from "./squad-scene.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

const DAY = 24 * 60;
const WINDOW = `start_time=${minute(-DAY)}&end_time=${minute(2 * DAY)}`;

/** Matches a node of a plan that reads permissions, with its number of executions. */
const PERMISSIONS_READ = /"Relation Name":"permissions"[^{}]*?"Actual Loops":(\d+)/g;

const suggestions = (scene: SquadScene, query = WINDOW) =>
  s.get(`/api/v2/sessions/suggested/?${query}`, scene.manager.token);

/** Returns the end of a run that lasts up to this minute: the first ms after its last sample, at ten samples per second. */
const endOfRun = (to: number) => new Date(Date.parse(minute(to)) - 99).toISOString();

describe("suggested sessions", () => {
  it("group devices within 30 minutes, with the squad and the wearer of each device, latest first", async () => {
    const scene = await SquadScene.of(s, ["Bea", "Cleo"]);
    const [bea, cleo] = scene.players;
    if (bea === undefined || cleo === undefined) throw new Error("No players");
    await scene.run(bea.device, 0, 2);
    await scene.run(cleo.device, 31, 32);
    await scene.run(bea.device, 90, 91);
    const { status, body } = await suggestions(scene);
    const part = ({ device, athlete }: typeof bea, from: number, to: number) => ({
      device: device.id,
      serial_number: device.serial_number,
      start_time: minute(from),
      end_time: endOfRun(to),
      athlete,
      is_assigned: true,
      squad: scene.squad,
    });
    const both = { squad: scene.squad, start_time: minute(0), end_time: endOfRun(32) };
    const late = { squad: scene.squad, start_time: minute(90), end_time: endOfRun(91) };
    expect([status, body]).toEqual([
      200,
      {
        results: [
          { ...late, devices: [part(bea, 90, 91)] },
          { ...both, devices: [part(bea, 0, 2), part(cleo, 31, 32)] },
        ],
        next: null,
      },
    ]);
    const first = await suggestions(scene, `${WINDOW}&limit=1`);
    expect(first.body.results).toMatchObject([late]);
    const second = await suggestions(scene, `${WINDOW}&limit=1&cursor=${first.body.next}`);
    expect([second.body.results, second.body.next]).toMatchObject([[both], null]);
  });

  it("omit devices that are in a session of the squad, but not devices of another squad", async () => {
    const scene = await SquadScene.of(s, ["Bea"]);
    const [bea] = scene.players;
    if (bea === undefined) throw new Error("No players");
    await scene.run(bea.device, 0, 2);
    const { body: squad } = await scene.send("POST", "/api/v2/squads/", { name: "Second team" });
    await scene.session({ squad: squad.id });
    expect((await suggestions(scene)).body.results).toHaveLength(1);
    await scene.session();
    expect((await suggestions(scene)).body.results).toEqual([]);
  });

  it("name the last wearer of an unassigned device, if the manager can assign it", async () => {
    const scene = await SquadScene.of(s, ["Bea"]);
    const [bea] = scene.players;
    if (bea === undefined) throw new Error("No players");
    const [spare, unknown] = [await scene.device(), await scene.device()];
    await scene.assign(bea.athlete, spare, "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z");
    const stranger = await s.athlete();
    await scene.assign(stranger.id, unknown, "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z");
    for (const device of [spare, unknown]) await scene.run(device, 0, 1);
    const { body } = await suggestions(scene);
    const devices: { device: number }[] = body.results[0].devices;
    expect(devices.toSorted((a, b) => a.device - b.device)).toMatchObject([
      { device: spare.id, athlete: bea.athlete, is_assigned: false, squad: scene.squad },
      { device: unknown.id, athlete: null, is_assigned: false, squad: null },
    ]);
  });

  it("include only samples from times at which the manager owned the device", async () => {
    const scene = await SquadScene.of(s);
    const device = await scene.device();
    await scene.run(device, 0, 2);
    await s.store.database.queries
      .update(ownerships)
      .set({ startTime: new Date(minute(1)) })
      .where(eq(ownerships.deviceId, device.id));
    expect((await suggestions(scene)).body.results).toMatchObject([{ start_time: minute(1) }]);
    expect((await suggestions(await SquadScene.of(s))).body.results).toEqual([]);
  });

  it("cover at most 92 days, and the last 28 by default", async () => {
    const scene = await SquadScene.of(s);
    expect((await suggestions(scene, "")).body).toEqual({ results: [], next: null });
    for (const query of [
      `start_time=${minute(0)}&end_time=${minute(0)}`,
      `start_time=${minute(0)}&end_time=${minute(93 * DAY)}`,
    ]) {
      const refused = await suggestions(scene, query);
      expect([...problem(refused), refused.body.errors[0].field]).toEqual([400, "invalid", "end_time"]);
    }
  });

  it("are read with the same number of statements for any number of devices in a squad", async () => {
    const scene = await SquadScene.of(s, ["Bea"]);
    const sent: string[] = [];
    const queries = queriesOf(s.store.database.pool, { logQuery: (text) => void sent.push(text) });
    const { id, username } = scene.manager;
    const caller = { id, username, role: "MANAGER", canCreateManagedAthletes: true, scopes: null } as const;
    const read = async () => {
      sent.length = 0;
      const times = { start_time: new Date(minute(-DAY)), end_time: new Date(minute(27 * DAY)) };
      const { results } = await suggestSessions({ ...s.ctx, queries, caller }, { ...times, limit: 10 });
      return { statements: sent.length, devices: results[0]?.devices.length };
    };
    const [bea] = scene.players;
    if (bea === undefined) throw new Error("No players");
    await scene.run(bea.device, 0, 1);
    const one = await read();
    for (let n = 1; n < 25; n += 1) await scene.run(await scene.device(), 0, 1);
    expect([one.devices, await read()]).toEqual([1, { ...one, devices: 25 }]);
  });

  it("name the same wearers as a search of all assignments", async () => {
    const scene = await SquadScene.of(s, ["Bea", "Cleo", "Dora"]);
    const { queries } = s.store.database;
    const { id, username } = scene.manager;
    const caller = { id, username, role: "MANAGER", canCreateManagedAthletes: true, scopes: null } as const;
    const ctx = { ...s.ctx, caller };
    // The manager can no longer assign a device to Dora.
    const dora = scene.players[2]?.athlete ?? 0;
    await queries
      .update(permissions)
      .set({ expirationTime: new Date() })
      .where(eq(permissions.athleteId, dora));
    const at = (n: number) => new Date(Date.parse(minute(0)) + n * 60_000);
    const worn = fc.record({
      device: fc.integer({ min: 0, max: 1 }),
      player: fc.integer({ min: 0, max: 2 }),
      from: fc.integer({ min: 0, max: 9 }),
    });
    const ranges = Array.from({ length: 30 }, (_, n) => ({ startMs: +at(n), stopMs: +at(n) + 30_000 }));
    const property = fc.asyncProperty(
      fc.uniqueArray(worn, { selector: ({ device, from }) => `${device} ${from}` }),
      async (all) => {
        await queries.delete(assignments).where(eq(assignments.ownerId, id));
        const rows = all.map(({ device, player, from }) => ({
          ownerId: id,
          deviceId: scene.players[device]?.device.id ?? 0,
          athleteId: scene.players[player]?.athlete ?? 0,
          startTime: at(3 * from),
          endTime: at(3 * from + 2),
        }));
        if (rows.length > 0) await queries.insert(assignments).values(rows);
        const devices = scene.players.map(({ device }) => device.id);
        const found = await wearersOf(ctx, devices, at(12), at(20));
        const expected = wearerSearch(
          rows.map(({ startTime, endTime, athleteId, deviceId }) => ({
            ...{ deviceId, athleteId, startMs: +startTime, stopMs: +endTime - 1 },
            isAllowed: athleteId !== dora,
          })),
          [],
        );
        for (const device of devices)
          for (const range of ranges.slice(12, 20)) {
            const { athlete, isAssigned } = expected(device, range);
            expect(found(device, range)).toMatchObject({ athlete, isAssigned });
          }
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });

  it("read only the assignments of their times, and one earlier assignment of each device", async () => {
    const scene = await SquadScene.of(s, ["Bea"]);
    const [bea] = scene.players;
    const { id, username } = scene.manager;
    const caller = { id, username, role: "MANAGER", canCreateManagedAthletes: true, scopes: null } as const;
    const sent: string[] = [];
    const queries = queriesOf(s.store.database.pool, { logQuery: (text) => void sent.push(text) });
    const read = async () => {
      sent.length = 0;
      await wearersOf(
        { ...s.ctx, queries, caller },
        [bea?.device.id ?? 0],
        new Date(minute(0)),
        new Date(minute(60)),
      );
      return sent.length;
    };
    await scene.assign(
      bea?.athlete ?? 0,
      bea?.device ?? (await scene.device()),
      "2009-01-01T00:00:00Z",
      "2009-01-02T00:00:00Z",
    );
    const few = await read();
    await s.store.database.queries.execute(sql`
      INSERT INTO assignments (owner_id, device_id, athlete_id, start_time, end_time)
      SELECT ${id}, ${bea?.device.id}, ${bea?.athlete}, at, at + interval '1 hour'
      FROM generate_series('2010-01-01'::timestamptz, '2010-01-01'::timestamptz + interval '5000 hours', interval '1 hour') AS at`);
    expect(await read()).toBe(few);
  });

  it("read the permissions once for each earlier wearer, not for each assignment", async () => {
    const scene = await SquadScene.of(s, ["Bea"]);
    const [bea] = scene.players;
    const { id, username } = scene.manager;
    const caller = { id, username, role: "MANAGER", canCreateManagedAthletes: true, scopes: null } as const;
    const { pool, queries: q } = s.store.database;
    await q.delete(permissions).where(eq(permissions.athleteId, bea?.athlete ?? 0));
    await q.execute(sql`
      INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
      SELECT ${bea?.athlete}, ${id}, 'WRITE', timestamptz '2900-01-01', timestamptz '2901-01-01' FROM generate_series(1, 100)`);
    await q.execute(sql`
      INSERT INTO assignments (owner_id, device_id, athlete_id, start_time, end_time)
      SELECT ${id}, ${bea?.device.id}, ${bea?.athlete}, at, at + interval '1 hour'
      FROM generate_series('2010-01-01'::timestamptz, '2010-01-01'::timestamptz + interval '2000 hours', interval '1 hour') AS at`);
    const sent: [string, unknown[]][] = [];
    const queries = queriesOf(pool, { logQuery: (text, values) => void sent.push([text, values]) });
    const devices = [bea?.device.id ?? 0];
    await wearersOf({ ...s.ctx, queries, caller }, devices, new Date(minute(0)), new Date(minute(60)));
    let reads = 0;
    for (const [text, values] of sent) {
      const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      for (const [, loops] of JSON.stringify(rows).matchAll(PERMISSIONS_READ)) reads += Number(loops);
    }
    expect(reads).toBe(2);
  });

  it("are refused if there are more than 100,000 times without a session", async () => {
    const scene = await SquadScene.of(s);
    const devices = await Promise.all(Array.from({ length: 24 }, () => scene.device()));
    // There is one second of samples in every 31 minutes, which gives the maximum number of times, because shorter pauses join them.
    await s.store.database.queries.execute(sql`
      INSERT INTO sample_chunks (device_id, bucket, start_ms, stop_ms, n, payload, stored_at)
      SELECT device, start_ms / 300000, start_ms, start_ms + 1000, 2, '\\x00', now()
      FROM unnest(${sql.param(devices.map(({ id }) => id))}::bigint[]) AS device,
        generate_series(0, 4270) AS n, LATERAL (SELECT ${Date.parse(minute(0))}::bigint + n * 1860000::bigint AS start_ms) AS chunk`);
    const query = (days: number) => `start_time=${minute(-1)}&end_time=${minute(days * DAY - 1)}&limit=1`;
    expect((await suggestions(scene, query(20))).status).toBe(200);
    expect(problem(await suggestions(scene, query(92)))).toEqual([409, "too_many_ranges"]);

    // A page has at most 5,000 times of devices. 15 days have 697 sessions of 24 devices.
    const window = `start_time=${minute(-1)}&end_time=${minute(15 * DAY - 1)}&limit=1000`;
    const starts: string[] = [];
    for (let cursor = ""; ; ) {
      const { results, next } = (await suggestions(scene, `${window}${cursor}`)).body;
      expect(results.length).toBeLessThanOrEqual(5_000 / 24);
      starts.push(...results.map(({ start_time }: { start_time: string }) => start_time));
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(starts).toHaveLength(697);
    expect(starts).toEqual([...new Set(starts)].sort().reverse());
  });

  it("are refused if one has more than 5,000 times of devices", async () => {
    const scene = await SquadScene.of(s);
    const devices = await Promise.all(Array.from({ length: 51 }, () => scene.device()));
    // Some device always has samples, so all times are one session.
    await s.store.database.queries.execute(sql`
      INSERT INTO sample_chunks (device_id, bucket, start_ms, stop_ms, n, payload, stored_at)
      SELECT device, start_ms / 300000, start_ms, start_ms + 1000, 2, '\\x00', now()
      FROM unnest(${sql.param(devices.map(({ id }) => id))}::bigint[]) WITH ORDINALITY AS device (device, place),
        generate_series(0, 99) AS n,
        LATERAL (SELECT ${Date.parse(minute(0))}::bigint + n * 1860000::bigint + place * 36000 AS start_ms) AS chunk`);
    const query = (minutes: number) => `start_time=${minute(-1)}&end_time=${minute(minutes)}`;
    expect(problem(await suggestions(scene, query(101 * 31)))).toEqual([409, "too_many_ranges"]);
    const { results } = (await suggestions(scene, query(50 * 31))).body;
    expect(results.map(({ devices }: { devices: unknown[] }) => devices.length)).toEqual([51 * 50]);
  });

  it("group times as the library groups recordings without positions", () => {
    const range = fc
      .tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 60 }))
      .map(([from, length]) => ({ startMs: from * 60_000, stopMs: (from + length) * 60_000 }));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 25 }), (ranges) => {
        const recordings = ranges.map(({ startMs, stopMs }) => ({ startMs, endMs: stopMs, place: null }));
        const spans = (groups: { startMs: number }[][]) =>
          groups.map((group) => group.map(({ startMs }) => startMs).sort((a, b) => a - b));
        expect(spans(joinRanges(ranges))).toEqual(spans(findSessions(recordings)));
      }),
    );
  });
});
