import { AsiError, type SampleBatch } from "asi-convert";
import {
  computeRecipe,
  type Recipe,
  type RecipeResult,
  recipeSensitivity,
  type SensitivityRow,
} from "asi-convert/metrics";
import type { TimeWindow } from "../view/window.js";

/** The count of a recipe in a part of a recording, with the effect of its filter and of its minimum duration. */
export interface RecipeFigures {
  result: RecipeResult;
  sensitivity: readonly SensitivityRow[];
}

const NO_QUALITY =
  "This definition drops samples by the quality of the reception, and this recording does not contain it. Choose a definition without a gate, or open the .asi recording of the tracker.";

/** @param rows with their quality for a recipe with a gate @throws AsiError as `computeRecipe` */
export function recipeFiguresOf(
  rows: SampleBatch,
  { startMs, stopMs }: TimeWindow,
  recipe: Recipe,
): RecipeFigures {
  const from = Math.ceil(startMs);
  const limits = { from, to: Math.max(from, Math.floor(stopMs)) };
  try {
    return {
      result: computeRecipe(rows, recipe, limits),
      sensitivity: recipeSensitivity(rows, recipe, limits).rows,
    };
  } catch (error) {
    // the message of the library names its options
    const isQuality = error instanceof AsiError && error.message.startsWith("recipe.gate needs");
    throw isQuality ? new AsiError(error.code, NO_QUALITY, { cause: error }) : error;
  }
}
