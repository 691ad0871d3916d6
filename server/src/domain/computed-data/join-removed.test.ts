import fc from "fast-check";
import { expect, it } from "vitest";
import type { Interval } from "../../store/samples/index.js";
import { without } from "../sample-ownership/intervals.js";
import { joinRemoved } from "./join-removed.js";

const WITHIN_MS = 3;

const intervals = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 6 }))
    .map(([startMs, length]) => ({ startMs, stopMs: startMs + length })),
  { maxLength: 12 },
);

/** Records the removed intervals one after another, each together with recorded intervals near it. */
function recordedOneByOne(recorded: readonly Interval[], removed: readonly Interval[]): Interval[] {
  let known = [...recorded];
  for (const { startMs, stopMs } of removed) {
    const isNear = (one: Interval) => one.startMs <= stopMs + WITHIN_MS && one.stopMs >= startMs - WITHIN_MS;
    const near = known.filter(isNear);
    known = known.filter((one) => !isNear(one));
    known.push({
      startMs: Math.min(startMs, ...near.map((one) => one.startMs)),
      stopMs: Math.max(stopMs, ...near.map((one) => one.stopMs)),
    });
  }
  return known.toSorted((a, b) => a.startMs - b.startMs);
}

it("recording removed times together has the same result as recording them one after another, even with reloaded times between them", () => {
  fc.assert(
    fc.property(intervals, intervals, intervals, (earlier, again, removed) => {
      const loaded = recordedOneByOne([], again);
      const recorded = without(recordedOneByOne([], earlier), loaded);
      expect(joinRemoved(recorded, removed, WITHIN_MS)).toEqual(recordedOneByOne(recorded, removed));
    }),
    { numRuns: 5_000 },
  );
});
