/** The search skips most windows, and must find the same maximum windows as an exhaustive search. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Nodes, nodesOf } from "../../src/metrics/peaks/nodes.js";
import { distancePeaks, peakOf } from "../../src/metrics/peaks/windows.js";
import { selectedSignal } from "../../src/metrics/selected-signal.js";
import { columnsOf } from "./golden/sessions.js";

/** The maximum distance in a window with at least nine tenths covered; the earliest of equal ones. */
function byLookingAtAll({ distance, covered, last }: Nodes, windowS: number) {
  let best: { node: number; amount: number } | null = null;
  for (let node = 0; node + 10 * windowS <= last; node++) {
    const amount = (distance[node + 10 * windowS] ?? 0) - (distance[node] ?? 0);
    const coveredMs = (covered[node + 10 * windowS] ?? 0) - (covered[node] ?? 0);
    if (coveredMs >= 900 * windowS && (best === null || amount > best.amount)) best = { node, amount };
  }
  return best;
}

it("finds the largest distances, the earliest of equal ones, even with gaps and standing", () => {
  const passage = fc.record({
    rows: fc.integer({ min: 1, max: 120 }),
    // there are few different speeds, so some windows are equal
    speed: fc.constantFrom(-1, 0, 0, 2_000, 2_000, 6_000),
    gapMs: fc.constantFrom(100, 100, 100, 3_000),
  });
  fc.assert(
    fc.property(fc.array(passage, { maxLength: 12 }), (passages) => {
      let t = 0;
      const samples = passages.flatMap(({ rows, speed, gapMs }) => {
        const first = t + gapMs;
        t = first + 100 * rows;
        return Array.from({ length: rows }, (_, i) => ({ t: first + 100 * i, speed }));
      });
      const nodes = nodesOf(selectedSignal(columnsOf(samples), {}), {
        highSpeedMmPerS: 5_500,
        metabolicPower: false,
      });
      if (nodes === null) return;
      const near = new Map(distancePeaks(nodes, 60).map(({ windowS, peak }) => [windowS, peak]));
      for (let windowS = 1; windowS <= 60; windowS++) {
        const all = byLookingAtAll(nodes, windowS);
        for (const peak of [peakOf(nodes, "distance", windowS), near.get(windowS) ?? null])
          expect(peak && { node: peak.node, amount: peak.amount }).toEqual(all);
      }
    }),
    { numRuns: 150, endOnFailure: true },
  );
});
