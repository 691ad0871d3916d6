import { and, eq, isNotNull, max } from "drizzle-orm";
import { recipes, timeframeRecipes } from "../../store/schema.js";
import { change } from "../change/change.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { recipeItem } from "./resource.js";

/**
 * Deletes a version of a recipe that no time frame names. Its number is never given again: a result that was read before names it.
 * @throws ServiceError `recipe_in_use`
 */
export async function deleteRecipe(ctx: Context, recipe: number): Promise<void> {
  await change(
    ctx,
    "deleteRecipe",
    { recipe },
    async ({ queries, now, announce }, target) => {
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
      } else {
        await queries.delete(recipes).where(eq(recipes.id, target.id));
      }
      await announce("recipeChanged", { before: target, after: null });
    },
    (_unit, target) => recipeItem(target),
  );
}
