/** Tests the records of times whose samples have been removed, and which time frames they affect. */
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import {
  deleteRemovalRecords,
  hasLostSamples,
  recordRemovals,
} from "../src/domain/computed-data/removed-samples.js";
import { ownerships, removedSamples, timeframes } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";
import { schemaId, Team } from "./team.js";

let s: TestService;
let team: Team;
let other: Team;

beforeAll(async () => {
  s = await service();
  [team, other] = [await Team.of(s), await Team.of(s)];
});

const START_MS = Date.parse("2024-06-01T10:00:00Z");
const BUCKET_MS = 300_000;
const instant = (ms: number) => new Date(START_MS + ms);

/** Generates ascending bounds of disjoint intervals, ms after the start. */
const bounds = (maxLength: number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength })
    .map((all) => all.toSorted((a, b) => a - b))
    .map((all) =>
      Array.from({ length: all.length >> 1 }, (_, i) => [all[2 * i] ?? 0, all[2 * i + 1] ?? 0] as const),
    );

/** Reference implementation of the condition: compares every removed time with every ownership of the time frame. */
const hasLostByComparison = sql<boolean>`EXISTS (SELECT 1 FROM ${removedSamples} JOIN ${ownerships}
    ON ${ownerships.deviceId} = ${timeframes.deviceId} AND ${ownerships.managerId} = ${timeframes.ownerId}
  WHERE ${removedSamples.deviceId} = ${timeframes.deviceId}
    AND greatest(to_timestamp(${removedSamples.startMs} / 1000.0), ${ownerships.startTime}, ${timeframes.startTime})
      <= least(to_timestamp(${removedSamples.stopMs} / 1000.0), ${ownerships.endTime} - interval '1 ms', ${timeframes.endTime}))`;

const recordsOf = async (deviceId: number) =>
  (
    await s.store.database.queries
      .select()
      .from(removedSamples)
      .where(eq(removedSamples.deviceId, deviceId))
      .orderBy(removedSamples.startMs)
  ).map(({ startMs, stopMs }) => [startMs, stopMs]);

describe("a time frame has lost samples", () => {
  it("if a removed time, an ownership of its owner and its own interval have a common instant", async () => {
    const { queries } = s.store.database;
    const deviceId = team.device.id;
    const jsonSchemaId = await schemaId(s, "timeframe_soccer");
    const frames = fc.uniqueArray(
      fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 20 })),
      { minLength: 5, maxLength: 20 },
    );
    const empty = fc.boolean();
    const property = fc.asyncProperty(
      bounds(12),
      bounds(12),
      frames,
      empty,
      async (owned, removed, times, empty) => {
        for (const table of [timeframes, ownerships, removedSamples])
          await queries.delete(table).where(eq(table.deviceId, deviceId));
        const rows = owned.flatMap(([from, to], i) => {
          const row = {
            deviceId,
            managerId: (i % 3 === 2 ? other : team).manager.id,
            startTime: instant(from),
          };
          // The device is taken and released in one millisecond.
          const released = empty ? [{ ...row, endTime: instant(from) }] : [];
          return [...released, { ...row, endTime: instant(to) }];
        });
        if (rows.length > 0) await queries.insert(ownerships).values(rows);
        const lost = removed.map(([from, to]) => ({
          deviceId,
          startMs: START_MS + from,
          stopMs: START_MS + to,
        }));
        if (lost.length > 0) await queries.insert(removedSamples).values(lost);
        await queries.insert(timeframes).values(
          times.map(([from, length]) => ({
            startTime: instant(from),
            endTime: instant(from + length),
            params: {},
            deviceId,
            activityId: team.activity,
            athleteId: team.athlete,
            ownerId: team.manager.id,
            jsonSchemaId,
            assignedAt: instant(0),
          })),
        );
        const of = (condition: typeof hasLostSamples) =>
          queries
            .select({ id: timeframes.id })
            .from(timeframes)
            .where(sql`${eq(timeframes.deviceId, deviceId)} AND ${condition}`)
            .orderBy(timeframes.id);
        expect(await of(hasLostSamples)).toEqual(await of(hasLostByComparison));
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("is found without reading thousands of ownerships within the time frame", async () => {
    const { queries } = s.store.database;
    const own = await Team.of(s);
    const frame = await own.frame(0, 10_000);
    const ownership = eq(ownerships.deviceId, own.device.id);
    await queries.delete(ownerships).where(ownership);
    await queries.execute(sql`INSERT INTO ownerships (device_id, manager_id, start_time, end_time)
      SELECT ${own.device.id}, ${own.manager.id}, start, start + interval '500 ms'
      FROM generate_series(${instant(0)}::timestamptz, ${instant(9_000_000)}, '1 s') AS start`);
    const removed = [0, 300_600, 600_600].map((ms) => ({ startMs: START_MS + ms, stopMs: START_MS + ms }));
    await queries
      .insert(removedSamples)
      .values(removed.slice(1).map((one) => ({ deviceId: own.device.id, ...one })));
    await queries.execute(sql`ANALYZE ownerships, removed_samples`);
    const explained = async () => {
      const condition = queries.select({ hasLostSamples }).from(timeframes).where(eq(timeframes.id, frame));
      const { rows } = await queries.execute<{ "QUERY PLAN": unknown }>(
        sql`EXPLAIN (ANALYZE, FORMAT JSON) ${condition}`,
      );
      return JSON.stringify(rows[0]?.["QUERY PLAN"]);
    };
    const readRows = (plan: string) => {
      const nodes = [
        ...plan.matchAll(/"Relation Name":"ownerships".*?"Actual Rows":([\d.]+),"Actual Loops":(\d+)/g),
      ];
      return nodes.reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0);
    };
    expect(readRows(await explained())).toBeLessThan(10);
    expect(await queries.select({ hasLostSamples }).from(timeframes).where(eq(timeframes.id, frame))).toEqual(
      [{ hasLostSamples: false }],
    );
  });
});

