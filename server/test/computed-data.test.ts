import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { updateAccount } from "../src/domain/accounts/write.js";
import { transact } from "../src/domain/change/change.js";
import { computedDataOf } from "../src/domain/computed-data/compute.js";
import { markRest } from "../src/domain/computed-data/mark-rest.js";
import { queueOutdated } from "../src/domain/computed-data/outdated.js";
import { backdateOwnership } from "../src/domain/ownerships/backdate.js";
import { startService as startProcess } from "../src/process/service.js";
import { queriesOf } from "../src/store/connection/database.js";
import { Turn } from "../src/store/queue/turn.js";
import {
  chunkTables,
  deleteStoredBefore,
  listStoredBefore,
  sqlClientOf,
} from "../src/store/samples/index.js";
import { accounts, computedData, jobs, recomputations, timeframes } from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { newStore, service, startService, TestService, testConfig } from "./service.js";
import { grant, newActivity, store, Team } from "./team.js";

let s: TestService;

const ALWAYS = ["2020-01-01", "2999-01-01"] as const;

beforeAll(async () => {
  s = await service();
});

const stored = async (timeframe: number) =>
  (
    await s.store.database.queries.select().from(computedData).where(eq(computedData.timeframeId, timeframe))
  )[0];

/** Returns the waiting jobs of a time frame. */
const waiting = async (timeframe: number) =>
  (
    await s.store.database.queries
      .select()
      .from(jobs)
      .where(eq(jobs.uniqueKey, String(timeframe)))
  ).filter(({ kind, state }) => kind === "compute" && state === "PENDING");

const patch = (team: Team, timeframe: number, json: unknown) =>
  s.send("PATCH", `/api/v1/timeframes/${timeframe}/`, { token: team.manager.token, json });

/** Removes all samples of the device, like retention. */
async function retention({ device }: Team): Promise<void> {
  const before = new Date(Date.now() + 60_000);
  const client = sqlClientOf(s.ctx.queries);
  const buckets: number[] = [];
  for (const table of await chunkTables(client)) {
    buckets.push(...((await listStoredBefore(client, table, before, 1_000_000)).get(device.id) ?? []));
  }
  await transact(s.ctx, "test", async ({ queries, announce }) => {
    const removed = await deleteStoredBefore(sqlClientOf(queries), device.id, buckets, before);
    expect(removed).not.toEqual([]);
    await announce("samplesExpired", { deviceId: device.id, removed, count: removed.length });
  });
}

