import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeSync } from "../../src/index.js";
import {
  checkRecipe,
  computeMetrics,
  computeRecipe,
  prepareSamples,
  RECIPES,
  type Recipe,
  type RecipeGate,
  recipeHash,
  recipeSensitivity,
} from "../../src/metrics/index.js";
import { fixture } from "../fixture-files.js";
import { thrown } from "../whole.js";
import { plantedReception } from "./figures/planted.js";
import { columnsOf, TEN_HZ_MS, type TestSample } from "./golden/sessions.js";

const sprint = RECIPES.find(({ name }) => name === "soccer/sprint")?.recipe as Recipe;
const gated = (gate: RecipeGate, recipe = sprint): Recipe => ({ ...recipe, gate });
const counted = (samples: Parameters<typeof computeRecipe>[0], gate: RecipeGate | null) => {
  const { count, distance, dropped } = computeRecipe(samples, { ...sprint, gate });
  return [count, distance, dropped.gate, dropped.gate_duration ?? null];
};

describe("a gate, on the recording with a sprint under a roof", () => {
  // fixtures/catalogue/reception.ts: rows 290 to 339 are under the roof; row 50 has the worst accuracy and PDOP, row 51 no satellite and
  // the worst PDOP
  const { samples } = decodeSync(fixture("valid/reception").bytes, { quality: true });

  it.each<[string, RecipeGate | null, readonly (number | null)[]]>([
    ["none: three sprints", null, [3, 72, 0, null]],
    ["six satellites", { min_satellites: 6 }, [2, 48, 51, 5.3]],
    ["an accuracy of 1 m/s", { max_speed_accuracy: 1000 }, [2, 48, 51, 5.3]],
    ["a PDOP below 6", { max_pdop_hundredths: 599 }, [2, 48, 52, 5.4]],
    [
      "all of them",
      { min_satellites: 6, max_speed_accuracy: 1000, max_pdop_hundredths: 599 },
      [2, 48, 52, 5.4],
    ],
    ["a limit that all rows reach", { min_satellites: 0 }, [3, 72, 0, 0]],
  ])("%s", (_, gate, expected) => {
    expect(counted(samples, gate)).toEqual(expected);
    expect(counted(prepareSamples(samples), gate)).toEqual(expected);
  });

  it("reports the dropped samples with each count, and with the table of sensitivity", () => {
    const dropped = { gate: 51, gate_duration: 5.3, too_fast: 0 };
    expect(computeRecipe(samples, gated({ min_satellites: 6 })).dropped).toEqual(dropped);
    expect(recipeSensitivity(samples, gated({ min_satellites: 6 })).dropped).toEqual(dropped);
    const cells = recipeSensitivity(samples, gated({ min_satellites: 6 })).rows.flatMap((row) => row.cells);
    expect(cells.map(({ count }) => count)).toEqual(cells.map(() => 2));
  });

  it("does not change figures without a gate", () => {
    const { quality: _, ...without } = samples;
    expect(computeMetrics(samples)).toEqual(computeMetrics(without));
    expect(computeRecipe(samples, sprint)).toEqual(computeRecipe(without, sprint));
  });
});

describe("dropped samples count as missing", () => {
  const GOOD = [12, 100, 150] as const;
  const BAD = [3, 100, 150] as const;
  const tenHertz = (count: number, isBad: (k: number) => boolean, speed = (_k: number) => 8000) =>
    columnsOf(
      Array.from(
        { length: count },
        (_, k): TestSample => ({ t: k * TEN_HZ_MS, speed: speed(k), quality: isBad(k) ? BAD : GOOD }),
      ),
    );
  const result = (samples: Parameters<typeof computeRecipe>[0], changes: Partial<Recipe> = {}) =>
    computeRecipe(samples, { ...sprint, gate: { min_satellites: 4 }, ...changes });

  it("a single missing sample does not divide a sprint, and its neighbours are connected", () => {
    const { runs, dropped } = result(tenHertz(41, (k) => k === 20));
    expect(runs.map(({ duration, distance }) => [duration, distance])).toEqual([[4, 32]]);
    expect(dropped).toEqual({ gate: 1, gate_duration: 0.2, too_fast: 0 });
  });

  it("the time of many missing samples is a gap, even with a few good samples in between", () => {
    // one of 15 is good: 1.5 s apart, in a recording of 10 Hz
    const { runs, dropped } = result(tenHertz(1100, (k) => k >= 100 && k < 1005 && k % 15 !== 0));
    expect(runs.map(({ start_time, duration }) => [start_time, duration])).toEqual([
      [0, 10.5],
      [100_500, 9.4],
    ]);
    expect(dropped).toMatchObject({ gate: 845, gate_duration: 90.6 });
  });

  it("the median that removes spikes uses the remaining samples", () => {
    const spikes = tenHertz(
      41,
      (k) => k === 20 || k === 21,
      (k) => (k === 20 || k === 21 ? 9900 : 3000),
    );
    expect(result(spikes, { enter: 3001, exit: 3001, min_ms: 0 }).count).toBe(0);
    expect(result(spikes, { enter: 3001, exit: 3001, min_ms: 0, gate: null }).count).toBe(1);
  });

  it("a sample that is also too fast is counted only by the gate", () => {
    const fast = tenHertz(
      41,
      (k) => k === 20,
      (k) => (k === 20 || k === 30 ? 20_000 : 3000),
    );
    expect(result(fast).dropped).toEqual({ gate: 1, gate_duration: 0.2, too_fast: 1 });
  });

  it("a sample of unknown quality does not pass any gate", () => {
    const samples = columnsOf(
      [0, 1, 2].map((k) => ({ t: k * TEN_HZ_MS, speed: 3000, quality: k === 1 ? [0, 0, 0] : [0, 0, 150] })),
    );
    expect(result(samples, { gate: { max_speed_accuracy: 5 } }).dropped.gate).toBe(1);
  });

  it("the quality of the first of several samples with the same time counts", () => {
    const twice = columnsOf([
      { t: 100, speed: 3000, quality: GOOD },
      { t: 0, speed: 3000, quality: GOOD },
      { t: 100, speed: 3000, quality: BAD },
      { t: 0, speed: 3000, quality: BAD },
      { t: 200, speed: 3000, quality: BAD },
    ]);
    expect(result(twice).dropped).toEqual({ gate: 1, gate_duration: 0.1, too_fast: 0 });
  });

  it("only samples dropped within the selected time are counted", () => {
    const samples = tenHertz(100, (k) => k % 10 === 0);
    const options = {
      from: 2000,
      periods: [
        { startMs: 0, endMs: 3000 },
        { startMs: 5000, endMs: 5500 },
      ],
    };
    expect(computeRecipe(samples, gated({ min_satellites: 4 }), options).dropped.gate).toBe(2);
  });

  it("accepts batches if each of them has the quality", () => {
    const half = tenHertz(41, (k) => k === 20);
    const later = { ...half, timestampMs: half.timestampMs.map((ms) => ms + 4100) };
    expect(result([half, later]).dropped).toEqual({ gate: 2, gate_duration: 0.4, too_fast: 0 });
    const { quality: _, ...without } = later;
    expect(() => result([half, without])).toThrow("recipe.gate needs satellites, speed accuracy and PDOP");
  });
});

