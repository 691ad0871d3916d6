import { type Command, InvalidArgumentError, Option } from "commander";
import type { PitchSize } from "../../metrics/index.js";
import { parsePath, parseTimeSpan } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUTS, withTimeZone } from "./common-options.js";

function parseSize(text: string): PitchSize {
  const [, length, width] = /^(\d+(?:\.\d+)?)\s*[x×]\s*(\d+(?:\.\d+)?)\s*m?$/i.exec(text) ?? [];
  if (length === undefined || width === undefined) {
    throw new InvalidArgumentError("Give length and width in metres, such as 105x68.");
  }
  return { length: Number(length), width: Number(width) };
}

/** `asi pitch` */
export function addPitch(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("pitch")
    .summary("where a team plays on the pitch, and in which shape")
    .description(
      "Puts the recordings of a team on a pitch with four known corners, and gives for the session and each period the mean centroid, stretch index, surface, length and width of the team, without the goalkeeper. Or writes the places of all players as a tracking file in the Common Data Format.",
    )
    .argument("<inputs...>", INPUTS)
    .option(
      "--corners <corners>",
      "latitude,longitude of each corner in degrees, with spaces between, anticlockwise, A to B along the touchline; or a file with them; default pitch.csv in the folder",
    )
    .option("--size <length x width>", "of the pitch in m: 105x68; default as measured", parseSize)
    .option(
      "--roster <file>",
      "CSV with the columns player, and serial or file; default roster.csv in the folder",
      parsePath,
    )
    .option(
      "--periods <file>",
      "CSV with the columns period, start, end; default periods.csv in the folder",
      parsePath,
    )
    .option("--every <time>", "time between two frames; default 1s", parseTimeSpan)
    .option("--each", "a row for each frame, not for each period")
    .addOption(
      new Option("--format <name>", "text (default), csv, jsonl or cdf; or by the extension of -o").choices([
        "text",
        "csv",
        "jsonl",
        "cdf",
      ]),
    )
    .option("-o, --output <file>", "write to this file, as .csv, .jsonl or .txt", parsePath)
    .option("-f, --force", "overwrite an existing file");
  withTimeZone(command, "of the periods and of the times shown")
    .addHelpText(
      "before",
      `Examples:
  asi pitch match/ --corners pitch.csv
  asi pitch match/ --corners "46.9630,7.4641 46.9630,7.4655 46.9636,7.4655 46.9636,7.4641" --size 105x68
  asi pitch match/ --each --every 500ms -o shape.csv
  asi pitch match/ --format cdf --every 100ms -o tracking.jsonl
`,
    )
    .addHelpText(
      "after",
      `
Distances along the pitch are from corner A to B, across it from A to D. A frame counts from 3 field players on. A position holds until the
next one, at most 1 s. Whoever has the position GK in the roster is the goalkeeper. docs/metrics.md defines each figure.

Tracking files are in the Common Data Format 0.2.3: a line for each frame of the two halves, with the places in metres from the middle
of the pitch. The format requires a ball, which is null, and two teams, of which one is empty. It has no place for heart rates.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { pitch } = await import("../run/pitch.js");
      onStatus(await pitch(inputs, flags, context));
    });
}
