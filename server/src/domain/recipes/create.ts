import { AsiError } from "asi-convert";
import { canonicalRecipe, checkRecipe, type Recipe, recipeHash } from "asi-convert/metrics";
import { and, desc, eq } from "drizzle-orm";
import { recipes } from "../../store/schema.js";
import { lockAccount } from "../change/account-lock.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { enforceRecipeQuota } from "../change/quotas.js";
import { type NewRecipe, recipeItem } from "./resource.js";

/**
 * Stores a recipe: the first version of its name, or the next one.
 * @throws ServiceError `invalid`, `recipe_unchanged`, `quota_exceeded`
 */
export async function createRecipe(ctx: Context, body: NewRecipe) {
  const recipe = checked(body.recipe);
  const hash = recipeHash(recipe);
  return change(ctx, "createRecipe", {}, async (unit) => {
    const { queries, now } = unit;
    const accountId = ctx.caller?.id ?? 0;
    // Run requests of an account one after another, because two could create the same version of a name.
    await lockAccount(unit, accountId);
    const [newest] = await queries
      .select()
      .from(recipes)
      .where(and(eq(recipes.accountId, accountId), eq(recipes.name, body.name)))
      .orderBy(desc(recipes.version))
      .limit(1);
    if (newest?.hash === hash && newest.deletedAt === null) {
      throw errors.conflict(
        "recipe_unchanged",
        `Version ${newest.version} of this name is the same recipe; its id is ${newest.id}.`,
      );
    }
    const [row] = await queries
      .insert(recipes)
      .values({
        accountId,
        name: body.name,
        version: (newest?.version ?? 0) + 1,
        hash,
        recipe: canonicalRecipe(recipe),
        createdAt: now,
      })
      .returning();
    if (row === undefined) throw new Error("The recipe was not inserted");
    await enforceRecipeQuota(unit, accountId);
    await unit.announce("recipeChanged", { before: null, after: row });
    return recipeItem(row);
  });
}

/** @throws ServiceError `invalid` with the invalid key and its allowed values */
function checked(value: unknown): Recipe {
  let recipe: Recipe;
  try {
    recipe = checkRecipe(value);
  } catch (error) {
    if (error instanceof AsiError) throw errors.field("recipe", error.message);
    throw error;
  }
  if (recipe.gate !== null) {
    throw errors.field("recipe", "recipe.gate must be null: the samples of the service have no quality.");
  }
  return recipe;
}
