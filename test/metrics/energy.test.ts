import { describe, expect, it } from "vitest";
import { computeMetrics, metabolicEstimate, metabolicSummary } from "../../src/metrics/index.js";
import { metabolicPower } from "../../src/metrics/metabolic-power.js";
import { CORPUS, committed, expected } from "./figures/corpus.js";
import { plantedMatch, plantedStep } from "./figures/planted.js";
import { columnsOf, tenHertz } from "./golden/sessions.js";

describe("metabolic power", () => {
  it("equals the result of floodlight (MIT: figures/licences/floodlight.txt) at each speed and acceleration", () => {
    const grid = expected<{ speed: number[]; acceleration: number[]; metabolic_power: number[][] }>(
      "upstream_floodlight_kinetics.json",
    );
    let compared = 0;
    grid.speed.forEach((speed, i) => {
      grid.acceleration.forEach((acceleration, j) => {
        const theirs = grid.metabolic_power[i]?.[j] ?? Number.NaN;
        expect(Math.abs(metabolicPower(speed, acceleration) - theirs)).toBeLessThanOrEqual(
          1e-12 * Math.max(1, Math.abs(theirs)),
        );
        compared++;
      });
    });
    expect(compared).toBe(grid.speed.length * grid.acceleration.length);
  });

  it("adds up to the energy of the independent program", () => {
    const golden =
      expected<Record<string, { energy_j_per_kg: number; equivalent_distance_m: number }>>(
        "peak_demands.json",
      );
    for (const [name, samples] of [
      ["planted_step.csv", plantedStep()],
      ["planted_match.csv", plantedMatch()],
    ] as const) {
      const own = metabolicEstimate(columnsOf(samples));
      expect(own.energy).toBeCloseTo((golden[name]?.energy_j_per_kg ?? 0) / 1000, 2);
      expect(own.equivalent_distance).toBeCloseTo(golden[name]?.equivalent_distance_m ?? 0, 1);
    }
  });

  it("adds up over the categories, and air resistance makes the index greater than 1 at a constant 4 m/s", () => {
    const samples = columnsOf(tenHertz(601, () => 4));
    const { energy, equivalent_distance_index, categories, caution } = metabolicEstimate(samples);
    // (39.5 ES + 3.6 e^(-4 ES)) sqrt(1 + ES^2) x 4 m/s with ES = 0.0037 x 16 / 9.80665: 15.0105 W/kg for 60 s, 1.0424 times 3.6 x 4
    expect(energy).toBe(0.9);
    expect(equivalent_distance_index).toBe(1.042);
    expect(categories.map(({ duration, distance }) => [duration, distance])).toEqual([
      [0, 0],
      [60, 240],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(caution).toMatch(/^Estimated from speed/);
    // 1.0424 x 240 m with one decimal is 250.2 m; 3.6 J/kg/m of it in 60 s
    expect(metabolicSummary(metabolicEstimate(samples))).toEqual({
      energy: 0.9,
      mean_power: 15.01,
      high_power_distance: 0,
    });
    const match = columnsOf(plantedMatch());
    const total = metabolicEstimate(match).categories.reduce((sum, { distance }) => sum + distance, 0);
    expect(Math.abs(total / (computeMetrics(match).total_distance ?? 1) - 1)).toBeLessThan(0.01);
  });

  it("is unknown below 5 Hz", () => {
    const slow = columnsOf([0, 1, 2].map((s) => ({ t: 1000 * s, speed: 3000 })));
    expect(metabolicEstimate(slow)).toMatchObject({
      energy: null,
      equivalent_distance: null,
      categories: [],
    });
  });

  it("is unknown without a stretch of 1 s, not 0", () => {
    const short = tenHertz(9, () => 4);
    const parts = [...short, ...short.map(({ t, speed }) => ({ t: t + 60_000, speed }))];
    const estimate = metabolicEstimate(columnsOf(parts));
    expect(estimate).toMatchObject({
      energy: null,
      equivalent_distance: null,
      equivalent_distance_index: null,
      categories: [],
    });
    expect(metabolicSummary(estimate)).toEqual({ energy: null, mean_power: null, high_power_distance: null });
  });

  it.skipIf(CORPUS === null)("the golden file in the repository equals that of the corpus", () => {
    expect(JSON.parse(committed("upstream_floodlight_kinetics.json"))).toEqual(
      expected("upstream_floodlight_kinetics.json"),
    );
  });

  it("has an index that covers only the time with a known energy, in a recording with two sampling rates", () => {
    const fast = [...Array(600).keys()].map((k) => ({ t: k * 100, speed: 3000 }));
    const slow = [...Array(60).keys()].map((k) => ({ t: 62_000 + k * 2000, speed: 3000 }));
    const index = (samples: typeof fast) => metabolicEstimate(columnsOf(samples)).equivalent_distance_index;
    expect(index([...fast, ...slow])).toBe(index(fast));
  });

  it("has one value for each player: mean power, and the distance at 20 W/kg or more", () => {
    const estimate = metabolicEstimate(columnsOf(plantedMatch()));
    const { energy, mean_power, high_power_distance } = metabolicSummary(estimate);
    const { categories } = estimate;
    const seconds = categories.reduce((sum, { duration }) => sum + duration, 0);
    expect(energy).toBe(estimate.energy);
    expect(mean_power).toBeCloseTo((1000 * (energy ?? 0)) / seconds, 2);
    expect(high_power_distance).toBeCloseTo(
      categories.slice(2).reduce((sum, { distance }) => sum + distance, 0),
      6,
    );
    const slow = metabolicEstimate(columnsOf([0, 1000, 2000].map((t) => ({ t, speed: 4000 }))));
    expect(metabolicSummary(slow)).toEqual({ energy: null, mean_power: null, high_power_distance: null });
  });
});
