import { type Command, InvalidArgumentError, Option } from "commander";
import { KM_PER_H } from "../../pictures/figure-text.js";
import { parseSpeedZones } from "../arguments/speed-zones.js";
import { parseSport, SPORT_NAMES } from "../arguments/sport.js";
import { parsePath } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUTS, withHr, withTimeZone } from "./common-options.js";

const names = (text: string) => text.split(",").map((name) => name.trim());

/** `19.8km/h` or `5.5 m/s`. @returns m/s */
function parseSpeed(text: string): number {
  const [, value, unit] = /^(\d+(?:\.\d+)?)\s*(km\/h|m\/s)$/.exec(text.trim()) ?? [];
  if (value === undefined)
    throw new InvalidArgumentError("Give a speed with its unit, such as 19.8km/h or 5.5m/s.");
  return unit === "m/s" ? Number(value) : Number(value) / KM_PER_H;
}

/** `asi squad` */
export function addSquad(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("squad")
    .summary("one table of all players of a session, for each period")
    .description(
      "Reads the recordings of a squad and prints one table with a row for each player, for the whole session and for each period. Recordings belong to one session if they overlap or follow each other within 30 minutes, within 5 km.",
    )
    .argument("<inputs...>", INPUTS)
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
    .addOption(
      new Option("--sport <name>", "speed zones and thresholds of this sport; default soccer")
        .choices(SPORT_NAMES)
        .argParser(parseSport),
    )
    .option(
      "--zones <limits>",
      "limits between the speed zones: 7,15,20,25km/h; they do not move the two thresholds",
      parseSpeedZones,
    )
    .option("--high-speed <speed>", "threshold of high-speed distance: 19.8km/h or 5.5m/s", parseSpeed)
    .option("--sprint <speed>", "threshold of sprints: 25.2km/h or 7m/s", parseSpeed)
    .option(
      "--sort <column>",
      "order of the rows, the largest first; with + in front the smallest; default distance",
    )
    .option("--columns <names>", "columns of the table, with commas between", names)
    .addOption(new Option("--by <group>", "rows in groups, each with its mean").choices(["position"]))
    .addOption(
      new Option(
        "--format <name>",
        "text (default), csv, jsonl, xlsx or html; or by the extension of -o",
      ).choices(["text", "csv", "jsonl", "xlsx", "html"]),
    )
    .addOption(
      new Option(
        "--decimal <mark>",
        "decimal mark of a CSV; a comma also makes the fields end with semicolons",
      ).choices([".", ","]),
    )
    .option("-o, --output <file>", "write to this file, as .csv, .jsonl, .xlsx, .html or .txt", parsePath)
    .option("-f, --force", "overwrite an existing file");
  withTimeZone(withHr(command), "of the periods and of the times shown")
    .addHelpText(
      "before",
      `Examples:
  asi squad match/
  asi squad match/ --by position --sort +sprints --tz Europe/Zurich
  asi squad match/ -o match.html --tz Europe/Zurich    # a report to open and print
  asi squad match/ -o match.xlsx --tz Europe/Zurich
  asi squad match/ -o match.csv --decimal , --tz Europe/Zurich
`,
    )
    .addHelpText(
      "after",
      `
A roster has a row for each player: player, serial (numbers of trackers) or file (names of recordings, * is any text), and if you
like number, position, max_hr, rest_hr, high_speed, sprint, birth_date, mass. Speeds have their unit in the cell or the header.

Periods have a name, a start and an end by the clock of --tz: 1st half,15:00,15:47. A row with a player as well replaces
the times for that player, for substitutions; "-" as times means that the player does not take part. Without periods the command
suggests some from the pauses that the squad makes together.

A figure with the sign for "at least" comes from less than 95 % of the period. Means count the players with at least 90 % of it.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { squad } = await import("../run/squad.js");
      onStatus(await squad(inputs, flags, context));
    });
}
