import { and, desc, eq, inArray, isNotNull, max } from "drizzle-orm";
import type { Config } from "../../config/config.js";
import type { Queries } from "../../store/connection/database.js";
import { recipes, timeframeRecipes } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { recipeItem } from "./resource.js";

/**
 * Deletes a version of a recipe that no time frame names. Results that were read earlier refer to its number. The
 * number is therefore not reused until the account has deleted as many other names as its quota of recipes.
 * @throws ServiceError `recipe_in_use`
 */
export async function deleteRecipe(ctx: Context, recipe: number): Promise<void> {
  await change(
    ctx,
    "deleteRecipe",
    { recipe },
    async ({ queries, config, now, announce }, target) => {
      const uses = await queries.$count(timeframeRecipes, eq(timeframeRecipes.recipeId, target.id));
      if (uses > 0) {
        throw errors.conflict(
          "recipe_in_use",
          `The recipe is used in the params of ${uses} ${uses === 1 ? "time frame" : "time frames"}. Change them first.`,
        );
      }
      const ofName = and(eq(recipes.accountId, target.accountId), eq(recipes.name, target.name));
      const [highest] = await queries
        .select({ version: max(recipes.version) })
        .from(recipes)
        .where(ofName);
      if (highest?.version === target.version) {
        await queries.delete(recipes).where(and(ofName, isNotNull(recipes.deletedAt)));
        await queries.update(recipes).set({ deletedAt: now }).where(eq(recipes.id, target.id));
        await forgetOldest(queries, config, target.accountId);
      } else {
        await queries.delete(recipes).where(eq(recipes.id, target.id));
      }
      await announce("recipeChanged", { before: target, after: null });
    },
    (_unit, target) => recipeItem(target),
  );
}

/** Rows of deleted names do not count against the quota, so their number is bounded here. */
async function forgetOldest(queries: Queries, { quotaRecipes }: Config, accountId: number): Promise<void> {
  const oldest = queries
    .select({ id: recipes.id })
    .from(recipes)
    .where(and(eq(recipes.accountId, accountId), isNotNull(recipes.deletedAt)))
    .orderBy(desc(recipes.deletedAt), desc(recipes.id))
    .offset(quotaRecipes);
  await queries.delete(recipes).where(inArray(recipes.id, oldest));
}
