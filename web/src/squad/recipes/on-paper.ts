import type { NamedRecipe } from "asi-convert/metrics";
import {
  type FurtherColumn,
  isFurtherColumn,
  MOST_RECIPES_ON_PAPER,
  reportColumns,
} from "asi-convert/squad-report";
import type { ChosenRecipes } from "./chosen-recipes.js";

/** Number of columns that fit beside the main figures on a page. */
export const MOST_COLUMNS_ON_PAPER = 4;

/** The first recipes and columns, as many as fit on a page. */
export function onPaper({ named, columns }: Pick<ChosenRecipes, "named" | "columns">): {
  recipes: readonly NamedRecipe[];
  further: readonly FurtherColumn[];
} {
  const recipes = named.slice(0, MOST_RECIPES_ON_PAPER);
  const used = reportColumns(recipes).length - reportColumns([]).length;
  const further = columns.filter(isFurtherColumn).slice(0, Math.max(0, MOST_COLUMNS_ON_PAPER - used));
  return { recipes, further };
}
