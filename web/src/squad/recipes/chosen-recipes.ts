import type { NamedRecipe } from "asi-convert/metrics";
import type { SquadColumn } from "asi-convert/squad";

/** The selected recipes with their columns. */
export interface ChosenRecipes {
  named: readonly NamedRecipe[];
  /** `recipeColumns` of these recipes. */
  columns: readonly SquadColumn[];
}
