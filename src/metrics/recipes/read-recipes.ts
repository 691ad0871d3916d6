import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { textIn } from "../../text-encoding.js";
import { checkRecipe } from "./check.js";
import type { NamedRecipe } from "./presets.js";

/** Maximum size of a recipe file, bytes. */
const MOST_FILE_BYTES = 1_000_000;

/** Throws `BAD_OPTION` for a recipe file of more than 1 MB. */
export function refuseLargeRecipeFile(bytes: number): void {
  if (bytes > MOST_FILE_BYTES) throw new AsiError("BAD_OPTION", "The file is larger than 1 MB.");
}

/**
 * Reads the recipes in a JSON file: a single recipe, whose name is the name of the file without `.json`, or an object
 * with names as keys and recipes as values.
 *
 * @param file its text, or its bytes in UTF-8, UTF-16 or Windows-1252
 * @param fileName without its folder
 * @throws AsiError `BAD_OPTION` with the key, for a text with other content
 */
export function readRecipes(file: Uint8Array | string, fileName: string): NamedRecipe[] {
  const value = parsed(textIn(file));
  if (!isSeveral(value)) return [named(fileName.replace(/\.json$/i, ""), value)];
  return Object.entries(value).map(([name, recipe]) => {
    try {
      return named(name, recipe);
    } catch (error) {
      throw error instanceof AsiError
        ? new AsiError("BAD_OPTION", `${shown(name)}: ${error.message}`)
        : error;
    }
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AsiError("BAD_OPTION", `This is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

const named = (name: string, recipe: unknown): NamedRecipe => ({
  name,
  title: name,
  source: null,
  recipe: checkRecipe(recipe),
});

/**
 * Returns whether the value is an object of recipes, not a single recipe. Such an object contains only objects, and no version.
 */
function isSeveral(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = Object.values(value);
  return (
    !Object.hasOwn(value, "recipe") && members.length > 0 && members.every((one) => typeof one === "object")
  );
}
