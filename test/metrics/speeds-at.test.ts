import { expect, it } from "vitest";
import { speedsAt } from "../../src/metrics/index.js";

/** Samples with times in ms and speeds in mm/s. */
const samplesOf = (...pairs: readonly (readonly [ms: number, mmPerS: number])[]) => ({
  length: pairs.length,
  timestampMs: Float64Array.from(pairs, ([ms]) => ms),
  speedMmPerS: Int32Array.from(pairs, ([, speed]) => speed),
  hr: new Uint8Array(pairs.length),
});

it("the speed at a time is interpolated between the samples around it", () => {
  const samples = samplesOf([1000, 2000], [1100, 3000], [1200, 2000]);
  expect([...speedsAt(samples, [1000, 1025, 1100, 1150, 1200])]).toEqual([2, 2.25, 3, 2.5, 2]);
});

it("there is no speed before the first sample, after the last, or between samples that are more than 1 s apart", () => {
  const samples = samplesOf([1000, 2000], [2000, 4000], [3001, 4000], [3100, 4000]);
  expect([...speedsAt(samples, [999, 1500, 2001, 3000, 3001, 3101])]).toEqual([
    Number.NaN,
    3,
    Number.NaN,
    Number.NaN,
    4,
    Number.NaN,
  ]);
  expect([...speedsAt(samplesOf(), [1000])]).toEqual([Number.NaN]);
});

it("samples without a speed are left out, and the samples and times may be in any order", () => {
  const samples = samplesOf([1400, 4000], [1000, 2000], [1200, -1], [1300, -1], [2600, -1], [2700, 1000]);
  expect([...speedsAt(samples, [1400, 1200, 1100, 2650])]).toEqual([4, 3, 2.5, Number.NaN]);
});
