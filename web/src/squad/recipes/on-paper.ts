import type { NamedRecipe } from "asi-convert/metrics";
import {
  isOptionalColumn,
  MOST_RECIPES_ON_PAPER,
  type OptionalColumn,
  reportColumns,
} from "asi-convert/squad-report";
import type { ChosenRecipes } from "./chosen-recipes.js";

/** Number of columns that fit beside the main figures on a page. */
export const MOST_COLUMNS_ON_PAPER = 4;

/** Returns the first recipes and columns, as many as fit on a page. */
export function onPaper({ named, columns }: Pick<ChosenRecipes, "named" | "columns">): {
  recipes: readonly NamedRecipe[];
  optionalColumns: readonly OptionalColumn[];
} {
  const recipes = named.slice(0, MOST_RECIPES_ON_PAPER);
  const used = reportColumns(recipes).length - reportColumns([]).length;
  const optionalColumns = columns
    .filter(isOptionalColumn)
    .slice(0, Math.max(0, MOST_COLUMNS_ON_PAPER - used));
  return { recipes, optionalColumns };
}
