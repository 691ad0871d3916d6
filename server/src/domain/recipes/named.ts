import { and, desc, eq, isNull } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { recipes, timeframeRecipes } from "../../store/schema.js";

/** A reference to a recipe of the owner in the params of a time frame. The JSON schema of the params describes it. */
export type RecipeReference = { name: string; version: number } | { hash: string };

/**
 * Finds the given recipes of an account, which then cannot be deleted until the end of the transaction.
 * @returns their ids; undefined for recipes that do not exist
 */
export async function findNamed(
  queries: Queries,
  accountId: number,
  references: readonly RecipeReference[],
): Promise<(number | undefined)[]> {
  const ids: (number | undefined)[] = [];
  for (const reference of references) {
    const isNamed =
      "hash" in reference
        ? eq(recipes.hash, reference.hash)
        : and(eq(recipes.name, reference.name), eq(recipes.version, reference.version));
    const [row] = await queries
      .select({ id: recipes.id })
      .from(recipes)
      .where(and(eq(recipes.accountId, accountId), isNull(recipes.deletedAt), isNamed))
      .orderBy(desc(recipes.id))
      .limit(1)
      .for("key share");
    ids.push(row?.id);
  }
  return ids;
}

/** Replaces the recipes of a time frame. */
export async function setNamed(queries: Queries, timeframeId: number, ids: readonly number[]): Promise<void> {
  await queries.delete(timeframeRecipes).where(eq(timeframeRecipes.timeframeId, timeframeId));
  if (ids.length === 0) return;
  await queries
    .insert(timeframeRecipes)
    .values(ids.map((recipeId, position) => ({ timeframeId, position, recipeId })));
}
