import type { Command } from "commander";
import { parseTimeBound } from "../arguments/time-bounds.js";
import { parsePath } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUTS, withHr, withSerial, withTimeZone } from "./common-options.js";
import { withMetrics, withSheets } from "./stats.js";

/** Defines `asi plot`. */
export function addPlot(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("plot")
    .summary("draw speed and heart rate in the terminal, or a picture of the session")
    .description(
      "Draws speed and heart rate over time in the terminal. With -o it writes a picture: the track coloured by speed zone, figures, speed and heart rate.",
    )
    .argument("<inputs...>", INPUTS)
    .option("-o, --output <file>", "write a picture to this file, as SVG or PNG by its extension", parsePath)
    .option(
      "--out-dir <folder>",
      "write an SVG for each input into this folder, created if missing",
      parsePath,
    )
    .option("-f, --force", "overwrite an existing file");
  withHr(withSheets(withMetrics(command)))
    .option("--from <time>", "only rows at or after this time", (text) => parseTimeBound(text, "start"))
    .option("--to <time>", "only rows at or before this time", (text) => parseTimeBound(text, "end"));
  withSerial(withTimeZone(command, "of --from, --to and the periods, and of the times shown"))
    .addHelpText(
      "before",
      `Examples:
  asi plot match.asi
  asi plot match.asi --from 16:30 --to 17:15 --tz Europe/Zurich
  asi plot match.asi -o match.svg
  asi plot match.asi -o match.png
  asi plot *.asi --out-dir pictures
  asi plot run.asi --sport running -o run.svg
  asi plot match/ --roster roster.csv --periods periods.csv --out-dir pictures
`,
    )
    .addHelpText(
      "after",
      `
The plot is as wide as the terminal, or 80 characters without a terminal. The environment variable NO_COLOR disables
colours.

--from and --to have the same forms as in asi convert.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { plot } = await import("../run/plot.js");
      onStatus(await plot(inputs, flags, context));
    });
}
