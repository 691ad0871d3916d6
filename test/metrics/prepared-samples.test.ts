/** Figures with shared intermediate results are the same as figures without. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  accelerationSpeedProfile,
  computeMetrics,
  computeRecipe,
  distanceCurve,
  type MetricSamples,
  type MetricsOptions,
  metabolicEstimate,
  peakDemands,
  prepareSamples,
  RECIPES,
  recipeSensitivity,
  sessionMaxSpeed,
} from "../../src/metrics/index.js";
import { plantedMatch } from "./figures/planted.js";
import { columnsOf, type TestSample } from "./golden/sessions.js";

type Samples = MetricSamples | MetricSamples[];

const recipes = RECIPES.filter(({ name }) => name.startsWith("soccer/") || name.startsWith("statsports/"));

/** All figures of speed, one after the other, for the whole session and for a part. */
function everything(samples: Samples, part: MetricsOptions): unknown[] {
  // the options differ in one value: results cached for one must not be used for the other
  const choices = [{}, part, { params: { standstill_speed: 1 } }, { params: { max_valid_speed: 9 } }];
  return choices.flatMap((options: MetricsOptions) => {
    const { from, to, periods } = options;
    return [
      computeMetrics(samples, options),
      peakDemands(samples, { ...options, metabolicPower: true }),
      metabolicEstimate(samples, options),
      sessionMaxSpeed(samples, options),
      distanceCurve(samples, options),
      accelerationSpeedProfile([samples], { maxSpeed: 9, params: options.params }),
      ...recipes.flatMap(({ recipe }) => [
        computeRecipe(samples, recipe, { from, to, periods }),
        recipeSensitivity(samples, recipe, { from, to, periods }),
      ]),
    ];
  });
}

describe("prepared samples", () => {
  it("return the same figures of a match as the samples, the first time and again", () => {
    const samples = columnsOf(plantedMatch().slice(0, 12_000));
    const first = samples.timestampMs[0] ?? 0;
    const part = {
      from: first + 60_000,
      periods: [
        { startMs: first + 500_000, endMs: Number.POSITIVE_INFINITY },
        { startMs: first, endMs: first + 300_050 },
      ],
    };
    const alone = everything(samples, part);
    const prepared = prepareSamples(samples);
    expect(everything(prepared, part)).toEqual(alone);
    expect(everything(prepared, part)).toEqual(alone);
  });

  it("return the same figures for any samples: in several batches, with gaps, with repetitions, and unordered", () => {
    const sample = fc.record({
      t: fc.integer({ min: 0, max: 400 }).map((step) => step * 50),
      speed: fc.integer({ min: -1, max: 14_000 }),
      hr: fc.integer({ min: 0, max: 255 }),
    }) satisfies fc.Arbitrary<TestSample>;
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 300 }), fc.integer({ min: 0, max: 300 }), (samples, at) => {
        const batches = [samples.slice(0, at), samples.slice(at)].map((batch) => columnsOf(batch));
        const part = { from: 2_000, to: 15_000 };
        expect(everything(prepareSamples(batches) as MetricSamples, part)).toEqual(everything(batches, part));
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it("are in order, and prepared once", () => {
    const samples = columnsOf([
      { t: 200, speed: 2 },
      { t: 100, speed: 1 },
    ]);
    const prepared = prepareSamples(samples);
    expect([...prepared.timestampMs]).toEqual([100, 200]);
    expect(prepareSamples(prepared)).toBe(prepared);
  });

  it("are not kept unless requested, because columns can change between two calls", () => {
    const samples = columnsOf(Array.from({ length: 50 }, (_, i) => ({ t: i * 100, speed: 3_000 })));
    expect(computeMetrics(samples).max_speed).toBe(3);
    samples.speedMmPerS.fill(4_000);
    expect(computeMetrics(samples).max_speed).toBe(4);
  });
});
