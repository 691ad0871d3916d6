/** Tests how a change to a device with many time frames marks them as stale, in several transactions. */
import { eq, inArray, sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { pendingChanges } from "../src/domain/computed-data/compute.js";
import { markNext, recompute } from "../src/domain/computed-data/recompute.js";
import type { Interval } from "../src/store/samples/index.js";
import { recomputations, timeframes } from "../src/store/schema.js";
import { service } from "./service.js";
import { Team } from "./team.js";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const BEGIN_MS = Date.parse("2024-06-01T10:00:00Z");

/** Days between the starts of two groups of time frames: more than the longest time frame lasts. */
const GROUP_DAYS = 10;

const fromDay = (day: number, minutes: number): Interval => ({
  startMs: BEGIN_MS + day * DAY_MS,
  stopMs: BEGIN_MS + day * DAY_MS + minutes * MINUTE_MS,
});

/** The days on which groups of time frames begin. */
const grouped = (groups: number) => Array.from({ length: groups }, (_, i) => i * GROUP_DAYS);

/** Creates a device with time frames of a minute in groups, in a random order of ids. Three of them each begin at the same time. */
async function deviceWith(groups: number, size: number) {
  const s = await service();
  const { queries } = s.store.database;
  const team = await Team.of(s);
  const other = await Team.of(s);
  const { id } = (await team.create()).body;
  await queries.execute(sql`
    INSERT INTO timeframes (start_time, end_time, params, device_id, activity_id, athlete_id, owner_id, json_schema_id, assigned_at)
    SELECT start_time + at, start_time + at + interval '1 minute', params, device_id, activity_id, athlete_id,
      CASE WHEN n % 5 = 0 THEN ${other.manager.id}::bigint ELSE owner_id END, json_schema_id, assigned_at
    FROM timeframes, generate_series(0, ${size - 1}::int) AS n, generate_series(0, ${groups - 1}::int) AS grouped,
      LATERAL (SELECT grouped * ${GROUP_DAYS} * interval '1 day' + n / 3 * interval '2 minutes' AS at)
    WHERE id = ${id} ORDER BY md5(n || '/' || grouped)`);
  await queries.delete(timeframes).where(eq(timeframes.id, id));
  await queries.execute(sql`ANALYZE timeframes`);
  return { s, queries, device: team.device.id, owners: [team.manager.id, other.manager.id] as const };
}

type Scene = Awaited<ReturnType<typeof deviceWith>>;

const pending = ({ queries, device }: Scene) =>
  queries
    .select({ id: recomputations.id })
    .from(recomputations)
    .where(eq(recomputations.deviceId, device))
    .orderBy(recomputations.id);

const framesOf = ({ queries, device }: Scene) =>
  queries
    .select({
      id: timeframes.id,
      ownerId: timeframes.ownerId,
      startMs: sql<number>`extract(epoch FROM ${timeframes.startTime})::float8 * 1000`,
      stopMs: sql<number>`extract(epoch FROM ${timeframes.endTime})::float8 * 1000`,
      dataVersion: timeframes.dataVersion,
      pending: pendingChanges,
    })
    .from(timeframes)
    .where(eq(timeframes.deviceId, device))
    .orderBy(timeframes.startTime, timeframes.id);

const change = (scene: Scene, input: { changed: Interval[]; ownerId?: number; forgets?: boolean }) =>
  transact(scene.s.ctx, "test", (unit) => recompute(unit, { deviceId: scene.device, ...input }));

/** Marks the next time frames of a change. @returns whether there are more, and how many rows were read */
const markCounted = ({ s }: Scene, id: number) =>
  transact(s.ctx, "test", async (unit) => {
    const read = async () => {
      const { rows } = await unit.queries.execute<{ count: number }>(
        sql`SELECT (seq_tup_read + idx_tup_fetch)::int AS count FROM pg_stat_xact_user_tables WHERE relname = 'timeframes'`,
      );
      return rows[0]?.count ?? 0;
    };
    const before = await read();
    const more = await markNext(unit, id);
    return { more, count: (await read()) - before };
  });

it.each([
  // In each statement, 500 time frames are read in each range, and up to 200 are locked and marked.
  [1, 6_000, 1_500],
  [10, 1_000, 6_000],
])(
  "each transaction reads a limited number of time frames, in %i groups of %i",
  async (groups, size, most) => {
    const scene = await deviceWith(groups, size);
    await change(scene, {
      changed: grouped(groups).map((day) => fromDay(day, size)),
    });
    const [one] = await pending(scene);
    const counts: number[] = [];
    for (let more = true; more; ) {
      const marked = await markCounted(scene, one?.id ?? 0);
      counts.push(marked.count);
      more = marked.more;
    }
    expect(counts.length).toBeGreaterThan(20);
    expect(Math.max(...counts)).toBeLessThan(most);
    for (const { dataVersion } of await framesOf(scene)) expect(dataVersion).toBe(2);
  },
);

it("a change to fewer than two hundred time frames marks them at once", async () => {
  const scene = await deviceWith(2, 200);
  await change(scene, { changed: grouped(2).map((day) => fromDay(day, 59)) });
  expect(await pending(scene)).toEqual([]);
  const marked = (await framesOf(scene)).filter(({ dataVersion }) => dataVersion === 2);
  expect(marked).toHaveLength(2 * 90);
});

it("time frames up to the position are current, and those after it are stale, in the order of their starts", async () => {
  const scene = await deviceWith(1, 700);
  await change(scene, { changed: [fromDay(0, 2_000)] });
  const states = async () =>
    (await framesOf(scene)).map(({ dataVersion, pending }) => [dataVersion, pending !== null]);
  const inOrder = (marked: number) =>
    Array.from({ length: 700 }, (_, i) => (i < marked ? [2, false] : [1, true]));
  expect(await states()).toEqual(inOrder(200));
  const [one] = await pending(scene);
  expect(await transact(scene.s.ctx, "test", (unit) => markNext(unit, one?.id ?? 0))).toBe(true);
  expect(await states()).toEqual(inOrder(400));
});

// One transaction marks 200 time frames, and reads 500, in ten groups. Each of these limits ends some of the transactions.
const GROUPS = 16;
const SIZES = [40, 70];

const anyTimes = fc.oneof(
  fc.constant(grouped(GROUPS).map((day) => fromDay(day, 60))),
  fc.array(
    fc
      .tuple(fc.nat(GROUPS - 1), fc.integer({ min: -5, max: 30 }), fc.integer({ min: 0, max: 30 }))
      .map(([group, from, length]) => fromDay(group * GROUP_DAYS + from / 1_440, length)),
    { minLength: 1, maxLength: 40 },
  ),
);

const anyStep = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("change" as const),
      changed: anyTimes,
      owner: fc.option(fc.nat(1), { freq: 2 }),
      forgets: fc.nat(3).map((n) => n === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("mark" as const, "fail" as const), which: fc.nat(3) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("delete" as const, "move" as const), which: fc.nat() }),
  },
);

