import { expect } from "vitest";
import { computeRecipe, RECIPES, type Recipe, recipeHash } from "../../../src/metrics/recipes/index.js";
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

/** A recipe of the list with some random changes, and a gate with random limits. */
export function randomGatedRecipe(seed: number): Recipe {
  const uniform = xorshift(seed * 32_452_843 + 7);
  const whole = (from: number, to: number) => from + Math.floor((to - from + 1) * uniform());
  const which = whole(1, 7);
  return {
    ...randomRecipe(seed),
    gate: {
      ...((which & 1) > 0 && { min_satellites: whole(0, 9) }),
      ...((which & 2) > 0 && { max_speed_accuracy: whole(100, 1500) }),
      ...((which & 4) > 0 && { max_pdop_hundredths: whole(100, 1000) }),
    },
  };
}

/** Hash, what the gate drops, and each run with its start, duration, peak and distance. */
export function recipeComparison(samples: readonly TestSample[], recipe: Recipe): Comparison {
  return {
    task: { figure: "recipe", recipe, ...columnsForPython(samples) },
    compare(answer) {
      const { hash, dropped, runs } = answer as {
        hash: string;
        dropped: [samples: number, ms: number] | null;
        runs: [number, number, number, number][] | null;
      };
      expect(recipeHash(recipe)).toBe(hash);
      if (dropped === null) {
        expect(() => computeRecipe(columnsOf(samples), recipe)).toThrow("recipe.gate needs satellites");
        return;
      }
      const own = computeRecipe(columnsOf(samples), recipe);
      expect(own.hash).toBe(hash);
      expect([own.dropped.gate, own.dropped.gate_duration ?? 0]).toEqual([
        dropped[0],
        Math.floor(dropped[1] / 100 + 0.5) / 10,
      ]);
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
