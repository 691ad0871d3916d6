import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { checkRecipe, type NamedRecipe, RECIPES } from "../../metrics/index.js";
import { UsageError } from "../terminal/usage-error.js";

const LARGEST_FILE_BYTES = 1_000_000;

/**
 * The recipes for an argument: a built-in recipe with this name, or the recipes in a file. A file contains one recipe, whose name is
 * the name of the file, or an object of names and recipes.
 *
 * @throws UsageError if it is neither; AsiError `BAD_OPTION` with the file and the key for invalid content
 */
export function recipesOf(argument: string): NamedRecipe[] {
  const listed = RECIPES.find(({ name }) => name === argument);
  if (listed !== undefined) return [listed];
  const stats = statSync(argument, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new UsageError(
      `There is no recipe and no file ${shown(argument)}; asi recipes list shows the recipes.`,
    );
  }
  try {
    if (stats.size > LARGEST_FILE_BYTES) throw new AsiError("BAD_OPTION", "The file is larger than 1 MB.");
    return recipesIn(readFileSync(argument, "utf8"), basename(argument).replace(/\.json$/i, ""));
  } catch (error) {
    if (!(error instanceof AsiError || error instanceof SyntaxError)) throw error;
    const message = error instanceof SyntaxError ? `This is not JSON: ${error.message}` : error.message;
    throw new AsiError("BAD_OPTION", `${argument}: ${message}`);
  }
}

function recipesIn(text: string, fileName: string): NamedRecipe[] {
  const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
  if (!isSeveral(value)) return [named(fileName, value)];
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

const named = (name: string, recipe: unknown): NamedRecipe => ({
  name,
  title: name,
  source: null,
  recipe: checkRecipe(recipe),
});

/** Whether the value is an object of recipes rather than a single recipe: its members are objects, and it has no version. */
function isSeveral(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = Object.values(value);
  return (
    !Object.hasOwn(value, "recipe") && members.length > 0 && members.every((one) => typeof one === "object")
  );
}
