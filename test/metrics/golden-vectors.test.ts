import { describe, expect, it } from "vitest";
import { computeMetrics, type Metrics } from "../../src/metrics/index.js";
import { columnsOf, gaussianNoise, type TestSample, tenHertz } from "./golden/sessions.js";

// Expected figures were computed in advance, with scipy and in exact rationals, and not by the code under test.

const MINUTES_90 = 54_000;

function computeSoccer(samples: readonly TestSample[]): Metrics {
  return computeMetrics(columnsOf(samples), { preset: "soccer" });
}

/** Rest for 5 s, an acceleration, constant speed, a deceleration, and rest for 5 s. Accelerations in m/s2, speed in m/s. */
function trapezoid(up: number, top: number, holdSeconds: number, down: number) {
  const holdFrom = 5 + top / up;
  const downFrom = holdFrom + holdSeconds;
  return (s: number) => {
    if (s < 5) return 0;
    if (s < holdFrom) return up * (s - 5);
    if (s < downFrom) return top;
    return Math.max(0, top - down * (s - downFrom));
  };
}

const distancesOf = (data: Metrics) => data.distance_per_speed_ranges.map(({ distance }) => distance);

describe("the golden vectors of the definition", () => {
  it("A: counts a 2.5 m/s2 start as acceleration and a 3.5 m/s2 stop as hard deceleration", () => {
    const data = computeSoccer(tenHertz(235, trapezoid(2.5, 5, 10, 3.5)));
    expect(data.total_distance).toBe(58.558);
    expect(data.accelerations).toEqual({
      threshold_1: {
        threshold: 2,
        values: [
          { start_time: 5000, max_value: 2.596, duration: 2, distance: 5, initial_speed: 0, end_speed: 5 },
        ],
      },
      threshold_2: { threshold: 3, values: [] },
    });
    expect(data.decelerations).toEqual({
      threshold_1: { threshold: 2, values: [] },
      threshold_2: {
        threshold: 3,
        values: [
          {
            start_time: 17000,
            max_value: -3.634,
            duration: 1.5,
            distance: 3.575,
            initial_speed: 5,
            end_speed: 0,
          },
        ],
      },
    });
    expect(distancesOf(data)).toEqual([1.275, 4.14, 53.143, 0, 0]);
    expect(data.hid.threshold_1.values).toMatchObject([
      { start_time: 6600, duration: 10.7, distance: 53.143 },
    ]);
    expect(data.hid.threshold_2.values).toEqual([]);
    expect(data.sprint.threshold_1.values).toEqual([]);
  });

  it("B: counts a run to 8 m/s as one sprint between two hard changes of speed", () => {
    const data = computeSoccer(tenHertz(181, trapezoid(4, 8, 4, 4)));
    expect(data.total_distance).toBe(48);
    expect(data.accelerations.threshold_1.values).toEqual([]);
    expect(data.accelerations.threshold_2.values).toMatchObject([
      { max_value: 4.153, duration: 2, distance: 8 },
    ]);
    expect(data.decelerations.threshold_1.values).toEqual([]);
    expect(data.decelerations.threshold_2.values).toMatchObject([
      { max_value: -4.153, duration: 2, distance: 8 },
    ]);
    expect(data.sprint.threshold_1.values).toEqual([
      { start_time: 6700, duration: 4.6, max_value: 8, distance: 36.44 },
    ]);
    expect(distancesOf(data)).toEqual([1, 3, 3.84, 3.72, 36.44]);
    expect(data.hid.threshold_1.values).toMatchObject([{ start_time: 6000, duration: 6, distance: 44 }]);
    expect(data.hid.threshold_2.values).toMatchObject([{ start_time: 6400, duration: 5.2, distance: 40.16 }]);
  });

  it("C: counts no effort when speed changes at 1.5 m/s2", () => {
    const data = computeSoccer(tenHertz(231, trapezoid(1.5, 6, 5, 1.5)));
    expect(data.total_distance).toBe(53.985);
    for (const efforts of [data.accelerations, data.decelerations]) {
      expect([...efforts.threshold_1.values, ...efforts.threshold_2.values]).toEqual([]);
    }
    expect(data.sprint.threshold_1.values).toEqual([]);
    expect(distancesOf(data)).toEqual([2.52, 8.4, 9.6, 33.465, 0]);
  });

  // The peak 5.881 (5.88055) is for the unrounded curve; for speeds rounded to mm/s, scipy's filtfilt returns 5.88164.
  it("D: finds the acceleration and the sprint of an exponential start", () => {
    const data = computeSoccer(tenHertz(120, (s) => (s < 3 ? 0 : 8.5 * (1 - Math.exp(-(s - 3) / 1.3)))));
    expect(data.accelerations.threshold_1.values).toEqual([]);
    expect(data.accelerations.threshold_2.values).toEqual([
      {
        start_time: 2900,
        max_value: 5.882,
        duration: 3.4,
        distance: 17.868,
        initial_speed: 0,
        end_speed: 7.829,
      },
    ]);
    expect(data.sprint.threshold_1.values).toMatchObject([
      { start_time: 5300, duration: 6.6, distance: 54.227 },
    ]);
  });

  it("E: finds no effort in 90 minutes at 3 m/s with noise, and 16.2 km within 0.05 %", () => {
    const noise = gaussianNoise(1);
    const data = computeSoccer(tenHertz(MINUTES_90, () => 3 + 0.05 * noise()));
    for (const efforts of [data.accelerations, data.decelerations]) {
      expect([...efforts.threshold_1.values, ...efforts.threshold_2.values]).toEqual([]);
    }
    expect(Math.abs((data.total_distance ?? 0) / 16_200 - 1)).toBeLessThan(0.0005);
  });

  it("F: measures less than 1 m in 90 minutes of standing still, although the raw noise adds up to 344 m", () => {
    const noise = gaussianNoise(2);
    const samples = tenHertz(MINUTES_90, () => Math.abs(0.08 * noise()));
    const rawMetres = samples.reduce((sum, { speed }) => sum + speed / 10_000, 0);
    expect(rawMetres).toBeGreaterThan(330);
    expect(computeSoccer(samples).total_distance).toBeLessThan(1);
  });

  it("G: counts nothing across a gap of 2.1 s", () => {
    const samples = tenHertz(221, () => 6).filter((_, k) => k <= 100 || k >= 121);
    const data = computeSoccer(samples);
    expect(data.total_distance).toBe(119.4);
    for (const { values } of [data.hid.threshold_1, data.hid.threshold_2]) {
      expect(values.map(({ distance }) => distance)).toEqual([60, 59.4]);
    }
  });
});
