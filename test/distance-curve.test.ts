import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeMetrics, distanceCurve } from "../src/metrics/index.js";

describe("a distance curve", () => {
  it("ends at the total distance of the metrics, and never decreases", () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: 1, max: 4000 }), fc.integer({ min: -1, max: 12_000 })), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(rows, (steps) => {
        let ms = 1.7e12;
        const samples = {
          length: steps.length,
          timestampMs: Float64Array.from(steps, ([step]) => {
            ms += step;
            return ms;
          }),
          speedMmPerS: Int32Array.from(steps, ([, speed]) => speed),
          hr: new Uint8Array(steps.length),
        };
        const { timestampMs, distanceM } = distanceCurve(samples);
        expect(distanceM.length).toBe(timestampMs.length);
        for (const [i, metres] of distanceM.entries())
          expect(metres).toBeGreaterThanOrEqual(distanceM[i - 1] ?? 0);
        const { total_distance } = computeMetrics(samples);
        expect(Math.abs((distanceM.at(-1) ?? 0) - (total_distance ?? 0))).toBeLessThanOrEqual(0.01);
      }),
    );
  });

  it("adds nothing while the athlete stands still, or across a gap", () => {
    const speeds = [
      ...Array<number>(10).fill(50),
      ...Array<number>(11).fill(2000),
      ...Array<number>(10).fill(2000),
    ];
    const timestampMs = Float64Array.from(speeds, (_, i) => i * 100 + (i >= 21 ? 60_000 : 0));
    const samples = { length: 31, timestampMs, speedMmPerS: Int32Array.from(speeds), hr: new Uint8Array(31) };
    const { distanceM } = distanceCurve(samples);
    expect(distanceM[9]).toBe(0);
    expect(distanceM[21]).toBe(distanceM[20]);
    expect(distanceM.at(-1)).toBeCloseTo(0.1 + 2 + 1.8, 1);
  });
});
