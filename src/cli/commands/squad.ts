import { type Command, Option } from "commander";
import { parseSpeed, parseSpeedZones } from "../arguments/speed-zones.js";
import { parseSport, SPORT_NAMES } from "../arguments/sport.js";
import { parsePath } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUTS, withHr, withJobs, withTimeZone } from "./common-options.js";

const names = (text: string) => text.split(",").map((name) => name.trim());

/** Defines `asi squad`. */
export function addSquad(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("squad")
    .summary("print a table of all players in a session, for each period")
    .description(
      "Reads the recordings of a squad and prints one table with a row for each player, for the whole session, for the match (the sum of two halves), and for each period. Recordings belong to one session if they overlap or follow each other within 30 minutes, within 5 km.",
    )
    .argument("<inputs...>", INPUTS)
    .option(
      "--roster <file>",
      "CSV with the columns player, and serial or file; default roster.csv in the folder",
      parsePath,
    )
    .option(
      "--periods <file>",
      "CSV with the columns period, start, end; or suggested, for suggested periods; default periods.csv in the folder",
      parsePath,
    )
    .addOption(
      new Option("--sport <name>", "speed zones and thresholds of this sport; default soccer")
        .choices(SPORT_NAMES)
        .argParser(parseSport),
    )
    .option(
      "--zones <limits>",
      "limits between the speed zones of the report: 7,15,20,25km/h; the two thresholds do not change",
      parseSpeedZones,
    )
    .option("--high-speed <speed>", "threshold of high-speed distance: 19.8km/h or 5.5m/s", parseSpeed)
    .option("--sprint <speed>", "threshold of sprints: 25.2km/h or 7m/s", parseSpeed)
    .addOption(
      new Option(
        "--individual-zones <kind>",
        "individual limits from the roster instead of fixed ones: mss uses max_speed, asr also aerobic_speed; players without these speeds have no figures by zones",
      ).choices(["mss", "asr"]),
    )
    .option(
      "--sort <column>",
      "order of the rows of each period, the largest first; +COLUMN: the smallest first; default distance, and in csv, jsonl and parquet the order of the roster",
    )
    .option(
      "--columns <names>",
      "figures of the table, separated by commas; files keep the other columns",
      names,
    )
    .option(
      "--recipe <name>",
      "also count by this recipe: a name from asi recipes list, or a JSON file; repeat the option for more recipes",
      (name: string, names: string[] = []) => [...names, name],
    )
    .option(
      "--peaks",
      "also compute the most demanding 1 s to 10 min of each player: distance, accelerations, heart rate; files also contain their starts, except files of a season",
    )
    .option(
      "--metabolic-power",
      "also estimate the energy of each player from speed; the output contains a caution with its source",
    )
    .option(
      "--standard-runs",
      "experimental: also find steady runs of at least 4 minutes, with speed and heart rate of the longest; the output contains a caution",
    )
    .addOption(
      new Option(
        "--by <group>",
        "position: rows grouped by position, with a mean for each group; player: all sessions of a season, from one folder for each session",
      ).choices(["position", "player"]),
    )
    .option(
      "--matches <pattern>",
      'with --by player: folders that are matches, such as "*match*"; default those with two halves of 30 to 70 minutes',
    )
    .addOption(
      new Option(
        "--load <figure>",
        "with --by player: the load of each player over days and weeks, from this figure of the sessions",
      ).choices(["distance", "high-speed", "trimp"]),
    )
    .option(
      "--profile",
      "with --by player: maximum speed of the season, and the acceleration-speed profile of 28 days",
    )
    .option(
      "--cache",
      "with --by player: cache the figures of each session in its folder, and read only sessions that have changed",
    )
    .addOption(
      new Option(
        "--format <name>",
        "text, csv, jsonl, parquet, xlsx or html; default: by the extension of -o, otherwise text",
      ).choices(["text", "csv", "jsonl", "parquet", "xlsx", "html"]),
    )
    .addOption(
      new Option(
        "--decimal <mark>",
        "decimal mark of a CSV; with a comma, the delimiter is a semicolon",
      ).choices([".", ","]),
    )
    .option(
      "-o, --output <file>",
      "write to this file, as .csv, .jsonl, .parquet, .xlsx, .html or .txt",
      parsePath,
    )
    .option("-f, --force", "overwrite an existing file");
  withTimeZone(withJobs(withHr(command), "read with --by player"), "of the periods and of the times shown")
    .addHelpText(
      "before",
      `Examples:
  asi squad match/
  asi squad match/ --periods suggested -o match.xlsx
  asi squad match/ --by position --sort +sprints --tz Europe/Zurich
  asi squad match/ -o match.html --tz Europe/Zurich    # a report to open and print
  asi squad match/ --recipe statsports/sprint --sort statsports/sprint
  asi squad match/ --peaks --sort peak_60s_distance
  asi squad match/ --metabolic-power -o match.csv
  asi squad match/ --standard-runs
  asi squad match/ --individual-zones mss
  asi squad match/ -o match.csv --decimal , --tz Europe/Zurich
  asi squad season/ --by player -o season.html --tz Europe/Zurich
  asi squad season/ --by player --load distance
  asi squad season/ --by player --profile
  asi squad season/ --by player --recipe statsports/sprint
`,
    )
    .addHelpText(
      "after",
      `
A roster has a row for each player: player, serial (numbers of trackers) or file (names of recordings, in which * is
any text), and optionally number, position, max_hr, rest_hr, high_speed, sprint, max_speed, aerobic_speed, birth_date,
mass. The unit of a speed is in the cell or the header.

With --by player, each folder in the named folder is a session. The output has all sessions of each player, their mean
and best values, the ratio of the last session to the mean of the five previous matches, and the days since the last
session. Figures of a match are from its two halves. With --load, the output also has the load of the days: weighted
means over 7 and 28 days; sum, monotony and strain of the week; and the ratio to a match. A day without a recording is
a day of rest. With --recipe, the counts of each recipe become figures of the season.

Periods have a name, a start and an end in the zone of --tz: 1st half,15:00,15:47. A row with a player replaces the
times for that player, for substitutions; "-" as times means that the player does not take part. Without periods, the
command suggests some from the pauses that the squad has in common, and prints them in the form of periods.csv; with
--periods suggested, it makes a table for each of them.

A figure with the sign for "at least" is computed from less than 95 % of the period. Means include the players who
play at least 90 % of it, and exclude those who seem to sit on the bench.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { squad } = await import("../run/squad.js");
      onStatus(await squad(inputs, flags, context));
    });
}
