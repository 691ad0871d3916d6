/** Tests that an erasure processes the times of an athlete in parts, each from a limited number of time frames. */
import { eq, ne, sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { type Worn, wornDevices, wornPart, wornTimes } from "../src/domain/sample-ownership/wearers.js";
import { type Interval, normaliseIntervals } from "../src/store/samples/index.js";
import { timeframes } from "../src/store/schema.js";
import { startService, type TestService } from "./service.js";
import { Team } from "./team.js";

let s: TestService;
let team: Team;
let model: number;
let others: number;
beforeAll(async () => {
  s = await startService();
  team = await Team.of(s);
  others = (await Team.of(s)).athlete;
  model = await team.frame(0, 1);
});
beforeEach(async () => {
  await s.ctx.queries.delete(timeframes).where(ne(timeframes.id, model));
});

interface Frame {
  isOwn: boolean;
  /** Milliseconds from the start of the model. */
  from: number;
  length: number;
  age: number;
}

async function add(frames: readonly Frame[]): Promise<void> {
  await s.ctx.queries.execute(sql`
    INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
    SELECT start_time + "from" * interval '1 millisecond', start_time + ("from" + length) * interval '1 millisecond',
      params, device_id, activity_id, CASE WHEN "isOwn" THEN athlete_id ELSE ${others} END, owner_id, json_schema_id,
      assigned_at - age * interval '1 millisecond'
    FROM timeframes, jsonb_to_recordset(${JSON.stringify(frames)}::jsonb)
      AS frame ("isOwn" boolean, "from" integer, length integer, age integer)
    WHERE id = ${model}`);
}

async function worn(): Promise<Worn> {
  const [found] = await wornDevices(s.ctx.queries, team.athlete);
  if (found === undefined) throw new Error("The athlete has no time frame");
  return found;
}

/** Reads the parts one after another, as the transactions of an erasure do. */
async function inParts(of: Worn, limit: number): Promise<{ own: Interval[]; others: Interval[] }> {
  const all = { own: [] as Interval[], others: [] as Interval[] };
  for (let fromMs = of.startMs; fromMs <= of.stopMs; ) {
    const part = await wornPart(s.ctx.queries, of, fromMs, limit);
    for (const whose of ["own", "others"] as const) all[whose].push(...part[whose]);
    expect(part.stopMs).toBeGreaterThanOrEqual(fromMs);
    fromMs = part.stopMs + 1;
  }
  return { own: normaliseIntervals(all.own), others: normaliseIntervals(all.others) };
}

const frame: fc.Arbitrary<Frame> = fc.record({
  isOwn: fc.boolean(),
  from: fc.integer({ min: 0, max: 1_020 }),
  length: fc.integer({ min: 1, max: 30 }),
  age: fc.integer({ min: -3, max: 3 }),
});

it("the parts together cover the times of all time frames, for any number of time frames per part", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(frame, { maxLength: 14 }),
      fc.integer({ min: 1, max: 4 }),
      async (frames, limit) => {
        await s.ctx.queries.delete(timeframes).where(ne(timeframes.id, model));
        await add(frames);
        const of = await worn();
        const whole = { own: [] as Interval[], others: [] as Interval[] };
        for await (const times of wornTimes(s.ctx.queries, of)) {
          whole.own.push(...times.own);
          whole.others.push(...times.others);
        }
        expect(await inParts(of, limit)).toEqual({
          own: normaliseIntervals(whole.own),
          others: normaliseIntervals(whole.others),
        });
      },
    ),
    { numRuns: 60 },
  );
});

it("a part ends with the time frames that it has read, even if more time frames cover its start", async () => {
  // Each time frame is newer and ends later than the previous one, so each one is needed for its last millisecond.
  await add(
    Array.from({ length: 40 }, (_, i) => ({ isOwn: i % 2 === 0, from: 0, length: 1_001 + i, age: -i - 1 })),
  );
  const of = await worn();
  const startMs = of.startMs + 500;
  const { own, others: theirs, stopMs } = await wornPart(s.ctx.queries, of, startMs, 10);
  // The part has been read from the model and nine other time frames.
  expect(stopMs).toBe(of.startMs + 1_000 + 9);
  expect(normaliseIntervals([...own, ...theirs])).toEqual([{ startMs, stopMs }]);
  expect(theirs).toHaveLength(4);
  expect(await s.ctx.queries.$count(timeframes, eq(timeframes.deviceId, of.deviceId))).toBe(41);
});
