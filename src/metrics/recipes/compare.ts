import type { Recipe } from "./recipe.js";

/** A key for which recipes have different values, with the value in each recipe; undefined if the recipe omits the key. */
export interface RecipeDifference {
  /** The key, for example `gap.steps`. */
  readonly key: string;
  readonly values: readonly (string | number | boolean | null | undefined)[];
}

/** Returns the differences between recipes; empty if they are equal. */
export function compareRecipes(recipes: readonly Recipe[]): RecipeDifference[] {
  const flat = recipes.map((recipe) => flatten(recipe));
  const keys = [...new Set(flat.flatMap((members) => [...members.keys()]))].sort();
  return keys
    .map((key) => ({ key, values: flat.map((members) => members.get(key)) }))
    .filter(({ values }) => values.some((value) => value !== values[0]));
}

type Leaf = string | number | boolean | null;

function flatten(value: object, prefix = ""): Map<string, Leaf> {
  const members = new Map<string, Leaf>();
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === "object" && member !== null) {
      for (const [inner, leaf] of flatten(member, `${prefix}${key}.`)) members.set(inner, leaf);
    } else if (member !== undefined) {
      members.set(`${prefix}${key}`, member);
    }
  }
  return members;
}
