import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Interval } from "../../src/squad/interval.js";
import { addDisjoint } from "../../src/squad/ordered-intervals.js";

const interval = fc
  .record({ startMs: fc.integer({ min: 0, max: 40 }), length: fc.integer({ min: 1, max: 6 }) })
  .map(({ startMs, length }) => ({ startMs, endMs: startMs + length }));

describe("disjoint intervals that are added in any order", () => {
  it("stay in ascending order, without those that overlap an earlier one", () => {
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 30 }), (all) => {
        const times: Interval[] = [];
        const expected: Interval[] = [];
        for (const one of all) {
          const isFree = expected.every(({ startMs, endMs }) => one.endMs <= startMs || endMs <= one.startMs);
          if (isFree) expected.push(one);
          expect(addDisjoint(times, one)).toBe(isFree);
        }
        expect(times).toEqual(expected.sort((a, b) => a.startMs - b.startMs));
      }),
    );
  });

  it.each([
    ["ascending", (i: number) => i],
    ["descending", (i: number) => 10_000 - i],
  ])("need few comparisons each, if they are %s", (_, place) => {
    let reads = 0;
    const times: Interval[] = [];
    for (let i = 0; i < 10_000; i++) {
      const startMs = 10 * place(i);
      const one = {
        get startMs() {
          reads += 1;
          return startMs;
        },
        endMs: startMs + 5,
      };
      addDisjoint(times, one);
    }
    expect(times).toHaveLength(10_000);
    expect(reads).toBeLessThan(10_000 * 40);
  });
});
