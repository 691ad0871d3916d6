/** Tests when computed data are recomputed: after changes to samples, time frames and rules. */
import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { updateAccount } from "../src/domain/accounts/write.js";
import { transact } from "../src/domain/change/change.js";
import { computedDataOf } from "../src/domain/computed-data/compute.js";
import { markRest } from "../src/domain/computed-data/mark-rest.js";
import { queueOutdated } from "../src/domain/computed-data/outdated.js";
import { startService as startProcess } from "../src/process/service.js";
import { queriesOf } from "../src/store/connection/database.js";
import { Turn } from "../src/store/queue/turn.js";
import {
  accounts,
  computedData,
  jobs,
  recomputations,
  removedSamples,
  timeframes,
} from "../src/store/schema.js";
import { stopAfterTest } from "./cleanup.js";
import { withComputedData } from "./computed-data-scene.js";
import { newStore } from "./databases.js";
import { startService, TestService } from "./service.js";
import { newActivity, Team } from "./team.js";
import { testConfig } from "./test-config.js";

const it = withComputedData();

describe("computed data after a change", () => {
  it("are recomputed for each time frame that a load changes, for any number of time frames and any distribution", async ({
    computed: { s },
  }) => {
    const team = await Team.of(s);
    const first = await team.frame(0, 100);
    const { queries } = s.store.database;
    // There is a time frame of 100 s in each hour, from 2024-06-01T10:00Z; every second one has a sample 90 s after its start.
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

  it("are recomputed for all time frames when the activity changes", async ({
    computed: { s, stored, waiting },
  }) => {
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

  it("are found in the other activity after their time frame has moved", async ({
    computed: { s, patch },
  }) => {
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

  it("are stored only if the time frame and its data have not changed since", async ({
    computed: { s, stored, patch },
  }) => {
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
    // If a time frame is deleted during its computation, no data are stored.
    await patch(team, frame, { params: { max_hr: 180 } });
    meanwhile = [() => s.send("DELETE", `/api/v1/timeframes/${frame}/`, { token: team.manager.token })];
    expect(await computedDataOf(raced, frame)).toBeUndefined();
    expect(await stored(frame)).toBeUndefined();
    await racing.stop();
  });

  it("are computed only once more, for the newest version, after requests for several versions have waited for one computation", async ({
    computed: { s, patch },
  }) => {
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
      // The first computation has read the first version before the next change.
      await expect.poll(() => computations).toBe(1);
    }
    free();
    for (const answer of await Promise.all(answers)) {
      expect(JSON.parse(answer?.data ?? "").definition.parameters.max_hr).toBe(190);
    }
    expect(computations).toBe(2);
    await computing.stop();
  });

  it("are recomputed if the rules are newer", async ({ computed: { s, stored, waiting, retention } }) => {
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
    // Results that retention has made final are not queued.
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
      FROM timeframes, generate_series(1, 1200) WHERE id = ${first}`);
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
    expect(await queueOutdated({ ...own.ctx, queries: listening }, stopping.signal)).toBe(500);
    expect(await queued()).toBe(500);
    // Two concurrent processes queue the rest without duplicates.
    expect(await Promise.all([queueOutdated(own.ctx), queueOutdated(own.ctx)])).toEqual([1_201, 1_201]);
    expect(await queued()).toBe(1_201);
    // The same number is examined in each statement if retention has made the results final.
    await queries.insert(removedSamples).values({ deviceId: team.device.id, startMs: 0, stopMs: 1e13 });
    let statements = 0;
    const counting = queriesOf(pool, {
      logQuery: (text) => void (/removed_samples/.test(text) && statements++),
    });
    expect(await queueOutdated({ ...own.ctx, queries: counting })).toBe(0);
    expect(statements).toBe(3);
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

  it("depend on the age of the athlete, and are recomputed if the birth date is corrected", async ({
    computed: { s, waiting },
  }) => {
    const team = await Team.of(s, { birth_date: "2000-01-01" });
    const { body } = await team.create();
    const maxHr = async () => (await team.computed(body.id)).body.athlete_max_hr;
    // The athlete is 24 years old on 1 June 2024: 208 - 0.7 x 24 = 191.2.
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
});
