import type { NamedRecipe, RecipeResult } from "../metrics/index.js";
import type { SquadColumn } from "./columns.js";

/**
 * The figures of recipes: count and distance of each, and the samples that its gate drops.
 *
 * @param recipes in the order of `recipes` of the options
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

/** A recipe name as a part of column names: `statsports/sprint` is `statsports_sprint`. */
export const recipeKey = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_");

/** The `recipeKey` that two recipes have in common, which would result in equal column names; null if there is none. */
export function commonKey(recipes: readonly Pick<NamedRecipe, "name">[]): string | null {
  const keys = recipes.map(({ name }) => recipeKey(name));
  return keys.find((key, i) => keys.indexOf(key) < i) ?? null;
}