describe("a gate on samples without quality is an error", () => {
  const samples = [0, 1, 2].map((k) => ({ t: k * TEN_HZ_MS, speed: 3000 }));

  it.each<[string, TestSample[]]>([
    ["without the columns", samples],
    ["all of them 0, as encode writes it", samples.map((sample) => ({ ...sample, quality: [0, 0, 0] }))],
  ])("%s", (_, wrong) => {
    for (const count of [computeRecipe, recipeSensitivity]) {
      expect(thrown(() => count(columnsOf(wrong), gated({ max_speed_accuracy: 300 })))).toMatchObject({
        code: "BAD_ARGUMENT",
        message:
          "recipe.gate needs satellites, speed accuracy and PDOP, which these samples do not contain. Use a recording of a receiver (in code, decode it with quality: true), or set recipe.gate to null.",
      });
    }
  });

  it("is not an error if there are no samples", () => {
    expect(computeRecipe([], gated({ min_satellites: 4 }))).toMatchObject({ count: 0, dropped: { gate: 0 } });
    expect(computeRecipe(columnsOf(samples), gated({ min_satellites: 4 }), { from: 9000 }).count).toBe(0);
  });

  it("invalid columns cause only their own error", () => {
    const short = { ...columnsOf(samples), quality: { satellites: new Uint8Array(2) } } as never;
    expect(thrown(() => computeRecipe(short, sprint))).toMatchObject({ code: "BAD_ARGUMENT" });
  });
});

describe("the gate of a recipe", () => {
  it("is part of its hash; null does not change the hash", () => {
    expect(recipeHash(sprint)).toBe("abc7392f77b6948b17ba870671cb8ce2777d484aeef4aaddb023f0cbc1bf1aa2");
    const hashes = [
      { min_satellites: 6 },
      { min_satellites: 7 },
      { max_speed_accuracy: 300 },
      { max_pdop_hundredths: 300 },
    ].map((gate) => recipeHash(gated(gate)));
    expect(new Set([...hashes, recipeHash(sprint)]).size).toBe(5);
  });

  it.each<[string, unknown, RegExp]>([
    ["without a limit", {}, /^recipe\.gate has no limit; give it min_satellites, .* or use null\.$/],
    ["with HDOP", { max_hdop_hundredths: 300 }, /max_hdop_hundredths/],
    [
      "with a fraction",
      { max_speed_accuracy: 0.3 },
      /recipe\.gate\.max_speed_accuracy is 0\.3; it must be an integer/,
    ],
    ["with too many satellites", { min_satellites: 256 }, /min_satellites is 256; .* from 0 to 255/],
  ])("%s is refused", (_, gate, message) => {
    expect(thrown(() => checkRecipe({ ...sprint, gate }))).toMatchObject({
      code: "BAD_OPTION",
      message: expect.stringMatching(message),
    });
  });
});

describe("the planted match with reception degraded by the generator", () => {
  const golden = JSON.parse(
    readFileSync(new URL("figures/expected/gates.json", import.meta.url), "utf8"),
  ) as { recipe: string; gate: RecipeGate; dropped: [number, number]; runs: [number, number][] }[];

  it.each(golden)(
    "$recipe with $gate: the result of the other program",
    ({ recipe, gate, dropped, runs }) => {
      const { recipe: named } = RECIPES.find(({ name }) => name === recipe) ?? { recipe: sprint };
      const result = computeRecipe(columnsOf(plantedReception()), gated(gate, named));
      expect([result.dropped.gate, result.dropped.gate_duration]).toEqual([dropped[0], dropped[1] / 1000]);
      expect(result.runs.map(({ start_time, duration }) => [start_time, duration])).toEqual(runs);
    },
  );
});
