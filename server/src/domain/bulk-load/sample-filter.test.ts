import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allocateColumns, type Interval, normaliseIntervals } from "../../store/samples/index.js";
import { SampleFilter } from "./sample-filter.js";

/** Creates rows at these times. */
function rowsAt(times: readonly number[]) {
  const rows = allocateColumns(times.length);
  rows.timestampMs.set(times);
  return rows;
}

/**
 * Uses few distinct times. Intervals then touch, contain each other, are empty (start after stop) or consist of a
 * single instant.
 */
const anInstant = fc.integer({ min: -20, max: 20 });
const anInterval = fc.record({
  startMs: fc.oneof({ weight: 8, arbitrary: anInstant }, fc.constant(Number.NEGATIVE_INFINITY)),
  stopMs: fc.oneof({ weight: 8, arbitrary: anInstant }, fc.constant(Number.POSITIVE_INFINITY)),
});
const intervals = fc.array(anInterval, { maxLength: 12 });

describe("the sample filter", () => {
  it("returns the same result as the rule applied to each sample", () => {
    const times = fc.array(fc.integer({ min: -25, max: 25 }), { maxLength: 60 });
    fc.assert(
      fc.property(intervals, intervals, times, (own, others, ms) => {
        const latestMs = 18;
        const filter = new SampleFilter({
          own: normaliseIntervals(own),
          others: normaliseIntervals(others),
          latestMs,
        });
        const yielded = [...filter.filter([rowsAt(ms)])].flatMap(({ timestampMs, length }) => [
          ...timestampMs.subarray(0, length),
        ]);
        const isIn = (of: readonly Interval[], t: number) =>
          of.some(({ startMs, stopMs }) => startMs <= t && t <= stopMs);
        const kept = ms.filter((t) => t <= latestMs && isIn(own, t));
        expect(yielded).toEqual(kept);
        expect(filter.keptTimes).toEqual(kept);
        expect(filter.refused).toBe(ms.length - kept.length);
        expect(filter.unowned).toBe(
          ms.filter((t) => t <= latestMs && !isIn(own, t) && !isIn(others, t)).length,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["in order", (i: number) => i],
    ["in any order", (i: number) => (i * 7_919) % 20_000],
  ])("examines only a few of thousands of ownerships for each sample, with samples %s", (_, timeOf) => {
    let looks = 0;
    const ownerships: Interval[] = Array.from({ length: 2_000 }, (_, i) => ({
      get startMs() {
        looks++;
        return i * 10;
      },
      stopMs: i * 10 + 5,
    }));
    const filter = new SampleFilter({ own: ownerships, others: ownerships, latestMs: 1e9 });
    const count = 20_000;
    for (const _ of filter.filter([rowsAt(Array.from({ length: count }, (_, i) => timeOf(i)))]));
    expect(filter.read).toBe(count);
    expect(looks).toBeLessThan(count * 2 * 20);
  });
});
