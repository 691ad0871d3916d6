import type { SampleBatch } from "asi-convert";
import {
  computeRecipe,
  type Recipe,
  type RecipeResult,
  recipeSensitivity,
  type SensitivityRow,
} from "asi-convert/metrics";
import type { TimeWindow } from "../view/window.js";

/** What a recipe counts in a part of a recording, and how much its filter and its minimum duration matter. */
export interface RecipeFigures {
  result: RecipeResult;
  sensitivity: readonly SensitivityRow[];
}

/** @throws AsiError as `computeRecipe` */
export function recipeFiguresOf(
  rows: SampleBatch,
  { startMs, stopMs }: TimeWindow,
  recipe: Recipe,
): RecipeFigures {
  const from = Math.ceil(startMs);
  const limits = { from, to: Math.max(from, Math.floor(stopMs)) };
  return {
    result: computeRecipe(rows, recipe, limits),
    sensitivity: recipeSensitivity(rows, recipe, limits).rows,
  };
}
