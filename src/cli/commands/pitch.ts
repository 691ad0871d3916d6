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

/** Defines `asi pitch`. */
export function addPitch(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("pitch")
    .summary("compute the position and shape of a team on the pitch")
    .description(
      "Places the recordings of a team on a pitch with four known corners. Prints the mean centroid, stretch index, surface, length and width of the team for the session and each period, without the goalkeeper, or writes the positions of all players as a tracking file in the Common Data Format.",
    )
    .argument("<inputs...>", INPUTS)
    .option(
      "--corners <corners>",
      "latitude,longitude of each corner in degrees, separated by spaces, anticlockwise, A to B along the touchline; or a file with the corners; default pitch.csv in the folder",
    )
    .option("--size <length x width>", "size of the pitch in m: 105x68; default: as measured", parseSize)
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
    .option("--each", "one row per frame instead of one per period")
    .addOption(
      new Option(
        "--format <name>",
        "text, csv, jsonl or cdf; default: by the extension of -o, otherwise text",
      ).choices(["text", "csv", "jsonl", "cdf"]),
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
Distances along the pitch are measured from corner A to B, and distances across the pitch from A to D. A frame
requires at least 3 field players. A position is valid until the next one, for at most 1 s. The player with the
position GK in the roster is the goalkeeper. docs/metrics.md in the repository defines each figure. The Common Data
Format requires a ball, which is null, and two teams, one of which is empty. It has no heart rates; docs/formats.md in
the repository describes the mapping.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { pitch } = await import("../run/pitch.js");
      onStatus(await pitch(inputs, flags, context));
    });
}
