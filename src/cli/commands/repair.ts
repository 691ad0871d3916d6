import type { Command } from "commander";
import { parsePath } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUTS, withJson, withSerial } from "./common-options.js";

/** Defines `asi repair`. */
export function addRepair(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("repair")
    .summary("copy the valid frames of damaged recordings")
    .description(
      "Copies only the valid frames of each recording. The CSV of the clean recording is the same. The input is not changed.",
    )
    .argument("<inputs...>", INPUTS)
    .option("-o, --output <file>", "name of the recording; - is standard output", parsePath)
    .option("-d, --out-dir <folder>", "write to this folder instead of beside the input", parsePath)
    .option("-f, --force", "overwrite existing files");
  withJson(withSerial(command))
    .addHelpText(
      "before",
      "Examples:\n  asi repair match.asi\n  asi repair match.asi -o clean.asi\n  asi repair receiver.ubx --serial ROVER-1 -o match.asi\n",
    )
    .addHelpText(
      "after",
      `
Without -o the clean recording of NAME.asi is NAME.repaired.asi. Files with such names are skipped in folders and
patterns, so that they are not repaired again.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { repair } = await import("../run/repair.js");
      onStatus(await repair(inputs, flags, context));
    });
}
