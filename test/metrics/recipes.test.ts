import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { butterworth, TWO_HZ } from "../../src/metrics/butterworth.js";
import { computeMetrics, PRESETS, type PresetName } from "../../src/metrics/index.js";
import {
  canonicalRecipe,
  checkRecipe,
  compareRecipes,
  computeRecipe,
  RECIPES,
  type Recipe,
  recipeHash,
  recipeSensitivity,
} from "../../src/metrics/recipes/index.js";
import { sha256 } from "../../src/metrics/recipes/sha256.js";
import { CORPUS, committed, expected, rowsOf } from "./figures/corpus.js";
import { plantedMatch } from "./figures/planted.js";
import { matchFrame, matchSamples } from "./golden/match.js";
import { columnsOf, TEN_HZ_MS, tenHertz } from "./golden/sessions.js";

function recipeNamed(name: string): Recipe {
  const found = RECIPES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no recipe ${name}`);
  return found.recipe;
}

describe("a recipe has one text and one hash", () => {
  const golden =
    expected<Record<string, { json: Recipe; canonical: string; sha256: string }>>("recipes.json");

  it.each(Object.keys(golden))("equal to those of the independent program: %s", (name) => {
    const { json, canonical, sha256: hash } = golden[name] ?? { json: undefined };
    expect(recipeNamed(name)).toEqual(json);
    expect(canonicalRecipe(recipeNamed(name))).toBe(canonical);
    expect(recipeHash(recipeNamed(name))).toBe(hash);
  });

  it.skipIf(CORPUS === null)("the goldens in the repository are those of the corpus", () => {
    for (const name of ["recipes.json", "sensitivity.json"]) {
      expect(JSON.parse(committed(name))).toEqual(expected(name));
    }
  });

  it("independent of the order of its keys", () => {
    const reversed = Object.fromEntries(Object.entries(recipeNamed("soccer/sprint")).reverse());
    expect(recipeHash(reversed as unknown as Recipe)).toBe(recipeHash(recipeNamed("soccer/sprint")));
  });

  it("the same SHA-256 as in Node.js, for texts of any length", () => {
    for (let length = 0; length < 200; length++) {
      const text = "aé€😀".repeat(60).slice(0, length);
      expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
    }
  });

  it("names in the list are unique", () => {
    expect(new Set(RECIPES.map(({ name }) => name)).size).toBe(RECIPES.length);
  });
});

describe("the recipe of a preset counts what computeMetrics counts", () => {
  const samples = columnsOf(matchSamples(1, 0));
  const { from, to, periods } = matchFrame(null);

  it.each(Object.keys(PRESETS) as PresetName[])("%s", (preset) => {
    const metrics = computeMetrics(samples, { preset, from, to, periods });
    const countOf = (name: string) =>
      computeRecipe(samples, recipeNamed(`${preset}/${name}`), { from, to, periods });
    const { hid_thresholds, acceleration_thresholds, deceleration_thresholds } = PRESETS[preset];

    const sprints = countOf("sprint");
    expect(sprints.runs).toEqual(metrics.sprint.threshold_1.values);
    expect(sprints.distance).toBe(metrics.sprint_distance);
    expect(sprints.dropped.too_fast).toBe(metrics.too_fast.samples);
    const stretches = countOf(`hid-${hid_thresholds[1]}`);
    expect(stretches.runs).toEqual(metrics.hid.threshold_2.values);
    expect(stretches.distance).toBe(metrics.hid_distance.threshold_2);
    for (const [name, efforts, [low, high]] of [
      ["accelerations", metrics.accelerations, acceleration_thresholds],
      ["decelerations", metrics.decelerations, deceleration_thresholds],
    ] as const) {
      const all = [...efforts.threshold_1.values, ...efforts.threshold_2.values].sort(
        (a, b) => a.start_time - b.start_time,
      );
      expect(countOf(`${name}-${low}`).runs).toEqual(
        all.map(({ start_time, duration, max_value, distance }) => ({
          start_time,
          duration,
          max_value,
          distance,
        })),
      );
      expect(countOf(`${name}-${high}`).count).toBe(efforts.threshold_2.values.length);
    }
  });

  it("including a recording with two sampling rates", () => {
    const times = [...Array(600).keys()].map((k) => k * 100);
    const slow = [...Array(60).keys()].map((k) => 62_000 + k * 2000);
    const two = columnsOf([...times, ...slow].map((t, k) => ({ t, speed: k % 40 < 20 ? 1000 : 7000 })));
    const { accelerations } = computeMetrics(two, { preset: "soccer" });
    const count = accelerations.threshold_1.values.length + accelerations.threshold_2.values.length;
    expect(computeRecipe(two, recipeNamed("soccer/accelerations-2")).count).toBe(count);
  });

  it("with the same digits as the filter named in the definition", () => {
    expect(butterworth(2, 10, true)).toEqual(TWO_HZ);
  });
});

describe("the keys of a recipe", () => {
  const sprint = recipeNamed("soccer/sprint");
  const countOf = (speeds: readonly number[], changes: Partial<Recipe>) =>
    computeRecipe(
      columnsOf(tenHertz(speeds.length, (_, k) => speeds[k] ?? 0)),
      { ...sprint, on: "sample", min_ms: 0, merge_ms: 0, ...changes },
      {},
    ).runs.map(({ start_time, duration }) => [start_time, duration]);
  const still = [0, 0, 0];

  it("a run ends below the exit speed, not below the entry speed", () => {
    const speeds = [...still, 7, 7, 7, 6, 6, 6, 5, 5, ...still];
    expect(countOf(speeds, {})).toEqual([[300, 0.2]]);
    expect(countOf(speeds, { exit: 6000 })).toEqual([[300, 0.5]]);
  });

  it("a run begins only after a number of samples at the entry speed", () => {
    const speeds = [...still, 7, 7, 6, 6, 7, 7, 7, ...still];
    expect(countOf(speeds, { exit: 6000, confirm_samples: 3 })).toEqual([[700, 0.2]]);
    expect(countOf(speeds, { exit: 6000, confirm_samples: 2 })).toEqual([[300, 0.6]]);
  });

  it("runs are joined before short ones are dropped", () => {
    const speeds = [...still, 7, 7, 7, 0, 0, 7, 7, 7, ...still];
    expect(countOf(speeds, { min_ms: 600 })).toEqual([]);
    expect(countOf(speeds, { min_ms: 600, merge_ms: 301 })).toEqual([[300, 0.7]]);
    expect(countOf(speeds, { min_ms: 600, merge_ms: 300 })).toEqual([]);
  });

  it("a derivative requires 5 samples per second; otherwise, the result is unknown", () => {
    const slow = columnsOf([0, 1, 2, 3].map((s) => ({ t: 1000 * s, speed: 3000 })));
    const result = computeRecipe(slow, recipeNamed("soccer/accelerations-3"));
    expect([result.count, result.distance, result.runs]).toEqual([null, null, []]);
  });

  it("the definition of STATSports requires more than 7 m/s for more than 1.0 s", () => {
    const worded = recipeNamed("statsports/sprint");
    const at = (speed: number, count: number) =>
      computeRecipe(columnsOf(tenHertz(count, () => speed)), worded).count;
    expect([at(7, 30), at(7.001, 11), at(7.001, 12)]).toEqual([0, 0, 1]);
  });

  it("recipes are compared key by key", () => {
    expect(compareRecipes([recipeNamed("soccer/sprint"), recipeNamed("spt/sprint-4.5")])).toEqual([
      { key: "enter", values: [7000, 4500] },
      { key: "exit", values: [7000, 4500] },
      { key: "merge_ms", values: [500, 0] },
    ]);
    expect(compareRecipes([sprint, sprint])).toEqual([]);
  });
});

describe("an invalid recipe is refused with the name of the invalid key", () => {
  const sprint = recipeNamed("soccer/sprint");
  const acceleration = recipeNamed("soccer/accelerations-2");
  it.each<[string, unknown, RegExp]>([
    ["not an object", 7, /recipe is 7; it must be an object/],
    ["a list", [], /recipe is an array; it must be an object/],
    ["another version", { ...sprint, recipe: 2 }, /recipe\.recipe is 2; it must be 1/],
    ["a misspelt key", { ...sprint, mergems: 5 }, /mergems.*did you mean merge_ms/],
    ["a missing key", { ...sprint, gap: { min_ms: 5 } }, /recipe\.gap\.steps is missing/],
    ["a fraction", { ...sprint, enter: 7.5 }, /recipe\.enter is 7\.5; it must be an integer from 1/],
    ["an exit above the entry speed", { ...sprint, exit: 7100 }, /recipe\.exit is 7100; it must be at most/],
    [
      "smoothing without steps",
      { ...acceleration, resample_ms: undefined },
      /recipe\.resample_ms is undefined/,
    ],
    [
      "a cut-off above half of the rate",
      { ...acceleration, smooth: { ...acceleration.smooth, cutoff_mhz: 5000 } },
      /cutoff_mhz is 5000; it must be below half/,
    ],
    [
      "an even mean",
      { ...acceleration, smooth: { type: "mean", samples: 4 } },
      /samples is 4; it must be odd/,
    ],
    ["a sign without a derivative", { ...sprint, sign: -1 }, /recipe\.sign has an effect only/],
    ["a low artefact", { ...acceleration, artefact: 400 }, /recipe\.artefact is 400/],
  ])("%s", (_, recipe, message) => {
    expect(() => checkRecipe(recipe)).toThrow(message);
  });
});

describe("the table of sensitivity", () => {
  /** A recipe for each row of the table. It differs from all presets, and counts runs of samples without joining and standing. */
  const speedRuns = (enter: number): Recipe => {
    const { standstill: _, ...rest } = recipeNamed("soccer/sprint");
    return { ...rest, max_valid: 100_000, on: "sample", enter, exit: enter, min_ms: 0, merge_ms: 0 };
  };
  const accelerationRuns = (enter: number, sign: 1 | -1): Recipe => {
    const { peak_min: _, ...rest } = recipeNamed("soccer/accelerations-2");
    return { ...rest, max_valid: 100_000, sign, enter, exit: enter, min_ms: 0 };
  };
  const COLUMNS: Record<string, Recipe> = {
    sprint_7: speedRuns(7000),
    "hsr_5.5": speedRuns(5500),
    acc_2: accelerationRuns(2000, 1),
    acc_3: accelerationRuns(3000, 1),
    dec_3: accelerationRuns(3000, -1),
  };
  const FILTERS: Record<string, string> = {
    none: "none",
    "median of 3": "median 3",
    "mean of 0.5 s": "mean 0.5 s",
    "Butterworth 2 Hz": "Butterworth 2 Hz",
    "Butterworth 1 Hz": "Butterworth 1 Hz",
  };

  it("is refused for more than 72 hours of equal steps, which are all held in memory", () => {
    const rowEvery4Min = (hours: number) =>
      columnsOf([...Array(15 * hours + 1).keys()].map((k) => ({ t: k * 240_000, speed: 3000 })));
    expect(recipeSensitivity(rowEvery4Min(72), recipeNamed("soccer/sprint")).rows).toHaveLength(5);
    expect(() => recipeSensitivity(rowEvery4Min(73), recipeNamed("soccer/sprint"))).toThrow(
      "The samples cover 73 hours; a recipe with a value every 100 ms is computed for at most 72. Select a part with from and to.",
    );
    expect(computeRecipe(rowEvery4Min(73), recipeNamed("soccer/sprint")).count).toBe(0);
  });

  /** The counts of each definition for each filter and dwell time, named as by the independent program. */
  function countsOf(speeds: readonly number[]): Record<string, Record<string, number | null>> {
    const samples = columnsOf(speeds.map((speed, k) => ({ t: k * TEN_HZ_MS, speed })));
    const counted: Record<string, Record<string, number | null>> = {};
    for (const [column, recipe] of Object.entries(COLUMNS)) {
      for (const { filter, cells } of recipeSensitivity(samples, recipe).rows) {
        for (const { min_ms, count } of cells) {
          const key = `${FILTERS[filter]}, dwell ${(min_ms / 1000).toFixed(1)} s`;
          counted[key] = { ...counted[key], [column]: count };
        }
      }
    }
    return counted;
  }
  const golden = expected<Record<string, Record<string, Record<string, number>>>>("sensitivity.json");

  it("equals that of the independent program, for the planted match without its gaps", () => {
    expect(countsOf(plantedMatch().map(({ speed }) => speed))).toEqual(
      golden["planted_match.csv (gaps closed up)"],
    );
  });

  it.skipIf(CORPUS === null)("equals that of the independent program, for the session of critspeed", () => {
    const rows = rowsOf(`${CORPUS}data/critspeed_sessionRaw_speed.csv`);
    const counts = countsOf(rows.map(([speed = 0]) => Math.floor(1000 * speed + 0.5)));
    const theirs = golden["aaronzpearson/critspeed sessionRaw (fabricated game, 10 Hz)"] ?? {};
    expect(Object.keys(counts).sort()).toEqual(Object.keys(theirs).sort());
    for (const [row, { sprint_7, "hsr_5.5": highSpeed, ...accelerations }] of Object.entries(theirs)) {
      expect(counts[row]).toMatchObject({ sprint_7, "hsr_5.5": highSpeed });
      // its speeds have micrometres a second: without a filter and a dwell time, 10,000 counts differ by 25
      for (const [column, count] of Object.entries(accelerations))
        expect(Math.abs((counts[row]?.[column] ?? 0) - count)).toBeLessThanOrEqual(
          Math.max(1, 0.0025 * count),
        );
    }
  });

  it("marks the cell of the recipe itself, whose count is that of the recipe", () => {
    const samples = columnsOf(matchSamples(1, 0));
    const ours: Recipe = { ...recipeNamed("soccer/sprint"), gap: { min_ms: 2000, steps: 3 }, min_ms: 700 };
    const ownFilter: Recipe = { ...ours, resample_ms: 50, smooth: { type: "mean", samples: 9 } };
    const named = ["soccer/sprint", "soccer/accelerations-3", "statsports/sprint"].map(recipeNamed);
    for (const recipe of [...named, ours, ownFilter]) {
      const { count, distance, hash } = computeRecipe(samples, recipe);
      const cells = recipeSensitivity(samples, recipe).rows.flatMap((row) => row.cells);
      expect(cells.filter(({ is_recipe }) => is_recipe)).toEqual([
        { min_ms: recipe.min_ms, count, distance, hash, is_recipe: true },
      ]);
    }
  });
});
