import { figureFlags, qualityOf, RECIPE_NAMES, sourceOf, statsLine, TIMES } from "../recording-answer.js";
import { input, text } from "../schema.js";
import type { Tool } from "../tool.js";

/** Returns the table of `asi stats --sensitivity`, which shows how a count depends on two choices of its definition. */
export const recipeSensitivity: Tool = {
  name: "recipe_sensitivity",
  title: "Sensitivity of a count",
  description:
    "Returns the count of a recipe in a recording, and how it changes with other filters and other minimum durations if everything else is unchanged. A count that changes a lot is not comparable without its definition.",
  inputSchema: input(
    {
      file: text("a recording from list_recordings"),
      recipe: text("a recipe from list_recipes", RECIPE_NAMES),
      ...TIMES,
    },
    ["file", "recipe"],
  ),
  output: { source: "object", recipe: "object", quality: "object", notices: "array" },
  async answer(given, surroundings) {
    const flags = { ...figureFlags({ ...given, recipes: [String(given.recipe)] }), sensitivity: true };
    const { file, line, notices } = await statsLine(String(given.file), flags, surroundings);
    const [found] = line.figures?.recipes ?? [];
    return {
      source: sourceOf(file, line),
      recipe: {
        name: found?.name,
        title: found?.title,
        source: found?.source,
        hash: found?.hash,
        count: found?.count ?? null,
        distance_m: found?.distance ?? null,
        dropped: found?.dropped,
        definition: found?.definition,
        sensitivity: found?.sensitivity ?? [],
      },
      quality: qualityOf(line),
      notices,
    };
  },
};
