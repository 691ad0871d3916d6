import type { NamedRecipe } from "asi-convert/metrics";
import type { SquadColumn } from "asi-convert/squad";
import type { FurtherFigure } from "asi-convert/squad-report";

/** The selected recipes and figures on request, with their columns. */
export interface ChosenRecipes {
  named: readonly NamedRecipe[];
  /** Figures on request with a selected column. */
  further: readonly FurtherFigure[];
  /** `recipeColumns` of these recipes, and the selected columns of these figures. */
  columns: readonly SquadColumn[];
}
