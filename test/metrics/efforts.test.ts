import { describe, expect, it } from "vitest";
import { findEfforts } from "../../src/metrics/efforts.js";

/** A segment from instant 1000 at 10 Hz with the given accelerations in mm/s2, at a constant 2 m/s. */
const segment = (accelerations: readonly number[]) => ({
  startMs: 1000,
  speedMmPerS: Float64Array.from(accelerations, () => 2000),
  smoothMmPerS: Float64Array.from(accelerations, () => 2000),
  accelerationMmPerS2: Float64Array.from(accelerations),
});

const accelerationsOf = (...segments: readonly (readonly number[])[]) =>
  findEfforts(segments.map(segment), "accelerations", [2, 3]);

describe("efforts", () => {
  it("extend from the first to the last instant of at least 0.5 m/s2", () => {
    const { threshold_1 } = accelerationsOf([499, 500, 800, 2000, 2100, 800, 500, 499]);
    expect(threshold_1.values).toEqual([
      { start_time: 1100, max_value: 2.1, duration: 0.5, distance: 1, initial_speed: 2, end_speed: 2 },
    ]);
  });

  it("last at least 0.5 s", () => {
    expect(accelerationsOf([499, 500, 800, 2000, 2100, 500, 499]).threshold_1.values).toEqual([]);
  });

  it("are classified by the highest threshold that their peak reaches", () => {
    const withPeak = (peak: number) => [1000, 1000, 1000, peak, 1000, 1000, 1000];
    const { threshold_1, threshold_2 } = accelerationsOf(...[1999, 2000, 2999, 3000].map(withPeak));
    expect(threshold_1.values.map(({ max_value }) => max_value)).toEqual([2, 2.999]);
    expect(threshold_2.values.map(({ max_value }) => max_value)).toEqual([3]);
  });

  it("end before an instant above 9 m/s2, which belongs to no effort", () => {
    const side = [1000, 1000, 2500, 1000, 1000, 1000];
    const { threshold_1 } = accelerationsOf([...side, 9001, ...side]);
    expect(threshold_1.values.map(({ start_time, duration }) => [start_time, duration])).toEqual([
      [1000, 0.5],
      [1700, 0.5],
    ]);
    expect(accelerationsOf([...side, 9000, ...side]).threshold_2.values).toMatchObject([
      { max_value: 9, duration: 1.2 },
    ]);
  });

  it("end with the last instant of a segment, and read none after it", () => {
    const accelerations = [499, 500, 800, 2000, 2100, 800, 500];
    const read: string[] = [];
    const own = segment(accelerations);
    const watched = new Proxy(own.accelerationMmPerS2, {
      get: (values, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) read.push(key);
        return Reflect.get(values, key, values);
      },
    });
    const { threshold_1 } = findEfforts([{ ...own, accelerationMmPerS2: watched }], "accelerations", [2, 3]);
    expect(threshold_1.values).toMatchObject([{ start_time: 1100, duration: 0.5 }]);
    expect(read).toEqual(Object.keys(accelerations));
  });

  it("have negative peaks and positive thresholds in the other direction", () => {
    const falling = segment([-600, -600, -2345, -600, -600, -600]);
    const { threshold_1 } = findEfforts([falling], "decelerations", [2, 3]);
    expect(threshold_1).toMatchObject({ threshold: 2, values: [{ max_value: -2.345 }] });
  });
});
