import { RECIPES, type Recipe } from "asi-convert/metrics";

/** Returns the recipe of the library with this name. */
export function recipeNamed(name: string): Recipe {
  const found = RECIPES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No recipe ${name}`);
  return found.recipe;
}

/** Returns a body that stores a recipe for sprints with the given changes. */
export const newRecipe = (changes: Partial<Recipe> = {}, name = "Sprints of the club") => ({
  name,
  recipe: { ...recipeNamed("soccer/sprint"), ...changes },
});
