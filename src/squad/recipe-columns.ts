import type { NamedRecipe, RecipeResult } from "../metrics/index.js";
import type { SquadColumn } from "./columns.js";

/**
 * Returns the columns of recipes: the count and distance of each, and the samples that its gate drops.
 *
 * @param recipes in the order of the option `recipes`
 */
export function recipeColumns(recipes: readonly NamedRecipe[]): SquadColumn[] {
  return recipes.flatMap(({ name, recipe }, i) => {
    const column = (
      [suffix, head, title, unit]: readonly [string, string, string, string],
      of: (result: RecipeResult) => number | null,
    ): SquadColumn => ({
      key: `${recipeKey(name)}_${suffix}`,
      head,
      title: `${name}: ${title}`,
      unit,
      decimals: suffix === "gate_s" ? 1 : 0,
      kind: suffix.startsWith("gate") ? "level" : "sum",
      value: (_, { recipes: results = [] }) => {
        const result = results[i] ?? null;
        return result === null ? null : of(result);
      },
    });
    return [
      column(["count", name, "count", ""], ({ count }) => count),
      column(["distance_m", "Distance", "distance", "m"], ({ distance }) => distance),
      ...(recipe.gate === null
        ? []
        : [
            column(["gate_rows", "Dropped", "dropped by its gate", "rows"], ({ dropped }) => dropped.gate),
            column(
              ["gate_s", "Dropped", "dropped by its gate", "s"],
              ({ dropped }) => dropped.gate_duration ?? null,
            ),
          ]),
    ];
  });
}

/** Converts the name of a recipe to a part of column names: `statsports/sprint` becomes `statsports_sprint`. */
export const recipeKey = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_");

/** Returns the first `recipeKey` that two recipes share, because their columns would have the same names; null if there is none. */
export function commonKey(recipes: readonly Pick<NamedRecipe, "name">[]): string | null {
  const keys = recipes.map(({ name }) => recipeKey(name));
  return keys.find((key, i) => keys.indexOf(key) < i) ?? null;
}