describe("removed times", () => {
  const record = (deviceId: number, removed: [startMs: number, stopMs: number][]) =>
    transact(s.ctx, "test", (unit) =>
      recordRemovals(unit, {
        deviceId,
        removed: removed.map(([startMs, stopMs]) => ({ startMs, stopMs })),
      }),
    );

  it("are recorded in any order, and joined if no sample can be between them", async () => {
    const deviceId = other.device.id;
    await record(deviceId, [
      [50 * BUCKET_MS, 50 * BUCKET_MS + 10],
      [10, 20],
      [BUCKET_MS + 20, BUCKET_MS + 30],
    ]);
    expect(await recordsOf(deviceId)).toEqual([
      [10, BUCKET_MS + 30],
      [50 * BUCKET_MS, 50 * BUCKET_MS + 10],
    ]);
    // This time is near the end of the first one, which begins long before.
    await record(deviceId, [
      [2 * BUCKET_MS, 2 * BUCKET_MS + 1],
      [20 * BUCKET_MS, 20 * BUCKET_MS],
    ]);
    expect(await recordsOf(deviceId)).toEqual([
      [10, 2 * BUCKET_MS + 1],
      [20 * BUCKET_MS, 20 * BUCKET_MS],
      [50 * BUCKET_MS, 50 * BUCKET_MS + 10],
    ]);
    const changed = [{ startMs: 100, stopMs: 20 * BUCKET_MS }];
    await transact(s.ctx, "test", (unit) => deleteRemovalRecords(unit, { deviceId, changed }));
    expect(await recordsOf(deviceId)).toEqual([
      [10, 99],
      [50 * BUCKET_MS, 50 * BUCKET_MS + 10],
    ]);
  });

  it("are recorded with one statement for a thousand of them", async () => {
    const deviceId = (await s.ownedDevice(team.manager)).id;
    const removed = Array.from({ length: 1_000 }, (_, i): [number, number] => [
      3 * i * BUCKET_MS,
      3 * i * BUCKET_MS,
    ]);
    await record(deviceId, removed);
    let statements = 0;
    await transact(s.ctx, "test", (unit) => {
      const counting = <T extends object>(target: T): T =>
        new Proxy(target, {
          get: (object, name, receiver) => {
            if (name === "delete" || name === "insert") statements += 1;
            return Reflect.get(object, name, receiver);
          },
        });
      return recordRemovals(
        { ...unit, queries: counting(unit.queries) },
        { deviceId, removed: removed.map(([startMs]) => ({ startMs: startMs + 5, stopMs: startMs + 6 })) },
      );
    });
    expect(statements).toBe(2);
    expect(await recordsOf(deviceId)).toHaveLength(1_000);
  });
});
