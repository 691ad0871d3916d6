import { type StaticDecode, Type } from "@sinclair/typebox";
import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { recipes } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { cursorPage } from "../lists/cursor-page.js";
import { toRecipe } from "./resource.js";

export const RecipeFilters = Type.Object({
  ...CursorQuery,
  name: Query.text("Only versions with this name"),
  hash: Query.text("Only versions with this hash"),
});

/** Lists the caller's own recipes, oldest first. */
export async function listRecipes(
  { queries, caller }: Context,
  { name, hash, ...paging }: StaticDecode<typeof RecipeFilters>,
) {
  return cursorPage(paging, toRecipe, (after, limit) =>
    queries
      .select()
      .from(recipes)
      .where(
        and(
          eq(recipes.accountId, caller?.id ?? 0),
          isNull(recipes.deletedAt),
          name === undefined ? undefined : eq(recipes.name, name),
          hash === undefined ? undefined : eq(recipes.hash, hash),
          gt(recipes.id, after),
        ),
      )
      .orderBy(asc(recipes.id))
      .limit(limit),
  );
}
