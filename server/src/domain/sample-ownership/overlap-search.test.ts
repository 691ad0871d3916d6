import fc from "fast-check";
import { expect, it } from "vitest";
import type { Interval } from "../../store/samples/index.js";
import { areWithin } from "./overlap-search.js";

/** Makes ascending, disjoint intervals from their lengths and the gaps before them. */
function intervalsOf(steps: readonly (readonly [gap: number, length: number])[]): Interval[] {
  let at = 0;
  return steps.map(([gap, length]) => {
    const startMs = at + gap;
    at = startMs + length + 1;
    return { startMs, stopMs: startMs + length };
  });
}

const intervals = fc
  .array(fc.tuple(fc.nat(2), fc.nat(3)), { maxLength: 8 })
  .map((steps) => intervalsOf(steps));

it("parts are within intervals if one interval contains each of them", () => {
  fc.assert(
    fc.property(intervals, intervals, (parts, all) => {
      const isWithin = (part: Interval) =>
        all.some(({ startMs, stopMs }) => startMs <= part.startMs && stopMs >= part.stopMs);
      expect(areWithin(parts, all)).toBe(parts.every(isWithin));
    }),
  );
});

it("thousands of parts are compared with a few of thousands of intervals each", () => {
  let reads = 0;
  const all = intervalsOf(Array.from({ length: 5_000 }, () => [1, 9] as const));
  const counted = all.map(({ startMs, stopMs }) => ({
    startMs,
    get stopMs() {
      reads++;
      return stopMs;
    },
  }));
  expect(areWithin(all, counted)).toBe(true);
  expect(reads).toBeLessThan(20 * all.length);
});