it("each time frame that a change affects is stale until it is marked, in any history", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SIZES),
      fc.array(anyStep, { minLength: 6, maxLength: 20 }),
      async (size, steps) => {
        const scene = await deviceWith(GROUPS, size);
        const { s, queries, owners } = scene;
        /** The version that each time frame had before the last change that affects it. */
        const before = new Map<number, number>();
        const concerned = new Set<number>();
        for (const step of steps) {
          const frames = await framesOf(scene);
          if (step.do === "change") {
            const { changed, forgets } = step;
            const ownerId = step.owner === null ? undefined : owners[step.owner];
            await change(scene, ownerId === undefined ? { changed, forgets } : { changed, forgets, ownerId });
            for (const frame of frames)
              if (
                (ownerId ?? frame.ownerId) === frame.ownerId &&
                changed.some(({ startMs, stopMs }) => startMs <= frame.stopMs && frame.startMs <= stopMs)
              ) {
                before.set(frame.id, frame.dataVersion);
                concerned.add(frame.id);
              }
          } else if (step.do === "mark" || step.do === "fail") {
            const all = await pending(scene);
            const one = all[step.which % all.length];
            const work = transact(s.ctx, "test", async (unit) => {
              await markNext(unit, one?.id ?? 0);
              if (step.do === "fail") throw new Error("Interrupted");
            });
            await work.catch((error) => expect(error.message).toBe("Interrupted"));
          } else {
            const some = frames.filter((_, i) => (i + step.which) % 50 === 0).map(({ id }) => id);
            const isSome = inArray(timeframes.id, some);
            if (step.do === "delete") await queries.delete(timeframes).where(isSome);
            // The service increments the version when it moves a time frame, so its result is computed again anyway.
            else
              await queries.execute(sql`
              UPDATE timeframes SET start_time = start_time - interval '15 days', end_time = end_time - interval '15 days' WHERE ${isSome}`);
            for (const id of some) {
              before.delete(id);
              concerned.add(id);
            }
          }
          for (const { id, dataVersion, pending } of await framesOf(scene))
            if (pending === null) expect(dataVersion).toBeGreaterThan(before.get(id) ?? 0);
        }
        for (const { id } of await pending(scene))
          while (await transact(s.ctx, "test", (unit) => markNext(unit, id)));
        for (const { id, dataVersion, pending } of await framesOf(scene)) {
          expect(pending).toBeNull();
          expect(dataVersion).toBeGreaterThan(before.get(id) ?? 0);
          if (!concerned.has(id)) expect(dataVersion).toBe(1);
        }
      },
    ),
    { numRuns: 12, endOnFailure: true },
  );
});
