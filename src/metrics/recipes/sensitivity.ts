import type { MetricSamples } from "../samples.js";
import { recipeHash } from "./canonical.js";
import { checkRecipe } from "./check.js";
import { type RecipeDropped, type RecipeOptions, resultOf, selectedSamples, seriesOf } from "./count.js";
import type { Recipe, RecipeSmoothing } from "./recipe.js";

/** Minimum durations in the table, ms, in addition to the minimum duration of the recipe. */
export const SENSITIVITY_DWELL_MS: readonly number[] = [0, 300, 500, 1000];

const STEP_MS = 100;
const MEDIAN = { type: "median", samples: 3 } as const;

function butterworthAt(cutoff_mhz: number): RecipeSmoothing {
  return { type: "butterworth", order: 2, cutoff_mhz, zero_phase: true, corrected: true };
}

/** Filters in the table: the removal of spikes, and the smoothing of the speed. */
const FILTERS: readonly { name: string; spike: boolean; smooth: RecipeSmoothing | null }[] = [
  { name: "none", spike: false, smooth: null },
  { name: "median of 3", spike: true, smooth: null },
  { name: "mean of 0.5 s", spike: true, smooth: { type: "mean", samples: 5 } },
  { name: "Butterworth 2 Hz", spike: true, smooth: butterworthAt(2000) },
  { name: "Butterworth 1 Hz", spike: true, smooth: butterworthAt(1000) },
];

/** A row of the table: one filter, with every minimum duration. */
export interface SensitivityRow {
  readonly filter: string;
  readonly cells: readonly {
    /** Minimum duration, ms. */
    readonly min_ms: number;
    readonly count: number | null;
    /** m */
    readonly distance: number | null;
    /** Hash of the recipe that differs only in these two choices. */
    readonly hash: string;
    /** Whether this cell is the recipe itself. */
    readonly is_recipe: boolean;
  }[];
}

/** The effect of two choices on the count of a recipe. */
export interface Sensitivity {
  readonly hash: string;
  readonly rows: readonly SensitivityRow[];
  /** Dropped samples, which are the same for each cell. */
  readonly dropped: RecipeDropped;
}

/**
 * Counts with variants of a recipe that have other filters and other minimum durations; all other keys are unchanged. One cell is
 * the recipe itself.
 *
 * @throws AsiError as `computeRecipe`
 */
export function recipeSensitivity(
  samples: MetricSamples | Iterable<MetricSamples>,
  recipe: Recipe,
  options: RecipeOptions = {},
): Sensitivity {
  const checked = checkRecipe(recipe);
  const hash = recipeHash(checked);
  const selected = selectedSamples(samples, options);
  const durations = [...new Set([...SENSITIVITY_DWELL_MS, checked.min_ms])].sort((a, b) => a - b);
  const variants = FILTERS.map(({ name, spike, smooth }) => ({
    name,
    filtered: withFilter(checked, spike, smooth),
  }));
  const isOwn = ({ filtered }: { filtered: Recipe }) => recipeHash(filtered) === hash;
  const all = variants.some(isOwn) ? variants : [{ name: "its own", filtered: checked }, ...variants];
  const { dropped } = seriesOf(selected, checked);
  const rows = all.map(({ name, filtered }) => {
    const { series } = seriesOf(selected, filtered);
    const cells = durations.map((min_ms) => {
      const variant = { ...filtered, min_ms };
      const result = resultOf(series, variant, dropped);
      const { count, distance } = result;
      return { min_ms, count, distance, hash: result.hash, is_recipe: result.hash === hash };
    });
    return { filter: name, cells };
  });
  return { hash, rows, dropped };
}

function withFilter(recipe: Recipe, spike: boolean, smooth: RecipeSmoothing | null): Recipe {
  const { spike: _, resample_ms, ...rest } = recipe;
  const needsSteps = smooth !== null || recipe.derivative !== null;
  return {
    ...rest,
    ...(spike && { spike: MEDIAN }),
    ...((needsSteps || resample_ms !== undefined) && { resample_ms: resample_ms ?? STEP_MS }),
    smooth,
  };
}
