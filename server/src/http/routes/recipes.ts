import type { FastifyInstance } from "fastify";
import { createRecipe } from "../../domain/recipes/create.js";
import { deleteRecipe } from "../../domain/recipes/delete.js";
import { listRecipes, RecipeFilters } from "../../domain/recipes/list.js";
import { Recipe, RecipeInput, recipeItem } from "../../domain/recipes/resource.js";
import { CursorPage } from "../../wire/cursor.js";
import { route } from "../route.js";

/** Common properties of the operations. */
const recipes = { tag: "Recipes", version: 2 } as const;

const COLLECTION = "/api/v2/recipes/";

export function recipeRoutes(app: FastifyInstance): void {
  route(app, {
    ...recipes,
    id: "listRecipes",
    summary: "List your recipes",
    description: "Returns every version of every name, oldest first.",
    method: "GET",
    path: COLLECTION,
    query: RecipeFilters,
    success: { status: 200, schema: CursorPage(Recipe) },
    failures: [400],
    handle: ({ ctx, query }) => listRecipes(ctx, query),
  });

  route(app, {
    ...recipes,
    id: "createRecipe",
    summary: "Store a recipe",
    description:
      'Stores the first version of a name, or the next one; versions never change. A time frame whose params name the recipe, as in `{"recipes": [{"name": "Sprints of the club", "version": 1}]}`, has its counts in its computed data. Returns 409 if the newest version of the name is the same recipe.',
    method: "POST",
    path: COLLECTION,
    body: RecipeInput,
    success: {
      status: 201,
      schema: Recipe,
      headers: { Location: "The path of the recipe" },
      collection: COLLECTION,
    },
    failures: [400, 409],
    handle: ({ ctx, body }) => createRecipe(ctx, body),
  });

  route(app, {
    ...recipes,
    id: "retrieveRecipe",
    summary: "Retrieve a version of a recipe",
    method: "GET",
    path: `${COLLECTION}{recipe}/`,
    success: { status: 200, schema: Recipe },
    handle: async ({ target }) => recipeItem(target),
  });

  route(app, {
    ...recipes,
    id: "deleteRecipe",
    summary: "Delete a version of a recipe",
    description:
      "The number of the version is not reused. The response is 409 while the params of a time frame use the version, because readers of its data find the recipe in the definition.",
    method: "DELETE",
    path: `${COLLECTION}{recipe}/`,
    success: { status: 204 },
    failures: [409],
    handle: ({ ctx, ids }) => deleteRecipe(ctx, ids.recipe),
  });
}
