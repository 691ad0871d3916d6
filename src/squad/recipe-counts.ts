import { AsiError } from "../errors.js";
import {
  computeRecipe,
  type MetricSamples,
  type MetricsOptions,
  type Recipe,
  type RecipeResult,
} from "../metrics/index.js";

/** The counts of recipes. */
export interface RecipeCounts {
  /** The results in the order of the recipes; null for a recipe that cannot count the samples. */
  recipes?: readonly (RecipeResult | null)[];
  /** The reason why the first null result could not be computed: the message of `computeRecipe`, with the name of the player. */
  uncounted?: string;
}

interface Counted {
  /** The name of the player, for error messages. */
  name: string;
  samples: MetricSamples;
  limits: MetricsOptions;
  /** Whether samples that a recipe cannot count are accepted. */
  mayBeUncounted: boolean;
}

/**
 * Counts by recipes. Returns an empty object if there are no recipes.
 *
 * @throws the AsiError of `computeRecipe`, with the name of the player, unless `mayBeUncounted`
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
