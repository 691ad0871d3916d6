import { type Command, InvalidArgumentError, Option } from "commander";
import { parseSpeed, parseSpeedZones } from "../arguments/speed-zones.js";
import { parseSport, SPORT_NAMES } from "../arguments/sport.js";
import { parseTimeBound } from "../arguments/time-bounds.js";
import { parsePath, wholeNumber } from "../arguments/values.js";
import {
  EXIT_STATUS,
  type Host,
  INPUTS,
  withHr,
  withJobs,
  withJson,
  withSerial,
  withTimeZone,
} from "./common-options.js";

function parseHeartRange(text: string): [low: number, high: number] {
  const [, low, high] = /^(\d+)-(\d+)$/.exec(text.trim())?.map(Number) ?? [];
  if (low === undefined || high === undefined || low < 30 || high > 240 || low > high)
    throw new InvalidArgumentError("Give two heart rates from 30 to 240 bpm, such as 150-180.");
  return [low, high];
}

/** Adds the options that select the parameters of the figures. */
export const withMetrics = (command: Command) =>
  command
    .addOption(
      new Option(
        "--sport <name>",
        "speed zones and thresholds of this sport; default soccer; football means soccer, and cycling means biking",
      )
        .choices(SPORT_NAMES)
        .argParser(parseSport),
    )
    .option(
      "--zones <limits>",
      "limits between the speed zones, with their unit: 7,15,20,25km/h or 2,4,5.5,7m/s; the thresholds of high speed and sprints do not change",
      parseSpeedZones,
    )
    .option("--high-speed <speed>", "threshold of high-speed distance: 19.8km/h or 5.5m/s", parseSpeed)
    .option("--sprint <speed>", "threshold of sprints: 25.2km/h or 7m/s", parseSpeed)
    .option(
      "--max-hr <bpm>",
      "maximum heart rate of the athlete, for the heart-rate zones",
      wholeNumber(60, 240),
    );

/** Adds the option for individual zones. */
const withIndividualZones = (command: Command) =>
  command.addOption(
    new Option(
      "--individual-zones <kind>",
      "with --roster: individual limits instead of fixed ones; mss uses max_speed, asr also aerobic_speed",
    ).choices(["mss", "asr"]),
  );

/** Adds the options for optional figures. */
const withFigures = (command: Command) =>
  command
    .option(
      "--peaks",
      "the most demanding 1 s to 10 min: distance, accelerations, heart rate; critical speed",
    )
    .option(
      "--recipe <name>",
      "count by this recipe: a name from asi recipes list, or a JSON file; repeat the option for more recipes",
      (name: string, names: string[] = []) => [...names, name],
    )
    .option(
      "--sensitivity",
      "effect of filter and minimum duration on the count of each --recipe; default: the sprints of --sport",
    )
    .option(
      "--metabolic-power",
      "an estimate of energy from speed, with a warning about its limits; with --peaks, the JSON also contains its peaks",
    )
    .option("--profile", "maximum speed held for 0.5 s, and the acceleration-speed profile of the session")
    .option(
      "--standard-runs",
      "experimental: steady runs of at least 4 minutes, with the heart rate at their end",
    )
    .option(
      "--hrv",
      "heart-rate variability from the beats of the ECG waveform or the RR intervals of a FIT file, with corrected artefacts; DFA alpha 1",
    )
    .option("--at-rest", "with --hrv: the person was at rest, so LF and HF are computed");

/** Adds the options for the files of a club. */
export const withSheets = (command: Command) =>
  command
    .option(
      "--roster <file>",
      "CSV of the players with their names, maximum heart rates and thresholds; asi help squad describes it",
      parsePath,
    )
    .option(
      "--periods <file>",
      "CSV of the periods, such as halves, for separate figures; asi help squad describes it",
      parsePath,
    );

/** Defines `asi stats`. */
export function addStats(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("stats")
    .summary("compute distance, speed zones, sprints, accelerations and heart-rate zones")
    .description(
      "Computes the figures of each recording: distance, duration, mean and maximum speed, distance and time in each speed zone, sprints, accelerations, and time in each heart-rate zone. The service computes them with the same functions.",
    )
    .argument("<inputs...>", INPUTS);
  withHr(withSheets(withMetrics(command)))
    .option("--from <time>", "only rows at or after this time", (text) => parseTimeBound(text, "start"))
    .option("--to <time>", "only rows at or before this time", (text) => parseTimeBound(text, "end"))
    .option(
      "--heart-range <bpm>",
      "only rows while the heart rate is in this range, including its limits: 150-180",
      parseHeartRange,
    );
  withFigures(withIndividualZones(command));
  withTimeZone(command, "of --from, --to and the periods, and of the times shown")
    .addOption(
      new Option(
        "--format <name>",
        "text (default), or csv: one table with a row for each recording",
      ).choices(["text", "csv"]),
    )
    .addOption(
      new Option(
        "--decimal <mark>",
        "decimal mark of a CSV; with a comma, the delimiter is a semicolon",
      ).choices([".", ","]),
    )
    .option("-o, --output <file>", "write the table to this .csv file", parsePath)
    .option("-f, --force", "overwrite an existing file");
  withJobs(withJson(withSerial(command)), "read")
    .addHelpText(
      "before",
      `Examples:
  asi stats match.asi
  asi stats match.asi --from 16:30 --to 17:15 --tz Europe/Zurich --max-hr 192
  asi stats match.asi --zones 7,15,20,25km/h
  asi stats match.asi --heart-range 150-180
  asi stats match.asi --peaks
  asi stats match/ --roster roster.csv --individual-zones mss
  asi stats match/07-Roth.asi --recipe statsports/sprint --sensitivity
  asi stats season/ --format csv > season.csv
  asi stats match/ --roster roster.csv --periods periods.csv --decimal , -o match.csv
  asi stats "**/*.asi" --sport running --json
`,
    )
    .addHelpText(
      "after",
      `
Distances are computed from the receiver's Doppler speed; standing and gaps add nothing. A sprint lasts at least 1 s.
An acceleration is counted under the highest threshold that its peak reaches. docs/metrics.md in the repository
defines every figure and names the sources. With --periods, the output also contains all figures of each period.
--json prints the figures with the same keys as the computed data of the service, in m, s, m/s, m/s2 and bpm.

asi stats, asi plot and asi report keep all rows of a recording in memory: about 100 bytes per row, or 6 MB for
90 minutes at 10 Hz. With --jobs 4, there are 4 recordings in memory.

--from and --to have the same forms as in asi convert. FIT, GPX and TCX files can be named too.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { stats } = await import("../run/stats.js");
      onStatus(await stats(inputs, flags, context));
    });
}
