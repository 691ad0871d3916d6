import fc from "fast-check";
import { expect, it } from "vitest";
import { normaliseIntervals } from "../../store/samples/index.js";
import { without } from "./intervals.js";

it("recorded removed times exclude samples that were loaded again", () => {
  const instant = fc.integer({ min: 0, max: 40 });
  const intervals = fc
    .array(fc.record({ startMs: instant, stopMs: instant }), { maxLength: 10 })
    .map(normaliseIntervals);
  const instantsOf = (of: { startMs: number; stopMs: number }[]) =>
    of.flatMap(({ startMs, stopMs }) => Array.from({ length: stopMs - startMs + 1 }, (_, i) => startMs + i));
  fc.assert(
    fc.property(intervals, intervals, (removed, loaded) => {
      const again = new Set(instantsOf(loaded));
      const left = without(removed, loaded);
      expect(instantsOf(left)).toEqual(instantsOf(removed).filter((ms) => !again.has(ms)));
      expect(left.every(({ startMs, stopMs }) => startMs <= stopMs)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
