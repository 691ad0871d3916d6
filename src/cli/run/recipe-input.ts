import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { type NamedRecipe, RECIPES, readRecipes, refuseLargeRecipeFile } from "../../metrics/index.js";
import { UsageError } from "../terminal/usage-error.js";

/** Returns whether a recipe with a gate is among the recipes, so that the quality of the rows is needed. */
export const haveGate = (recipes: readonly NamedRecipe[]): boolean =>
  recipes.some(({ recipe }) => recipe.gate !== null);

/**
 * Returns the recipes for an argument: the built-in recipe with this name, or the recipes in a file. A file contains one recipe, which is
 * named after the file, or an object of names and recipes.
 *
 * @throws UsageError if the argument is neither; AsiError `BAD_OPTION` with the file and the key for invalid content
 */
export function recipesOf(argument: string): NamedRecipe[] {
  const listed = RECIPES.find(({ name }) => name === argument);
  if (listed !== undefined) return [listed];
  const stats = statSync(argument, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new UsageError(
      `There is no recipe or file ${shown(argument)}; asi recipes list shows the recipes.`,
    );
  }
  try {
    refuseLargeRecipeFile(stats.size);
    return readRecipes(readFileSync(argument), basename(argument));
  } catch (error) {
    if (!(error instanceof AsiError)) throw error;
    throw new AsiError("BAD_OPTION", `${argument}: ${error.message}`);
  }
}
