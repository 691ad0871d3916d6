import { Argument, type Command } from "commander";
import { EXIT_STATUS, type Host } from "./common-options.js";

/** Defines `asi recipes`. */
export function addRecipes(program: Command, { context, onStatus }: Host): void {
  program
    .command("recipes")
    .summary("list, show, check and compare definitions of counts")
    .description(
      "A recipe is the definition of a count as JSON: filter, limits, minimum duration and everything else that changes the number. list shows the built-in recipes, show prints them, check reads files with your own recipes and prints their hashes, and compare shows in which keys recipes differ.",
    )
    .addArgument(new Argument("<action>", "action").choices(["list", "show", "check", "compare"]))
    .argument("[recipes...]", "names of the list, or JSON files")
    .option("--json", "print each recipe, or each difference, as a line of JSON")
    .addHelpText(
      "before",
      `Examples:
  asi recipes list
  asi recipes show soccer/sprint > ours.json     a file to change
  asi recipes check ours.json
  asi recipes compare soccer/sprint statsports/sprint ours.json
  asi stats match.asi --recipe ours.json --sensitivity
`,
    )
    .addHelpText(
      "after",
      `
Two results are comparable if their recipes have the same hash: the SHA-256 of the recipe in canonical JSON (RFC 8785). docs/metrics.md
in the repository defines each key. "As worded by" names the published source; software with an unpublished filter may count differently.
${EXIT_STATUS}`,
    )
    .action(async (action, recipes: string[], flags) => {
      const { recipes: run } = await import("../run/recipes.js");
      onStatus(await run(action, recipes, flags, context));
    });
}
