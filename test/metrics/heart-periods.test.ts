import { expect, it } from "vitest";
import { computeMetrics, heartRatePeriods } from "../../src/metrics/index.js";

const START = 1_000_000;

/** Ten rows a second at 5 m/s, with a heart rate once a second; 0 for no heart rate. */
function run(...bpm: readonly number[]) {
  const length = bpm.length * 10;
  return {
    length,
    timestampMs: Float64Array.from({ length }, (_, i) => START + i * 100),
    speedMmPerS: new Int32Array(length).fill(5000),
    hr: Uint8Array.from({ length }, (_, i) => (i % 10 === 0 ? (bpm[i / 10] ?? 0) : 0)),
  };
}

const inSeconds = (samples: ReturnType<typeof run>, low: number, high: number) =>
  heartRatePeriods(samples, low, high).map(({ startMs, endMs }) => [
    (startMs - START) / 1000,
    (endMs - START) / 1000,
  ]);

it("a heart rate is in a range from its row to the next heart rate, and both limits are in the range", () => {
  const samples = run(149, 150, 160, 180, 181, 170);
  // to the last row, included
  expect(inSeconds(samples, 150, 180)).toEqual([
    [1, 4],
    [5, 5.901],
  ]);
  expect(inSeconds(samples, 182, 240)).toEqual([]);
});

it("a heart rate is valid for at most 5 s, and an impossible one does not count", () => {
  expect(inSeconds(run(160, 0, 0, 0, 0, 0, 0, 170, 20, 0), 150, 180)).toEqual([
    [0, 5],
    [7, 9.901],
  ]);
  expect(inSeconds(run(0, 0), 30, 240)).toEqual([]);
});

it("figures of the periods contain only their rows, and nothing between two of them", () => {
  const samples = run(160, 160, 140, 160, 160);
  const { total_distance, hr_min, time_per_speed_ranges } = computeMetrics(samples, {
    periods: heartRatePeriods(samples, 150, 180),
  });
  // twenty rows each, so nineteen intervals of 0.1 s
  expect(total_distance).toBe(2 * 19 * 0.5);
  expect(time_per_speed_ranges.reduce((sum, { duration }) => sum + duration, 0)).toBeCloseTo(3.8, 9);
  expect(hr_min).toBe(160);
  expect(computeMetrics(samples, { periods: heartRatePeriods(samples, 200, 210) }).total_distance).toBeNull();
});

it.each([
  [180, 150],
  [29, 150],
  [150, 241],
  [150.5, 160],
  [Number.NaN, 160],
])("the range from %s to %s is refused", (low, high) => {
  expect(() => heartRatePeriods(run(150), low, high)).toThrow(
    expect.objectContaining({ code: "BAD_OPTION", message: expect.stringContaining("30 to 240") }),
  );
});
