import { AsiError } from "../../errors.js";
import { compareRecipes, type NamedRecipe, RECIPES, recipeHash, shortHash } from "../../metrics/index.js";
import type { Context } from "../batch/batch.js";
import { ExitStatus } from "../terminal/exit-status.js";
import { UsageError } from "../terminal/usage-error.js";
import { recipesOf } from "./recipe-input.js";

export type RecipesAction = "list" | "show" | "check" | "compare";

/** Runs `asi recipes`, which lists, shows, checks and compares recipes. */
export async function recipes(
  action: RecipesAction,
  args: readonly string[],
  { json = false }: { json?: boolean },
  context: Context,
): Promise<ExitStatus> {
  if (action === "list") return list(args, json, context);
  if (args.length === 0) throw new UsageError(`Name the recipes to ${action}, or files with recipes.`);
  if (action === "check") return check(args, json, context);
  const named = args.flatMap(recipesOf);
  await context.console.data(action === "show" ? shownText(named, json) : comparedText(named, json));
  return ExitStatus.done;
}

async function list(args: readonly string[], json: boolean, { console }: Context): Promise<ExitStatus> {
  if (args.length > 0) throw new UsageError("asi recipes list does not accept names; use asi recipes show.");
  const width = Math.max(...RECIPES.map(({ name }) => name.length)) + 2;
  const lines = RECIPES.map(({ name, title, source, recipe }) => {
    const hash = recipeHash(recipe);
    if (json) return JSON.stringify({ name, title, source, hash, recipe });
    return `${name.padEnd(width)}${shortHash(hash)}  ${title}`;
  });
  await console.data(`${lines.join("\n")}\n`);
  return ExitStatus.done;
}

/** Formats recipes as a recipe file: one recipe, or an object of several. */
function shownText(named: readonly NamedRecipe[], json: boolean): string {
  if (json) {
    return named
      .map(({ name, title, source, recipe }) =>
        JSON.stringify({ name, title, source, hash: recipeHash(recipe), recipe }),
      )
      .map((line) => `${line}\n`)
      .join("");
  }
  const [first] = named;
  const shown =
    named.length === 1 && first !== undefined
      ? first.recipe
      : Object.fromEntries(named.map(({ name, recipe }) => [name, recipe]));
  return `${JSON.stringify(shown, null, 2)}\n`;
}

async function check(args: readonly string[], json: boolean, { console }: Context): Promise<ExitStatus> {
  let status: ExitStatus = ExitStatus.done;
  for (const arg of args) {
    try {
      for (const { name, recipe } of recipesOf(arg)) {
        const hash = recipeHash(recipe);
        await console.data(json ? `${JSON.stringify({ name, hash })}\n` : `${hash}  ${name}\n`);
      }
    } catch (error) {
      if (!(error instanceof AsiError || error instanceof UsageError)) throw error;
      status = ExitStatus.failed;
      console.failure(console.paint("red", "asi:"), ` ${error.message}`);
    }
  }
  return status;
}

function comparedText(named: readonly NamedRecipe[], json: boolean): string {
  if (named.length < 2) throw new UsageError("Name at least two recipes to compare.");
  const differences = compareRecipes(named.map(({ recipe }) => recipe));
  if (json) {
    const names = named.map(({ name }) => name);
    return differences
      .map(({ key, values }) => ({
        key,
        values: Object.fromEntries(names.map((name, i) => [name, values[i] ?? null])),
      }))
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
  }
  if (differences.length === 0) return "They are the same recipe.\n";
  const rows = [
    ["", ...named.map(({ name }) => name)],
    ...differences.map(({ key, values }) => [
      key,
      ...values.map((value) => (value === undefined ? "-" : String(value))),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd((widths[i] ?? 0) + 2))
          .join("")
          .trimEnd()}\n`,
    )
    .join("");
}
