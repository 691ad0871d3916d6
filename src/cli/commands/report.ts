import type { Command } from "commander";
import { parseTimeBound } from "../arguments/time-bounds.js";
import { parsePath } from "../arguments/values.js";
import {
  EXIT_STATUS,
  type Host,
  INPUTS,
  withHr,
  withJson,
  withSerial,
  withTimeZone,
} from "./common-options.js";
import { withMetrics, withSheets } from "./stats.js";

/** Defines `asi report`. */
export function addReport(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("report")
    .summary("write an HTML file that shows a recording, or a squad, without any other program")
    .description(
      "Writes one HTML file with the viewer and the recording: track coloured by speed, plots, ranges, figures and damage. A browser opens it offline. With -o and several recordings, it writes the report of a squad: its table, and a page for each player.",
    )
    .argument("<inputs...>", INPUTS)
    .option("-o, --output <file>", "name of the HTML file; - is standard output", parsePath)
    .option("-d, --out-dir <folder>", "write to this folder instead of beside the input", parsePath)
    .option(
      "--name <pattern>",
      'names of the files, such as "{input}"; default "{serial}_{start}_{end}", as for asi convert',
    )
    .option("-f, --force", "overwrite existing files");
  withHr(withSheets(withMetrics(command)))
    .option("--from <time>", "only rows at or after this time", (text) => parseTimeBound(text, "start"))
    .option("--to <time>", "only rows at or before this time", (text) => parseTimeBound(text, "end"));
  withJson(withSerial(withTimeZone(command, "of --from, --to and the periods, and of the times in names")))
    .addHelpText(
      "before",
      `Examples:
  asi report match.asi
  asi report match.asi -o match.html --max-hr 192
  asi report match/ -o match.html --tz Europe/Zurich    # a squad: asi help squad
  asi report season/ --out-dir reports --name "{input}"
`,
    )
    .addHelpText(
      "after",
      `
Without -o the report is beside the input, and in the current folder for standard input. asi help convert describes --name.

Parts of the report are closed at first: peak demands, counts by other definitions, the acceleration-speed profile, metabolic power as
an estimate with its caution, and standard runs, which are experimental.

--from and --to have the same forms as in asi convert.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { report } = await import("../run/report.js");
      onStatus(await report(inputs, flags, context));
    });
}
