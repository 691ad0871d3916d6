import type { Command } from "commander";
import {
  EXIT_STATUS,
  type Host,
  INPUTS,
  withHr,
  withJson,
  withSerial,
  withTimeZone,
} from "./common-options.js";

/** Defines `asi info`. */
export function addInfo(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("info")
    .summary("show the content of recordings")
    .description(
      "Shows the header, duration, rows, rates and ranges of each recording, and the use of every byte.",
    )
    .argument("<inputs...>", INPUTS);
  withHr(command);
  withTimeZone(withSerial(command), "of the times shown");
  withJson(command)
    .addHelpText("before", "Examples:\n  asi info match.asi\n  asi info recordings/ --json\n")
    .addHelpText("after", EXIT_STATUS)
    .action(async (inputs: string[], flags) => {
      const { info } = await import("../run/info.js");
      onStatus(await info(inputs, flags, context));
    });
}
