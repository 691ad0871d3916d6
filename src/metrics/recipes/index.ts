export { canonicalRecipe, recipeHash, shortHash } from "./canonical.js";
export { checkRecipe } from "./check.js";
export { compareRecipes, type RecipeDifference } from "./compare.js";
export {
  computeRecipe,
  RECIPES_VERSION,
  type RecipeDropped,
  type RecipeOptions,
  type RecipeResult,
  type RecipeRun,
} from "./count.js";
export { type NamedRecipe, RECIPES } from "./presets.js";
export { readRecipes, refuseLargeRecipeFile } from "./read-recipes.js";
export type { Recipe, RecipeGate, RecipeSmoothing } from "./recipe.js";
export {
  recipeSensitivity,
  SENSITIVITY_DWELL_MS,
  type Sensitivity,
  type SensitivityRow,
} from "./sensitivity.js";
