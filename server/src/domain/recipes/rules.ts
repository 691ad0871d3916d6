import { and, eq, isNull } from "drizzle-orm";
import { recipes } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";

export type Recipe = typeof recipes.$inferSelect;

/** Finds only recipes of the caller. */
export const ownRecipe: Rule<"recipe", Recipe> = {
  description: "The manager who owns the recipe",
  roles: ["MANAGER"],
  async find({ caller }, ids, { queries, lock }) {
    const query = queries
      .select()
      .from(recipes)
      .where(
        and(eq(recipes.id, ids.recipe), eq(recipes.accountId, caller?.id ?? 0), isNull(recipes.deletedAt)),
      );
    const [recipe] = await (lock ? query.for("update") : query);
    if (recipe === undefined) throw errors.notFound();
    return recipe;
  },
};
