import { AsiError } from "../errors.js";
import {
  computeRecipe,
  type MetricSamples,
  type MetricsOptions,
  type Recipe,
  type RecipeResult,
} from "../metrics/index.js";

/** What recipes count. */
export interface RecipeCounts {
  /** The results in the order of the recipes; null for a recipe that cannot count the samples. */
  recipes?: readonly (RecipeResult | null)[];
  /** The reason why the first of them is null, with the name of the player: the message of `computeRecipe`. */
  uncounted?: string;
}

interface Counted {
  /** The name of the player, for errors. */
  name: string;
  samples: MetricSamples;
  limits: MetricsOptions;
  /** Whether samples that a recipe cannot count are not an error. */
  mayBeUncounted: boolean;
}

/**
 * Counts by recipes. The result is empty if there are no recipes.
 *
 * @throws AsiError as `computeRecipe`, with the name of the player, unless `mayBeUncounted`
 */
export function countRecipes(
  recipes: readonly Recipe[],
  { name, samples, limits, mayBeUncounted }: Counted,
): RecipeCounts {
  if (recipes.length === 0) return {};
  const reasons: string[] = [];
  const results = recipes.map((recipe) => {
    try {
      return computeRecipe(samples, recipe, limits);
    } catch (error) {
      if (!(error instanceof AsiError)) throw error;
      const reason = `${name}: ${error.message}`;
      if (!mayBeUncounted) throw new AsiError(error.code, reason);
      reasons.push(reason);
      return null;
    }
  });
  const [uncounted] = reasons;
  return { recipes: results, ...(uncounted !== undefined && { uncounted }) };
}
