import type { NamedRecipe } from "asi-convert/metrics";
import type { SquadColumn } from "asi-convert/squad";

/** The chosen recipes with their columns. */
export interface ChosenRecipes {
  named: readonly NamedRecipe[];
  /** `recipeColumns` of them. */
  columns: readonly SquadColumn[];
}
