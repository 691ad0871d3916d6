import { type Command, Option } from "commander";
import { parseSport, SPORT_NAMES } from "../arguments/sport.js";
import { wholeNumber } from "../arguments/values.js";
import { EXIT_STATUS, type Host, INPUTS, withJson, withSerial, withTimeZone } from "./common-options.js";

/** `asi load` */
export function addLoad(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("load")
    .summary("add up the load of days and weeks")
    .description(
      "Adds up the load of many recordings by calendar day, for each device: weighted means of 7 and 28 days, sum of the week, monotony and strain. A day without a recording is a day of rest.",
    )
    .argument("<inputs...>", INPUTS)
    .addOption(
      new Option("--of <load>", "definition of the load of a session; default distance").choices([
        "distance",
        "high-speed",
        "trimp-edwards",
        "trimp-banister",
      ]),
    )
    .addOption(
      new Option("--sport <name>", "thresholds of this sport, for high-speed; default soccer")
        .choices(SPORT_NAMES)
        .argParser(parseSport),
    )
    .option("--max-hr <bpm>", "maximum heart rate, for TRIMP", wholeNumber(60, 240))
    .option("--rest-hr <bpm>", "heart rate at rest, for Banister's TRIMP", wholeNumber(30, 120))
    .addOption(new Option("--sex <sex>", "weights of Banister's TRIMP").choices(["female", "male"]))
    .option("--ratio", "also print the ratio of acute to chronic load, with a warning about its limits");
  withTimeZone(command, "of the calendar days");
  withJson(withSerial(command))
    .addHelpText(
      "before",
      `Examples:
  asi load season/ --tz Europe/Zurich
  asi load season/ --of trimp-edwards --max-hr 192 --json
`,
    )
    .addHelpText("after", `\ndocs/metrics.md defines each column.\n${EXIT_STATUS}`)
    .action(async (inputs: string[], flags) => {
      const { load } = await import("../run/load.js");
      onStatus(await load(inputs, flags, context));
    });
}
