import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Interval } from "../../store/samples/index.js";
import { type SquadTimes, takenSearch } from "./taken-times.js";
import { type Membership, type Wearer, type Wearing, wearerSearch } from "./worn-times.js";

const LAST_MS = 60;
const interval = fc
  .tuple(fc.integer({ min: 0, max: LAST_MS }), fc.integer({ min: 0, max: 15 }))
  .map(([startMs, length]) => ({ startMs, stopMs: startMs + length }));
/** Disjoint intervals, in any order. */
const disjoint = fc
  .uniqueArray(fc.integer({ min: 0, max: LAST_MS }), { maxLength: 16 })
  .map((bounds) => bounds.toSorted((a, b) => a - b))
  .map((bounds) =>
    Array.from({ length: bounds.length >> 1 }, (_, i) => ({
      startMs: bounds[2 * i] ?? 0,
      stopMs: (bounds[2 * i + 1] ?? 0) - (i % 2),
    })),
  );
const ids = fc.integer({ min: 1, max: 3 });

const wearers: fc.Arbitrary<Wearer[]> = fc
  .array(
    fc
      .tuple(ids, disjoint, fc.array(fc.tuple(ids, fc.boolean()), { minLength: 16, maxLength: 16 }))
      .map(([deviceId, times, worn]) =>
        times.map((one, i) => ({
          ...one,
          deviceId,
          athleteId: worn[i]?.[0] ?? 1,
          isAllowed: worn[i]?.[1] ?? true,
        })),
      ),
    { maxLength: 3 },
  )
  .map((devices) => [...new Map(devices.map((one) => [one[0]?.deviceId, one])).values()].flat());
const memberships: fc.Arbitrary<Membership[]> = fc
  .array(fc.tuple(interval, ids, ids), { maxLength: 12 })
  .map((all) => all.map(([times, athleteId, squadId], i) => ({ ...times, id: i + 1, athleteId, squadId })));

const meet = (a: Interval, b: Interval) => a.startMs <= b.stopMs && a.stopMs >= b.startMs;

/** Returns the wearer at a time, by reading all assignments and memberships. */
function wearing(
  assignments: readonly Wearer[],
  all: readonly Membership[],
  device: number,
  range: Interval,
): Wearing {
  const begun = assignments
    .filter(({ deviceId, startMs }) => deviceId === device && startMs <= range.stopMs)
    .toSorted((a, b) => b.startMs - a.startMs);
  const current = begun.find((one) => meet(one, range));
  const athlete = (current ?? begun.find(({ isAllowed }) => isAllowed))?.athleteId ?? null;
  const from = ({ startMs }: Interval) => Math.max(startMs, range.startMs);
  const [member] = all
    .filter((one) => one.athleteId === athlete && meet(one, range))
    .toSorted((a, b) => from(a) - from(b) || a.id - b.id);
  return { athlete, isAssigned: current !== undefined, squad: member?.squadId ?? null };
}

describe("the wearer of a device at a time", () => {
  it("is the same as when all assignments and memberships are read", () => {
    fc.assert(
      fc.property(wearers, memberships, ids, interval, (assignments, all, device, range) => {
        expect(wearerSearch(assignments, all)(device, range)).toEqual(
          wearing(assignments, all, device, range),
        );
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("whether a time is in a session", () => {
  it("is the same as when all sessions are read", () => {
    const times: fc.Arbitrary<SquadTimes> = fc
      .dictionary(fc.constantFrom("1", "2", "3"), disjoint)
      .map(
        (squads) =>
          new Map(Object.entries(squads).map(([squad, all]) => [Number(squad), all.filter(isTime)])),
      );
    const isTime = ({ startMs, stopMs }: Interval) => startMs <= stopMs;
    const squad = fc.option(ids);
    fc.assert(
      fc.property(times, interval, squad, (known, range, squad) => {
        const expected = [...known].some(
          ([one, all]) => (squad === null || one === squad) && all.some((session) => meet(session, range)),
        );
        expect(takenSearch(known)({ ...range, squad })).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });
});

/** Counts how often the start or the end of an interval is read. */
function counted<T extends Interval>(intervals: readonly T[], reads: { count: number }): T[] {
  return intervals.map((interval) => {
    const read = (ms: number) => {
      reads.count += 1;
      return ms;
    };
    return Object.defineProperties(
      { ...interval },
      {
        startMs: { get: () => read(interval.startMs), enumerable: true },
        stopMs: { get: () => read(interval.stopMs), enumerable: true },
      },
    );
  });
}

describe("with 50,000 assignments, 10,000 memberships and 20,000 sessions, a time", () => {
  const series = (length: number) =>
    Array.from({ length }, (_, i) => ({ startMs: 10 * i, stopMs: 10 * i + 4 }));
  const RANGES = series(4_000).map(({ startMs }) => ({
    startMs: startMs + 100_006,
    stopMs: startMs + 100_007,
  }));
  /** More than three binary searches, much less than one list. */
  const MOST = 100;

  it("is compared with few assignments and memberships, even if the caller may assign none of them", () => {
    const reads = { count: 0 };
    const others = series(50_000).map((one) => ({ ...one, deviceId: 1, athleteId: 1, isAllowed: false }));
    const all = series(10_000).map((one, i) => ({ ...one, id: i, athleteId: 2, squadId: 1 }));
    const first = { startMs: -20, stopMs: -11, deviceId: 1, athleteId: 2, isAllowed: true };
    const wornBy = wearerSearch(counted([first, ...others], reads), counted(all, reads));
    reads.count = 0;
    const worn = RANGES.map((range) => wornBy(1, range));
    expect(reads.count).toBeLessThan(RANGES.length * MOST);
    expect(worn).toEqual(RANGES.map(() => ({ athlete: 2, isAssigned: false, squad: null })));
  });

  it("is compared with few sessions", () => {
    const reads = { count: 0 };
    const isTaken = takenSearch(new Map([[1, counted(series(20_000), reads)]]));
    reads.count = 0;
    const taken = RANGES.filter((range) => isTaken({ ...range, squad: 1 }));
    expect(reads.count).toBeLessThan(RANGES.length * MOST);
    expect(taken).toEqual([]);
    expect(isTaken({ startMs: 100_000, stopMs: 100_001, squad: null })).toBe(true);
  });
});
