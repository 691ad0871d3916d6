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

/** The same of the mean heart rates, compared by products. */
function byLookingAtAllRates({ heartRate, heartRateKnown: known, last }: Nodes, windowS: number) {
  let best: { node: number; amount: number; coveredMs: number } | null = null;
  for (let node = 0; node + 10 * windowS <= last; node++) {
    const amount = (heartRate[node + 10 * windowS] ?? 0) - (heartRate[node] ?? 0);
    const coveredMs = (known[node + 10 * windowS] ?? 0) - (known[node] ?? 0);
    if (coveredMs < 900 * windowS) continue;
    if (best === null || amount * best.coveredMs > best.amount * coveredMs)
      best = { node, amount, coveredMs };
  }
  return best;
}

it("the search finds the same windows of up to 10 min as an exhaustive search, for distances and heart rates", () => {
  const passage = fc.record({
    seconds: fc.integer({ min: 1, max: 400 }),
    speed: fc.constantFrom(-1, 0, 2_000, 2_000, 6_000),
    change: fc.constantFrom(0, 0, 7),
    bpm: fc.constantFrom(0, 90, 120, 120, 180),
    gapMs: fc.constantFrom(100, 100, 70_000),
  });
  const anyRecording = fc.tuple(
    fc.constantFrom(1, 5, 10, 25),
    fc.array(passage, { minLength: 1, maxLength: 8 }),
  );
  fc.assert(
    fc.property(anyRecording, ([rateHz, passages]) => {
      let t = 0;
      const samples = passages.flatMap(({ seconds, speed, change, bpm, gapMs }) => {
        const first = t + gapMs;
        t = first + 1000 * seconds;
        return Array.from({ length: seconds * rateHz }, (_, i) => ({
          t: first + (1000 / rateHz) * i,
          speed: speed + (speed > 0 ? change * (i % 50) : 0),
          hr: i % rateHz === 0 ? bpm : 0,
        }));
      });
      const nodes = nodesOf(selectedSignal(columnsOf(samples), {}), {
        highSpeedMmPerS: 5_500,
        metabolicPower: false,
      });
      if (nodes === null) return;
      const near = new Map(distancePeaks(nodes, 600).map(({ windowS, peak }) => [windowS, peak]));
      for (const windowS of [1, 6, 7, 25, 26, 102, 103, 300, 599, 600]) {
        const all = byLookingAtAll(nodes, windowS);
        for (const peak of [peakOf(nodes, "distance", windowS), near.get(windowS) ?? null])
          expect(peak && { node: peak.node, amount: peak.amount }).toEqual(all);
        expect(peakOf(nodes, "heart_rate", windowS)).toEqual(byLookingAtAllRates(nodes, windowS));
      }
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

it("the search finds the largest distances, and the earliest of equal ones, even with gaps and standing", () => {
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
