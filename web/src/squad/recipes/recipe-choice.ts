import { effect, type Signal, signal } from "@preact/signals";
import { type NamedRecipe, RECIPES, readRecipes } from "asi-convert/metrics";
import { commonKey, recipeColumns } from "asi-convert/squad-report";
import type { ColumnChoice } from "../columns.js";
import { FIRST_SORT, type Sort } from "../shown-order.js";
import type { ChosenRecipes } from "./chosen-recipes.js";
import { optionalColumnsIn } from "./optional-columns.js";

/** Recipes that were read from files since the page was opened, latest first. */
export const ownRecipes: Signal<readonly NamedRecipe[]> = signal([]);

/** The part of a session that recipes change. */
interface CountingSession {
  recipes: Signal<ChosenRecipes>;
  sort: Signal<Sort>;
}

/**
 * Computes the selected recipes and optional figures until the returned function is called. If the table is sorted by a removed column, it
 * returns to the initial order.
 *
 * @param choice the recipes as text, from `textOf`, and the keys of optional figures
 */
export const followChoice = (
  session: CountingSession,
  choice: Pick<ColumnChoice, "recipes" | "optionalKeys">,
) =>
  effect(() => {
    const named = recipesIn(choice.recipes.value);
    const optionalColumns = optionalColumnsIn(choice.optionalKeys.value.split(","));
    const columns = [...recipeColumns(named), ...optionalColumns];
    const isIn = (some: ChosenRecipes["columns"]) => some.some(({ key }) => key === session.sort.peek().key);
    if (isIn(session.recipes.peek().columns) && !isIn(columns)) session.sort.value = FIRST_SORT;
    session.recipes.value = {
      named,
      optionalFigures: [...new Set(optionalColumns.map(({ of }) => of))],
      columns,
    };
  });

/** Returns the recipes in a text from `textOf`. Recipes that this version of the page does not know or refuses are omitted. */
export function recipesIn(text: string): NamedRecipe[] {
  try {
    return (JSON.parse(text || "[]") as unknown[]).flatMap(recipesOf);
  } catch {
    return [];
  }
}

function recipesOf(stored: unknown): readonly NamedRecipe[] {
  if (typeof stored === "string") return RECIPES.filter(({ name }) => name === stored);
  try {
    const [name, recipe] = stored as [string, unknown];
    return readRecipes(JSON.stringify(recipe), `${name}.json`);
  } catch {
    return [];
  }
}

/**
 * Returns recipes as a text to store. The text contains the names of built-in recipes, and the complete text of others. It is empty if
 * there are none.
 */
export const textOf = (recipes: readonly NamedRecipe[]): string =>
  recipes.length === 0
    ? ""
    : JSON.stringify(recipes.map((one) => (RECIPES.includes(one) ? one.name : [one.name, one.recipe])));

/**
 * Adds recipes to a selection. A recipe from a file replaces an earlier recipe from a file with the same columns.
 *
 * @returns the selection, or a sentence if two recipes would have the same columns
 */
export function withRecipes(
  chosen: readonly NamedRecipe[],
  added: readonly NamedRecipe[],
): readonly NamedRecipe[] | string {
  const isReplaced = (one: NamedRecipe) =>
    !RECIPES.includes(one) && added.some((other) => commonKey([one, other]) !== null);
  const all = [...chosen.filter((one) => !isReplaced(one)), ...added.filter((one) => !chosen.includes(one))];
  const again = commonKey(all);
  return again === null ? all : `Two recipes would have the columns ${again}_…. Rename one.`;
}
