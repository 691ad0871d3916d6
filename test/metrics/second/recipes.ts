import { expect } from "vitest";
import { computeRecipe, RECIPES, type Recipe } from "../../../src/metrics/recipes/index.js";
import { xorshift } from "../figures/planted.js";
import { columnsOf, type TestSample } from "../golden/sessions.js";
import { columnsForPython } from "./signals.js";
import type { Comparison } from "./tasks.js";

/** Output has 3 decimals; the other program does not round. */
const HALF_OF_LAST_DIGIT = 0.000_500_001;

/** A recipe of the list with some randomly changed choices. */
export function randomRecipe(seed: number): Recipe {
  const uniform = xorshift(seed * 104_729 + 5);
  const whole = (n: number) => Math.floor(n * uniform());
  const { recipe } = RECIPES[whole(RECIPES.length)] ?? { recipe: undefined };
  if (recipe === undefined || uniform() < 0.3) return recipe ?? randomRecipe(seed + 1);
  const exit = Math.max(1, recipe.enter - whole(recipe.enter / 2));
  const smooth = [
    null,
    { type: "mean", samples: 3 + 2 * whole(4) } as const,
    {
      type: "butterworth",
      order: 2,
      cutoff_mhz: 500 + whole(2000),
      zero_phase: true,
      corrected: uniform() < 0.5,
    } as const,
  ][whole(3)];
  const { spike, ...rest } = recipe;
  return {
    ...rest,
    ...(uniform() < 0.7 && spike && { spike }),
    resample_ms: [50, 100, 200][whole(3)] ?? 100,
    smooth: smooth ?? null,
    exit,
    on: uniform() < 0.5 ? "sample" : "interval_mean",
    confirm_samples: 1 + whole(3),
    min_ms: whole(1200),
    merge_ms: whole(900),
    gap: { min_ms: 500 + whole(2000), steps: whole(8) },
  };
}

/** Compares the hash, and each run with its start, duration, peak and distance. */
export function recipeComparison(samples: readonly TestSample[], recipe: Recipe): Comparison {
  return {
    task: { figure: "recipe", recipe, ...columnsForPython(samples) },
    compare(answer) {
      const { hash, runs } = answer as { hash: string; runs: [number, number, number, number][] | null };
      const own = computeRecipe(columnsOf(samples), recipe);
      expect(own.hash).toBe(hash);
      expect(own.count).toBe(runs?.length ?? null);
      own.runs.forEach(({ start_time, duration, max_value, distance }, i) => {
        const [start, ms, peak, metres] = runs?.[i] ?? [Number.NaN, 0, 0, 0];
        expect(start_time).toBe(start);
        expect(duration).toBe(Math.floor(ms / 100 + 0.5) / 10);
        expect(Math.abs(Math.abs(max_value) - peak / 1000)).toBeLessThanOrEqual(HALF_OF_LAST_DIGIT);
        expect(Math.abs(distance - metres)).toBeLessThanOrEqual(HALF_OF_LAST_DIGIT);
      });
    },
  };
}
