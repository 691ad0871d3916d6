import { type StaticDecode, Type } from "@sinclair/typebox";
import { RECIPES, recipeHash } from "asi-convert/metrics";
import { DateTimeOut, Id, Text } from "../../wire/types.js";
import { type Item, item } from "../change/entity-tags.js";
import type { Recipe as RecipeRow } from "./rules.js";

/** Maximum number of characters of a name. */
const MAX_NAME = 100;

const [preset] = RECIPES;
if (preset === undefined) throw new Error("The library has no recipes");

const example = { name: "Sprints of the club", recipe: { ...preset.recipe, min_ms: 500 } };

const Definition = (description: string) =>
  Type.Object({}, { additionalProperties: Type.Unknown(), description });

/** A recipe as the API returns it. */
export const Recipe = Type.Object(
  {
    id: Id(),
    name: Type.String(),
    version: Type.Integer({ minimum: 1, description: "Each change to a recipe is a new version" }),
    hash: Type.String({
      description: "SHA-256 of the recipe, without its name, as canonical JSON (RFC 8785)",
    }),
    recipe: Definition("The recipe, with its members in the order of canonical JSON"),
    created_at: DateTimeOut(),
  },
  {
    $id: "Recipe",
    examples: [
      {
        id: 3,
        version: 1,
        ...example,
        hash: recipeHash(example.recipe),
        created_at: "2024-01-01T06:00:00.000Z",
      },
    ],
  },
);

export const RecipeInput = Type.Object(
  {
    name: Text({ minLength: 1, maxLength: MAX_NAME }),
    recipe: Definition(
      "A recipe as described in docs/metrics.md and printed by `asi recipes show`; `gate` is null, because samples of the service have no quality",
    ),
  },
  { examples: [example] },
);

export type NewRecipe = StaticDecode<typeof RecipeInput>;

export const toRecipe = ({ id, name, version, hash, recipe, createdAt }: RecipeRow) => ({
  id,
  name,
  version,
  hash,
  recipe: JSON.parse(recipe) as Record<string, unknown>,
  created_at: createdAt.toISOString(),
});

/** Returns a recipe and its entity tag, which never changes. */
export const recipeItem = (row: RecipeRow): Item<ReturnType<typeof toRecipe>> => item(toRecipe(row));
