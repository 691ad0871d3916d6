import type { NamedRecipe } from "asi-convert/metrics";
import type { SquadColumn } from "asi-convert/squad";
import type { OptionalFigure } from "asi-convert/squad-report";

/** The selected recipes and optional figures, with their columns. */
export interface ChosenRecipes {
  named: readonly NamedRecipe[];
  /** The optional figures that have a selected column. */
  optionalFigures: readonly OptionalFigure[];
  /** `recipeColumns` of these recipes, and the selected columns of these figures. */
  columns: readonly SquadColumn[];
}
