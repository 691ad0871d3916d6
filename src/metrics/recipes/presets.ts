import { inThousandths } from "../parameters.js";
import { type MetricParameters, PRESETS, type PresetName } from "../presets.js";
import { constantRecipe } from "./canonical.js";
import type { Recipe } from "./recipe.js";

/** A recipe with a name and a readable title. */
export interface NamedRecipe {
  readonly name: string;
  /** A readable title. */
  readonly title: string;
  /** The source of the definition or of the limits; null for a choice of this project. */
  readonly source: string | null;
  readonly recipe: Recipe;
}

/** Sprints that are less than `merge_ms` apart are joined, and sprints shorter than `min_ms` do not count. */
const SPRINT = { min_ms: 1000, merge_ms: 500 };

type Common = Pick<
  Recipe,
  "recipe" | "source" | "gate" | "max_valid" | "gap" | "spike" | "standstill" | "rounding"
>;

function commonOf({ max_valid_speed, standstill_speed }: MetricParameters): Common {
  return {
    recipe: 1,
    source: "doppler_speed",
    gate: null,
    max_valid: inThousandths(max_valid_speed),
    gap: { min_ms: 1000, steps: 5 },
    spike: { type: "median", samples: 3 },
    standstill: inThousandths(standstill_speed),
    rounding: "half_up",
  };
}

/** Returns the recipe for runs of intervals at or above a speed in m/s. */
function speedRecipe(
  parameters: MetricParameters,
  speed: number,
  { min_ms, merge_ms }: { min_ms: number; merge_ms: number },
): Recipe {
  const limit = inThousandths(speed);
  return {
    ...commonOf(parameters),
    smooth: null,
    derivative: null,
    on: "interval_mean",
    enter: limit,
    exit: limit,
    min_ms,
    merge_ms,
  };
}

/** Returns the recipe for efforts with at least this peak in m/s2. */
function effortRecipe(parameters: MetricParameters, sign: 1 | -1, peak: number): Recipe {
  return {
    ...commonOf(parameters),
    resample_ms: 100,
    smooth: { type: "butterworth", order: 2, cutoff_mhz: 2000, zero_phase: true, corrected: true },
    derivative: { order: 1, type: "central" },
    on: "sample",
    sign,
    enter: 500,
    exit: 500,
    artefact: 9000,
    min_ms: 500,
    merge_ms: 0,
    peak_min: inThousandths(peak),
  };
}

function presetRecipes(preset: PresetName): NamedRecipe[] {
  const parameters = PRESETS[preset];
  const {
    sprint_threshold: sprint,
    hid_thresholds,
    acceleration_thresholds,
    deceleration_thresholds,
  } = parameters;
  const source = SOURCES[preset] ?? null;
  const named = (name: string, title: string, recipe: Recipe): NamedRecipe => ({
    name: `${preset}/${name}`,
    title,
    source,
    recipe,
  });
  return [
    named("sprint", `sprints of ${preset}, from ${sprint} m/s`, speedRecipe(parameters, sprint, SPRINT)),
    ...hid_thresholds.map((speed) =>
      named(
        `hid-${speed}`,
        `stretches at high intensity of ${preset}, from ${speed} m/s`,
        speedRecipe(parameters, speed, { min_ms: 0, merge_ms: 0 }),
      ),
    ),
    ...acceleration_thresholds.map((peak) =>
      named(
        `accelerations-${peak}`,
        `accelerations of ${preset} with a peak from ${peak} m/s2`,
        effortRecipe(parameters, 1, peak),
      ),
    ),
    ...deceleration_thresholds.map((peak) =>
      named(
        `decelerations-${peak}`,
        `decelerations of ${preset} with a peak from ${peak} m/s2`,
        effortRecipe(parameters, -1, peak),
      ),
    ),
  ];
}

const SOURCES: Readonly<Partial<Record<PresetName, string>>> = {
  soccer: "limits of the studies of men's football by Rampinini and Bradley",
  "soccer-women": "limits of Bradley and Vescovi 2015, IJSPP 10:112, and Appl Sci 2025, 15:5497",
  "soccer-fifa": "bands of FIFA's EPTS tests",
};

/** Published definitions of other providers. Their unpublished filters are unknown, so their software may count differently. */
const WORDED: readonly NamedRecipe[] = [
  {
    name: "statsports/sprint",
    title:
      "sprints as worded by STATSports: above the entry speed for 2 samples, then above the exit speed (here 100 % of it) for more than 1.0 s",
    source: "https://elitesupport.statsports.com/hc/en-us/articles/13326663967005",
    recipe: {
      ...commonOf(PRESETS.soccer),
      smooth: null,
      derivative: null,
      on: "sample",
      // "greater than" 7 m/s; in their system, the entry speed is a setting for each player
      enter: 7001,
      exit: 7001,
      confirm_samples: 2,
      // "more than" 1.0 s, their default
      min_ms: 1001,
      merge_ms: 0,
    },
  },
  {
    name: "spt/sprint-4.5",
    title: "sprints as worded by SPT: at 4.5 m/s and above for 1 s",
    source: "help pages of Sports Performance Tracking",
    recipe: speedRecipe(PRESETS.soccer, 4.5, { min_ms: 1000, merge_ms: 0 }),
  },
];

/** The presets, the most common one first. */
const FOOTBALL: readonly PresetName[] = ["soccer", "soccer-women", "soccer-fifa"];
const OTHERS = (Object.keys(PRESETS) as PresetName[]).filter((preset) => !FOOTBALL.includes(preset));

/** The recipes of the presets, which count like `computeMetrics`, and published definitions of other providers. */
export const RECIPES: readonly NamedRecipe[] = [
  ...FOOTBALL.flatMap(presetRecipes),
  ...WORDED,
  ...OTHERS.flatMap(presetRecipes),
].map((named) => ({ ...named, recipe: constantRecipe(named.recipe) }));
