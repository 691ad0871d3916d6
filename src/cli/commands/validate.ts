import type { Command } from "commander";
import { type Host, INPUTS, withJson, withSerial } from "./common-options.js";

/** Defines `asi validate`. */
export function addValidate(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("validate")
    .summary("check recordings for damage")
    .description(
      "Prints a line for each recording: whole, or the position of the first damage. Foreign bytes between frames and unknown frames are not damage.",
    )
    .argument("<inputs...>", INPUTS);
  withJson(withSerial(command))
    .addHelpText("before", 'Examples:\n  asi validate match.asi && echo whole\n  asi validate "**/*.asi"\n')
    .addHelpText(
      "after",
      "\nExit status: 0 all whole, 1 an input is not a recording or cannot be read, 2 usage error, 3 an input is damaged.",
    )
    .action(async (inputs: string[], flags) => {
      const { validate } = await import("../run/validate.js");
      onStatus(await validate(inputs, flags, context));
    });
}
