/** Tests an input that many results depend on, and that changes again before all results are marked as stale. */
import { gt, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { markNext } from "../src/domain/computed-data/recompute.js";
import { recomputations, timeframes } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { hold } from "./held-locks.js";
import { TestService } from "./service.js";
import { Team } from "./team.js";

const HOUR_MS = 3_600_000;

/** Adds time frames of up to an hour. @param step time between their starts */
async function withFrames(
  s: TestService,
  count: number,
  step: string,
): Promise<{ team: Team; first: number }> {
  const team = await Team.of(s);
  const { id: first } = (await team.create()).body;
  await s.store.database.queries.execute(sql`
    INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
    SELECT start_time + n * ${step}::interval, end_time + n * ${step}::interval - interval '1 s', params, device_id, activity_id,
      athlete_id, owner_id, json_schema_id, assigned_at
    FROM timeframes, generate_series(1, ${count - 1}::int) AS n WHERE id = ${first}`);
  return { team, first };
}

it("each change adds one row for finding the affected time frames, and all of these are marked", async () => {
  const s = await TestService.start(await newStore());
  const { queries } = s.store.database;
  // Each transaction marks 200.
  const { team } = await withFrames(s, 700, "1 h");
  const begin = Date.parse("2024-06-01T10:00:00Z");
  const frames = await queries.select().from(timeframes).orderBy(timeframes.id);
  const change = (fromHour: number, toHour: number) =>
    transact(s.ctx, "test", (unit) =>
      unit.announce("samplesStored", {
        deviceId: team.device.id,
        ownerId: team.manager.id,
        changed: [{ startMs: begin + fromHour * HOUR_MS + 2_000, stopMs: begin + toHour * HOUR_MS - 2_000 }],
      }),
    );
  const row = async () => {
    const rows = await queries.select().from(recomputations);
    expect(rows).toHaveLength(1);
    return rows[0]?.id ?? 0;
  };
  const markSome = async () => {
    const id = await row();
    return transact(s.ctx, "test", (unit) => markNext(unit, id));
  };
  await change(0, 700);
  await change(0, 700);
  await markSome();
  await markSome();
  // The first of these are already marked, the last ones are not.
  const before = await queries.select().from(timeframes).orderBy(timeframes.id);
  await change(300, 650);
  expect(await row()).toBeGreaterThan(0);
  while (await markSome());
  expect(await queries.$count(recomputations)).toBe(0);
  const after = await queries.select().from(timeframes).orderBy(timeframes.id);
  for (const [hour, frame] of after.entries()) {
    expect(frame.dataVersion).toBeGreaterThan(frames[hour]?.dataVersion ?? 0);
    if (hour >= 300 && hour < 650) expect(frame.dataVersion).toBeGreaterThan(before[hour]?.dataVersion ?? 0);
  }
  // Another input has a separate row.
  await transact(s.ctx, "test", (unit) =>
    unit.announce("samplesStored", {
      deviceId: team.device.id,
      changed: [{ startMs: begin, stopMs: begin + 700 * HOUR_MS }],
    }),
  );
  await change(0, 700);
  expect(await queries.$count(recomputations, gt(recomputations.id, 0))).toBe(2);
});

it.runIf(process.env.TEST_DATABASE === "postgres")(
  "all time frames are marked if one of them is deleted meanwhile",
  async () => {
    const s = await TestService.start(await newStore());
    const { queries } = s.store.database;
    // Each transaction marks 200.
    const { team, first } = await withFrames(s, 250, "0 h");
    const deleting = await hold(s, `DELETE FROM timeframes WHERE id = ${first + 100}`);
    const changing = transact(s.ctx, "test", (unit) =>
      unit.announce("samplesStored", {
        deviceId: team.device.id,
        changed: [
          { startMs: Date.parse("2024-06-01T10:00:00Z"), stopMs: Date.parse("2024-06-01T11:00:00Z") },
        ],
      }),
    );
    await deleting.waiters(1);
    await deleting.release();
    await changing;
    const [{ id }] = (await queries.select({ id: recomputations.id }).from(recomputations)) as [
      { id: number },
    ];
    while (await transact(s.ctx, "test", (unit) => markNext(unit, id)));
    const frames = await queries.select({ version: timeframes.dataVersion }).from(timeframes);
    expect(frames).toEqual(Array(249).fill({ version: 2 }));
  },
);
