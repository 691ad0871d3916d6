/** Tests the times in which permissions let a manager read or change data of athletes. */
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { grantsOf, permittedNow } from "../src/domain/permissions/coverage.js";
import { queriesOf } from "../src/store/connection/database.js";
import { permissions } from "../src/store/schema.js";
import { service, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let manager: TestAccount;
let athletes: number[];

beforeAll(async () => {
  s = await service();
  manager = await s.manager();
  athletes = [(await s.athlete()).id, (await s.athlete()).id];
});

const at = (n: number) => new Date(Date.UTC(2024, 0, 1) + n);

interface Granted {
  athlete: number;
  from: number;
  to: number;
}

async function grant(all: readonly Granted[]): Promise<void> {
  const { queries } = s.store.database;
  await queries.delete(permissions).where(eq(permissions.managerId, manager.id));
  const rows = all.map(({ athlete, from, to }) => ({
    athleteId: athletes[athlete] ?? 0,
    managerId: manager.id,
    permission: "READ" as const,
    startTime: at(from),
    expirationTime: at(to),
  }));
  if (rows.length > 0) await queries.insert(permissions).values(rows);
}

/** Reference implementation: extends the covered time by one permission after another. */
function isCovered(all: readonly Granted[], start: number, end: number): boolean {
  let reached = start;
  for (const { from, to } of all.toSorted((a, b) => a.from - b.from)) {
    if (from > reached) return false;
    reached = Math.max(reached, to);
    if (reached >= end && reached > start) return true;
  }
  return false;
}

const covers = async (all: readonly Granted[], start: number, end: number) => {
  await grant(all);
  const needed = athletes.map((athleteId) => ({ athleteId, startTime: at(start), endTime: at(end) }));
  const grants = await grantsOf(s.store.database.queries, manager.id, "READ", needed);
  return athletes.map((id) => grants.cover(id, at(start), at(end)));
};

const from = (start: number, end: number): Granted => ({ athlete: 0, from: start, to: end });

it("one permission over the whole interval is read instead of all", async () => {
  await grant([from(0, 30), from(5, 40), from(9, 13)]);
  const needed = athletes.map((athleteId) => ({ athleteId, startTime: at(10), endTime: at(12) }));
  const grants = await grantsOf(s.store.database.queries, manager.id, "READ", needed);
  // The one that lasts longest.
  expect(grants.times(athletes[0] ?? 0)).toEqual([
    { startMs: at(5).getTime(), stopMs: at(40).getTime() - 1 },
  ]);
});

it.each([
  ["one that is exactly as long", [from(10, 12)], true],
  ["one that is longer", [from(9, 13)], true],
  ["two that meet", [from(10, 11), from(11, 12)], true],
  ["two that overlap", [from(9, 12), from(11, 14)], true],
  ["a short one inside a long one", [from(9, 13), from(10, 11)], true],
  ["none", [], false],
  ["two with a gap between", [from(9, 11), from(12, 14)], false],
  ["one that begins late", [from(11, 13)], false],
  ["one that ends early", [from(9, 11)], false],
  ["one that has ended, and one that has not begun", [from(8, 10), from(12, 13)], false],
])("permissions over an interval: %s", async (_, granted, covered) => {
  expect(await covers(granted, 10, 12)).toEqual([covered, false]);
});

it("permissions cover the union of their times, and each is active in its time", async () => {
  const instant = fc.integer({ min: 0, max: 12 });
  const granted = fc.record({ athlete: fc.integer({ min: 0, max: 1 }), from: instant, to: instant });
  const property = fc.asyncProperty(
    fc.array(granted, { maxLength: 12 }),
    fc.tuple(instant, instant).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
    async (all, [start, end]) => {
      const own = athletes.map((_, n) => all.filter(({ athlete }) => athlete === n));
      expect(await covers(all, start, end)).toEqual(own.map((these) => isCovered(these, start, end)));
      const permitted = await permittedNow(s.store.database.queries, manager.id, "READ", athletes, at(start));
      expect(athletes.map((id) => permitted.has(id))).toEqual(
        own.map((these) => these.some(({ from, to }) => from <= start && start < to)),
      );
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

it("a thousand permissions for an athlete are read as one row", async () => {
  await s.store.database.queries.execute(sql`
    INSERT INTO permissions (athlete_id, manager_id, permission, start_time, expiration_time)
    SELECT athlete, ${manager.id}, 'READ', start_time, start_time + interval '300 days'
    FROM unnest(${sql.param(athletes)}::bigint[]) AS athlete, generate_series(1, 1000) AS n,
      LATERAL (SELECT timestamptz '2024-01-01' + n * interval '1 hour' AS start_time) AS begun`);
  const [startTime, endTime] = [new Date("2024-02-15T00:00:00Z"), new Date("2024-02-16T00:00:00Z")];
  const needed = athletes.map((athleteId) => ({ athleteId, startTime, endTime }));
  const { pool } = s.store.database;
  const sent: [string, unknown[]][] = [];
  const queries = queriesOf(pool, { logQuery: (text, values) => void sent.push([text, values]) });
  const grants = await grantsOf(queries, manager.id, "READ", needed, { lock: true });
  expect(athletes.map((id) => grants.cover(id, startTime, endTime))).toEqual([true, true]);
  expect(await permittedNow(queries, manager.id, "READ", athletes, startTime)).toEqual(new Set(athletes));
  const found = sent.map(async ([text, values]) => (await pool.query(text, values)).rows.length);
  expect(await Promise.all(found)).toEqual([2, 2, 2]);
});