describe("computed data", () => {
  it("are recomputed for each time frame that a load changes, for any number of time frames and any distribution", async () => {
    const team = await Team.of(s);
    const first = await team.frame(0, 100);
    const { queries } = s.store.database;
    // Time frames of 100 s in each hour, from 2024-06-01T10:00Z; every second one has a sample 90 s after its start.
    await queries.execute(sql`
      INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
      SELECT start_time + n * interval '1 hour', end_time + n * interval '1 hour', params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at
      FROM timeframes, generate_series(1, 1999) AS n WHERE id = ${first}`);
    const [frame] = await queries.select().from(timeframes).where(eq(timeframes.id, first));
    const begin = frame?.startTime.getTime() ?? 0;
    const scattered = Array.from({ length: 1_000 }, (_, i) => begin + i * 7_200_000 + 90_000);
    await transact(s.ctx, "test", (change) =>
      change.announce("samplesStored", {
        deviceId: team.device.id,
        changed: scattered.map((ms) => ({ startMs: ms, stopMs: ms })),
      }),
    );
    for (const { id } of await queries.select().from(recomputations))
      await markRest(s.ctx, id, new Turn(Number.POSITIVE_INFINITY));
    const marked = await queries
      .select({ id: timeframes.id, startTime: timeframes.startTime })
      .from(timeframes)
      .where(and(eq(timeframes.deviceId, team.device.id), gt(timeframes.dataVersion, 1)))
      .orderBy(timeframes.startTime);
    expect(marked.map(({ startTime }) => startTime.getTime() + 90_000)).toEqual(scattered);
    // Remove the jobs, because the next test that runs jobs would wait for the 1,000 jobs of this test.
    const keys = marked.map(({ id }) => String(id));
    const asked = await queries
      .delete(jobs)
      .where(and(eq(jobs.kind, "compute"), inArray(jobs.uniqueKey, keys)))
      .returning({ key: jobs.uniqueKey });
    expect(new Set(asked.map(({ key }) => key))).toEqual(new Set(keys));
  });

  it("are computed after the creation of a time frame and after later samples", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    expect(await waiting(frame)).toHaveLength(1);
    await s.runJobs();
    expect(await waiting(frame)).toHaveLength(0);
    const empty = await team.computed(frame);
    expect(empty.status).toBe(200);
    expect(empty.headers.get("deprecation")).toBe("@1704067200");
    expect(empty.body).toMatchObject({ first_timestamp: null, total_distance: null, hr_max: null });
    await team.run(0, 100, 3000, 150);
    expect(await waiting(frame)).toHaveLength(1);
    await s.runJobs();
    const result = await stored(frame);
    const { body, headers } = await team.computed(frame);
    const { definition, ...figures } = JSON.parse(result?.data ?? "");
    expect(JSON.stringify(body)).toBe(JSON.stringify(figures));
    expect(body).toMatchObject({ total_distance: 299.7, max_speed: 3, average_speed: 3, hr_avg: 150 });
    expect(definition.parameters.sprint_threshold).toBe(7);
    expect(
      (
        await s.get(`/api/v1/timeframes/${frame}/computed-data/`, team.manager.token, {
          "If-None-Match": headers.get("etag") ?? "",
        })
      ).status,
    ).toBe(304);
  });

  it("have the documented keys; the definition is included on request", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 60);
    const { token } = team.manager;
    const one = `/api/v1/timeframes/${frame}/computed-data/`;
    const all = `/api/v1/activities/${team.activity}/computed-data/`;
    const plain = await s.get(one, token);
    expect(Object.keys(plain.body)).toEqual([
      ...["first_timestamp", "last_timestamp", "last_computation"],
      ...["total_distance", "max_speed", "average_speed"],
      ...["accelerations", "decelerations", "sprint", "hid"],
      ...["time_per_speed_ranges", "distance_per_speed_ranges", "intensity"],
      ...["hr_max", "hr_min", "hr_avg", "hr_plot", "athlete_max_hr", "timePerHrZone"],
      ...["sprint_distance", "hid_distance", "has_accelerations", "too_fast"],
    ]);
    expect(plain.headers.get("x-definition-version")).toBe("4");
    const whole = await s.get(`${one}?with_definition=true`, token);
    expect(whole.body).toEqual({
      ...plain.body,
      definition: { version: 4, parameters: expect.objectContaining({ sprint_threshold: 7 }) },
    });
    expect(whole.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    expect((await s.get(`${one}?with_definition=perhaps`, token)).status).toBe(400);

    const listed = await s.get(all, token);
    expect(listed.body).toEqual([{ timeframe: frame, data: plain.body }]);
    expect(listed.headers.get("x-definition-version")).toBe("4");
    expect((await s.get(`${all}?with_definition=1`, token)).body).toEqual([
      { timeframe: frame, data: whole.body },
    ]);
    const none = await s.get(
      `/api/v1/activities/${await newActivity(s, team.manager)}/computed-data/`,
      token,
    );
    expect([none.body, none.headers.get("x-definition-version")]).toEqual([[], null]);
  });

  it("are computed immediately if they are stale or read before the job is done", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    expect((await team.computed(frame)).body.total_distance).toBe(299.7);
    await team.run(100, 200, 3000);
    expect((await team.computed(frame)).body.total_distance).toBe(599.7);
    await patch(team, frame, { params: { hid_thresholds: [2, 2.5] } });
    const { body } = await team.computed(frame);
    expect(body.hid.threshold_2).toMatchObject({ threshold: 2.5, values: [{ distance: 599.7 }] });
    const before = (await stored(frame))?.computedAt;
    await s.runJobs();
    expect((await stored(frame))?.computedAt).toEqual(before);
  });

  it("include only samples from the time when the owner owned the device, within the time frame", async () => {
    const team = await Team.of(s);
    await s.release(team.device, team.manager);
    const later = await startService();
    later.clock.advance(180_000);
    await later.take(team.device, team.manager);
    const taken = later.clock.now().getTime();
    await later.stop();
    const frame = await team.frame(0, 600);
    await team.run(-60, 700, 3000);
    const { body } = await team.computed(frame);
    expect(body.first_timestamp).toBeGreaterThanOrEqual(taken - 1000);
    expect(body.last_timestamp).toBe(body.intensity.end_time);
    expect(body.total_distance).toBeLessThan(1800 - 100 * 3);
  });

  it("do not change with samples outside the time frame or of another device", async () => {
    const team = await Team.of(s);
    const other = await Team.of(s);
    const frame = await team.frame(0, 100);
    await s.runJobs();
    await team.run(101, 200, 3000);
    await other.run(0, 100, 3000);
    expect(await waiting(frame)).toHaveLength(0);
    // The end belongs to the time frame.
    await team.run(100, 100.1, 3000);
    expect(await waiting(frame)).toHaveLength(1);
  });

  it("require READ on the athlete from start to end, and no other permission", async () => {
    const team = await Team.of(s);
    const reader = await s.manager();
    const { body } = await team.create();
    const read = async (token = reader.token) => (await team.computed(body.id, token)).status;
    expect(await read()).toBe(403);
    await grant(s, team.athlete, reader.id, "WRITE", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z");
    await grant(s, team.athlete, reader.id, "READ", "2024-06-01T10:00:00Z", "2024-06-01T10:59:59.999Z");
    expect(await read()).toBe(403);
    await grant(s, team.athlete, reader.id, "READ", "2024-06-01T10:30:00Z", "2024-06-01T11:00:00Z");
    expect(await read()).toBe(200);
    expect(await read((await s.athlete()).token)).toBe(403);
    expect((await team.computed(999_999)).status).toBe(404);
    expect((await s.get(`/api/v1/timeframes/${body.id}/`, reader.token)).status).toBe(403);
  });

  it("include the time frames of an activity that the caller can read", async () => {
    const team = await Team.of(s);
    const path = `/api/v1/activities/${team.activity}/computed-data/`;
    const reader = await s.manager();
    expect((await s.get(path, reader.token)).body).toEqual([]);
    const first = await team.frame(0, 100);
    const second = (await team.create()).body.id;
    await team.run(0, 100, 3000);
    const all = await s.get(path, team.manager.token);
    expect(all.status).toBe(200);
    expect(all.body).toEqual([
      { timeframe: first, data: (await team.computed(first)).body },
      { timeframe: second, data: (await team.computed(second)).body },
    ]);
    expect(all.body[0].data.total_distance).toBe(299.7);
    expect((await s.get(path, reader.token)).status).toBe(403);
    await grant(s, team.athlete, reader.id, "READ", "2024-06-01T00:00:00Z", "2024-06-02T00:00:00Z");
    expect((await s.get(path, reader.token)).body).toEqual([all.body[1]]);
    expect((await s.get("/api/v1/activities/999999/computed-data/", reader.token)).status).toBe(404);
  });

  it("are recomputed for all time frames when the activity changes", async () => {
    const team = await Team.of(s);
    const frames = [await team.frame(0, 60), await team.frame(30, 90)];
    await s.runJobs();
    const before = await Promise.all(frames.map(stored));
    await s.send("PATCH", `/api/v1/activities/${team.activity}/`, {
      token: team.manager.token,
      json: { name: "Renamed" },
    });
    for (const frame of frames) expect(await waiting(frame)).toHaveLength(1);
    await s.runJobs();
    const after = await Promise.all(frames.map(stored));
    after.forEach((result, i) => {
      expect(Number(result?.computedAt)).toBeGreaterThan(Number(before[i]?.computedAt));
    });
  });

  it("are found in the other activity after their time frame has moved", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 60);
    const activity = await newActivity(s, team.manager);
    expect((await patch(team, frame, { activity })).body.activity).toBe(activity);
    const ids = async (of: number) =>
      (await s.get(`/api/v1/activities/${of}/computed-data/`, team.manager.token)).body.map(
        ({ timeframe }: { timeframe: number }) => timeframe,
      );
    expect([await ids(team.activity), await ids(activity)]).toEqual([[], [frame]]);
  });

  it("are stored only if the time frame and its data have not changed since", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    let meanwhile: (() => Promise<unknown>)[] = [() => team.run(100, 200, 3000)];
    const racing = await startService();
    const ctx = racing.computing;
    const seen: number[] = [];
    const compute: typeof ctx.computer.compute = async (task) => {
      const texts = await ctx.computer.compute(task);
      seen.push(JSON.parse(texts.data).total_distance);
      await meanwhile.shift()?.();
      return texts;
    };
    const raced = { ...ctx, computer: { ...ctx.computer, compute } };
    const result = await computedDataOf(raced, frame);
    expect(seen).toEqual([299.7, 599.7]);
    expect(JSON.parse(result?.data ?? "").total_distance).toBe(599.7);
    expect(JSON.parse((await stored(frame))?.data ?? "").total_distance).toBe(599.7);
    // A time frame that is deleted during its computation leaves no data.
    await patch(team, frame, { params: { max_hr: 180 } });
    meanwhile = [() => s.send("DELETE", `/api/v1/timeframes/${frame}/`, { token: team.manager.token })];
    expect(await computedDataOf(raced, frame)).toBeUndefined();
    expect(await stored(frame)).toBeUndefined();
    await racing.stop();
  });

  it("are computed only once more, for the newest version, after requests for several versions have waited for one computation", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    const computing = await startService();
    const ctx = computing.computing;
    let free = () => {};
    const isFree = new Promise<void>((resolve) => {
      free = resolve;
    });
    let computations = 0;
    const compute: typeof ctx.computer.compute = async (task) => {
      computations++;
      await isFree;
      return ctx.computer.compute(task);
    };
    const answers: ReturnType<typeof computedDataOf>[] = [];
    for (const max_hr of [160, 170, 180, 190]) {
      await patch(team, frame, { params: { max_hr } });
      await new Promise<void>((resolve) => {
        const share: typeof ctx.computer.share = (...args) => {
          resolve();
          return ctx.computer.share(...args);
        };
        answers.push(computedDataOf({ ...ctx, computer: { ...ctx.computer, compute, share } }, frame));
      });
    }
    free();
    for (const answer of await Promise.all(answers)) {
      expect(JSON.parse(answer?.data ?? "").definition.parameters.max_hr).toBe(190);
    }
    expect(computations).toBe(2);
    await computing.stop();
  });

  it("remain available after retention has removed samples, until the samples are loaded again", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    const { body: last } = await team.computed(frame);
    await retention(team);
    await patch(team, frame, { params: { max_hr: 180 } });
    await s.runJobs();
    expect((await team.computed(frame)).body).toEqual(last);
    // A time frame without a result is computed from the remaining samples.
    const late = await team.frame(0, 600);
    expect((await team.computed(late)).body.total_distance).toBeNull();
    await team.run(0, 100, 3000);
    expect((await team.computed(frame)).body).toMatchObject({ total_distance: 299.7, athlete_max_hr: 180 });
  });

  it.each<[string, (team: Team, frame: { start_time: string; end_time: string }) => Promise<object>]>([
    [
      "athlete",
      async ({ manager }) => {
        const { id } = await s.athlete();
        for (const kind of ["READ", "WRITE"] as const) await grant(s, id, manager.id, kind, ...ALWAYS);
        return { athlete: id };
      },
    ],
    ["device", async ({ manager }) => ({ device: (await s.ownedDevice(manager)).id })],
    ["start", async (_, { end_time }) => ({ start_time: new Date(Date.parse(end_time) - 590_000) })],
    ["end", async (_, { start_time }) => ({ end_time: new Date(Date.parse(start_time) + 590_000) })],
  ])("do not remain available for a different %s", async (_, changeOf) => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000, 150);
    expect((await team.computed(frame)).body).toMatchObject({ total_distance: 299.7, hr_max: 150 });
    await retention(team);
    const { body } = await s.get(`/api/v1/timeframes/${frame}/`, team.manager.token);
    expect((await patch(team, frame, await changeOf(team, body))).status).toBe(200);
    expect(await stored(frame)).toBeUndefined();
    expect((await team.computed(frame)).body).toMatchObject({ total_distance: null, hr_max: null });
  });

  it("are recomputed if the rules are newer", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    await s.runJobs();
    const age = () =>
      s.store.database.queries
        .update(computedData)
        .set({ rulesVersion: 0, data: "{}" })
        .where(eq(computedData.timeframeId, frame));
    await age();
    expect((await team.computed(frame)).body.total_distance).toBe(299.7);
    await age();
    await queueOutdated(s.ctx);
    await queueOutdated(s.ctx);
    expect(await waiting(frame)).toHaveLength(1);
    await s.runJobs();
    expect(JSON.parse((await stored(frame))?.data ?? "").total_distance).toBe(299.7);
    // Results made final by retention are not queued.
    await retention(team);
    await age();
    await queueOutdated(s.ctx);
    expect(await waiting(frame)).toHaveLength(0);
  });

  it("are queued for newer rules in transactions of limited size, which a stop interrupts", async () => {
    const own = await TestService.start(await newStore());
    const team = await Team.of(own);
    const first = await team.frame(0, 600);
    const { queries, pool } = own.store.database;
    await queries.execute(sql`
      INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
      SELECT start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at
      FROM timeframes, generate_series(1, 5000) WHERE id = ${first}`);
    await own.runJobs();
    await queries.execute(sql`DELETE FROM computed_data`);
    await queries.execute(sql`
      INSERT INTO computed_data (timeframe_id, timeframe_version, data_version, rules_version, data, further, computed_at)
      SELECT id, 0, 0, 0, '{}', '{}', now() FROM timeframes`);
    const queued = () => queries.$count(jobs, and(eq(jobs.kind, "compute"), eq(jobs.state, "PENDING")));
    const stopping = new AbortController();
    const listening = queriesOf(pool, {
      logQuery: (text) => void (/INSERT INTO jobs/.test(text) && stopping.abort()),
    });
    expect(await queueOutdated({ ...own.ctx, queries: listening }, stopping.signal)).toBe(5_000);
    expect(await queued()).toBe(5_000);
    // Two concurrent processes queue the rest without duplicates.
    expect(await Promise.all([queueOutdated(own.ctx), queueOutdated(own.ctx)])).toEqual([5_001, 5_001]);
    expect(await queued()).toBe(5_001);
  });

  it("do not prevent the start if they cannot be queued for newer rules", async () => {
    const own = await TestService.start(await newStore());
    const team = await Team.of(own);
    await team.frame(0, 600);
    await own.runJobs();
    await own.stop();
    const { queries } = own.store.database;
    expect(await queries.update(computedData).set({ rulesVersion: 0 }).returning()).toHaveLength(1);
    await queries.execute(sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''refused''; END'`);
    await queries.execute(
      sql`CREATE TRIGGER refuse BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const again = await startProcess(testConfig(), own.store, "all");
    stopAfterTest(() => again.stop());
    expect(again.url).not.toBeNull();
  });

  it("depend on the age of the athlete, and are recomputed if the birth date is corrected", async () => {
    const team = await Team.of(s, { birth_date: "2000-01-01" });
    const { body } = await team.create();
    const maxHr = async () => (await team.computed(body.id)).body.athlete_max_hr;
    // 24 years old on 1 June 2024: 208 - 0.7 x 24 = 191.2.
    expect(await maxHr()).toBe(191);
    await s.runJobs();
    const [athlete] = await s.store.database.queries
      .select()
      .from(accounts)
      .where(eq(accounts.id, team.athlete));
    if (athlete === undefined) throw new Error("No athlete");
    await transact(s.ctx, "test", (change) => updateAccount(change, athlete, { birthDate: "1990-01-01" }));
    expect(await waiting(body.id)).toHaveLength(1);
    // 208 - 0.7 x 34 = 184.2
    expect(await maxHr()).toBe(184);
  });

  it("include samples that are loaded after the operator has extended an ownership backwards, but not earlier samples", async () => {
    const team = await Team.of(s);
    const { body } = await team.create();
    const start = Date.parse("2024-06-01T10:00:00Z");
    const load = () =>
      store(
        s,
        team.device.id,
        Array.from({ length: 11 }, (_, k) => ({ t: start + k * 1000, speed: 3000 })),
      );
    await load();
    expect((await team.computed(body.id)).body.total_distance).toBeNull();
    await backdateOwnership(s.ctx, team.device.serial_number, new Date(start + 1000));
    expect((await team.computed(body.id)).body.total_distance).toBeNull();
    await load();
    expect((await team.computed(body.id)).body.total_distance).toBe(27);
  });

  it("do not include samples after the release of the device", async () => {
    const team = await Team.of(s);
    const frame = await team.frame(0, 600);
    await team.run(0, 100, 3000);
    expect((await team.computed(frame)).body.total_distance).toBe(299.7);
    // The clock of the device is ahead: these samples are in the future.
    await s.release(team.device, team.manager);
    expect((await team.computed(frame)).body.total_distance).toBeNull();
  });
});
