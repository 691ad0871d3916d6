import { type Command, InvalidArgumentError, Option } from "commander";
import { parseSport, SPORT_NAMES } from "../arguments/sport.js";
import { parsePath, wholeNumber } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUTS, withJson, withSerial, withTimeZone } from "./common-options.js";

function parseHrThresholds(text: string): [first: number, second: number] {
  const [, first, second] = /^(\d+),(\d+)$/.exec(text.replaceAll(" ", ""))?.map(Number) ?? [];
  if (first === undefined || second === undefined)
    throw new InvalidArgumentError("Give two heart rates in bpm, such as 150,170.");
  return [first, second];
}

/** Defines `asi load`. */
export function addLoad(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("load")
    .summary("compute the load of days and weeks")
    .description(
      "Computes the load of each device by calendar day, from many recordings: weighted means over 7 and 28 days, sum of the week, monotony and strain. A day without a recording is a day of rest.",
    )
    .argument("<inputs...>", INPUTS)
    .addOption(
      new Option("--of <load>", "definition of the load of a session; default distance").choices([
        "distance",
        "high-speed",
        "trimp-edwards",
        "trimp-banister",
        "trimp-lucia",
        "rpe",
      ]),
    )
    .addOption(
      new Option("--sport <name>", "thresholds of this sport, for high-speed; default soccer")
        .choices(SPORT_NAMES)
        .argParser(parseSport),
    )
    .option("--max-hr <bpm>", "maximum heart rate, for TRIMP", wholeNumber(60, 240))
    .option("--rest-hr <bpm>", "heart rate at rest, for Banister's TRIMP", wholeNumber(30, 120))
    .option(
      "--hr-thresholds <bpm>",
      "heart rates at the two ventilatory thresholds, for Lucia's TRIMP: 150,170",
      parseHrThresholds,
    )
    .addOption(new Option("--sex <sex>", "weights of Banister's TRIMP").choices(["female", "male"]))
    .option(
      "--rpe <file>",
      "CSV with the columns file and rpe: the rating of each recording, 0 to 10",
      parsePath,
    )
    .option("--ratio", "also print the ratio of acute to chronic load, with a warning about its limits");
  withTimeZone(command, "of the calendar days");
  withJson(withSerial(command))
    .addHelpText(
      "before",
      `Examples:
  asi load season/ --tz Europe/Zurich
  asi load season/ --of trimp-edwards --max-hr 192 --json
  asi load season/ --of rpe --rpe ratings.csv
`,
    )
    .addHelpText("after", `\ndocs/metrics.md in the repository defines each column.\n${EXIT_STATUS}`)
    .action(async (inputs: string[], flags) => {
      const { load } = await import("../run/load.js");
      onStatus(await load(inputs, flags, context));
    });
}
