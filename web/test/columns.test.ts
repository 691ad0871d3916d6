import { gapsAfter } from "asi-convert/metrics";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsIn } from "../src/plots/columns.js";
import { buildPyramid, extentOf } from "../src/plots/pyramid.js";

/** Values 100 ms apart. */
function pyramidOf(values: number[], gapMs = 1000, times = values.map((_, i) => i * 100)) {
  const timesMs = Float64Array.from(times);
  const gaps = gapsAfter(timesMs, { minMs: gapMs, steps: 0 });
  return buildPyramid({ timesMs, values: Int32Array.from(values), gapsAfter: new Set(gaps) });
}

describe("a pyramid", () => {
  it("returns the same minimum and maximum of any part as a search through all values", () => {
    const part = fc
      .array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 3000 })
      .chain((values) => fc.tuple(fc.constant(values), fc.nat(values.length - 1), fc.nat(values.length - 1)));
    fc.assert(
      fc.property(part, ([values, one, other]) => {
        const from = Math.min(one, other);
        const to = Math.max(one, other) + 1;
        const read = values.slice(from, to);
        const extent = extentOf(pyramidOf(values), from, to);
        expect(extent?.minimum).toBe(Math.min(...read));
        expect(extent?.maximum).toBe(Math.max(...read));
        expect(extent?.mean).toBeCloseTo(read.reduce((sum, value) => sum + value, 0) / read.length, 6);
      }),
    );
  });
});

describe("columns of a plot", () => {
  const numbers = Array.from({ length: 50_000 }, (_, i) => (i === 31_234 ? 9000 : i % 70));

  it("preserve a single peak among many values", () => {
    const { maximum, timesMs } = columnsIn(pyramidOf(numbers), { startMs: 0, stopMs: 4_999_900 }, 500);
    expect(maximum.filter((value) => value === 9000)).toHaveLength(1);
    expect(timesMs.length).toBeLessThanOrEqual(502);
  });

  it("equal the values if there are few", () => {
    const { mean, timesMs } = columnsIn(pyramidOf(numbers), { startMs: 1000, stopMs: 2000 }, 500);
    expect(timesMs.slice(1)).toEqual([1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2000]);
    expect(mean.slice(1)).toEqual(numbers.slice(10, 21));
  });

  it("are interrupted by a gap at any zoom", () => {
    const times = numbers.map((_, i) => i * 100 + (i >= 20_000 ? 600_000 : 0));
    const pyramid = pyramidOf(numbers, 1000, times);
    const far = columnsIn(pyramid, { startMs: 0, stopMs: 5_600_000 }, 500);
    const near = columnsIn(pyramid, { startMs: 1_999_000, stopMs: 2_601_000 }, 500);
    for (const { mean } of [far, near]) expect(mean.filter((value) => value === null)).toHaveLength(1);
  });

  it("are in ascending order of time", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5000), { minLength: 2, maxLength: 400 }),
        fc.integer({ min: 1, max: 90 }),
        (steps, pixels) => {
          let ms = 0;
          const times = steps.map((step) => {
            ms += step;
            return ms;
          });
          const window = { startMs: times[0] ?? 0, stopMs: ms };
          const { timesMs } = columnsIn(pyramidOf(steps, 1000, times), window, pixels);
          for (const [i, at] of timesMs.entries()) expect(at).toBeGreaterThanOrEqual(timesMs[i - 1] ?? at);
        },
      ),
    );
  });
});
