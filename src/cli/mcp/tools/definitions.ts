import { METRICS_VERSION, PRESETS, RECIPES, recipeHash } from "../../../metrics/index.js";
import { RECIPE_NAMES } from "../recording-answer.js";
import { input, texts } from "../schema.js";
import { FIGURE_LIST } from "../squad-answer.js";
import type { Tool } from "../tool.js";

/** Returns the definitions of the figures. */
export const defineFigures: Tool = {
  name: "define_figures",
  title: "Definitions of figures",
  description:
    "Returns the meaning of each figure, with its unit, the thresholds of each sport, and the version of the rules. docs/metrics.md of asi-convert has every rule with its source.",
  inputSchema: input({}),
  output: { version: "integer", figures: "array", sports: "object" },
  async answer() {
    return { version: METRICS_VERSION, figures: FIGURE_LIST, sports: PRESETS };
  },
};

/** Lists the recipes, which are other definitions of counts. */
export const listRecipes: Tool = {
  name: "list_recipes",
  title: "Recipes",
  description:
    "Lists other definitions of counts, such as sprints as worded by other systems, each with its source and a hash: two counts are comparable if their recipes have the same hash. If names are given, the result contains all details of these recipes: filter, limits, minimum duration.",
  inputSchema: input({ names: texts("recipes to show in full", [1, 20], RECIPE_NAMES) }),
  output: { recipes: "array" },
  async answer({ names }) {
    const wanted = names as readonly string[] | undefined;
    const shown = RECIPES.filter(({ name }) => wanted?.includes(name) ?? true);
    return {
      recipes: shown.map(({ name, title, source, recipe }) => ({
        ...{ name, title, source, hash: recipeHash(recipe) },
        ...(wanted !== undefined && { recipe }),
      })),
    };
  },
};
