import type { Command } from "commander";
import { EXIT_STATUS, type Host, INPUTS, withJson, withSerial, withTimeZone } from "./common-options.js";

/** Defines `asi ranges`. */
export function addRanges(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("ranges")
    .summary("list the recorded time ranges")
    .description(
      "Prints a line for each range of rows that are at most 5 minutes apart: first row, last row and number of rows, separated by tabs. With several inputs each line starts with the name of its input.",
    )
    .argument("<inputs...>", INPUTS);
  withTimeZone(withSerial(command), "of the times shown");
  withJson(command)
    .addHelpText("before", "Examples:\n  asi ranges match.asi\n  asi ranges recordings/ | cut -f 1,2\n")
    .addHelpText("after", EXIT_STATUS)
    .action(async (inputs: string[], flags) => {
      const { ranges } = await import("../run/ranges.js");
      onStatus(await ranges(inputs, flags, context));
    });
}
