import type { Recipe } from "./recipe.js";
import { sha256 } from "./sha256.js";

/**
 * Returns the canonical text of a recipe (RFC 8785): keys in the order of their UTF-16 code units, without white space. Recipes
 * contain only integers, strings, booleans and null, which `JSON.stringify` formats as the RFC requires.
 */
export function canonicalRecipe(recipe: Recipe): string {
  return canonicalJson(recipe);
}

/** Returns the identity of a recipe: the SHA-256 of its canonical text, 64 hexadecimal digits. The name is not included. */
export function recipeHash(recipe: Recipe): string {
  const known = hashes.get(recipe);
  if (known !== undefined) return known;
  const hash = sha256(canonicalRecipe(recipe));
  if (isConstant(recipe)) hashes.set(recipe, hash);
  return hash;
}

/** The hashes of recipes that cannot change, such as those of the library. */
const hashes = new WeakMap<Recipe, string>();

/** Freezes a recipe, so that its hash is computed only once. */
export function constantRecipe(recipe: Recipe): Recipe {
  for (const member of Object.values(recipe)) Object.freeze(member);
  return Object.freeze(recipe);
}

// the members of a recipe contain no objects
const isConstant = (recipe: Recipe): boolean =>
  Object.isFrozen(recipe) && Object.values(recipe).every(Object.isFrozen);

function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // in the order of code units
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** Returns the first 12 digits of a hash, which distinguish the recipes in a list. */
export const shortHash = (hash: string): string => hash.slice(0, 12);
