import type { Command } from "commander";
import { parseInstant } from "../arguments/time-bounds.js";
import { parseDelimiter, parsePath, parseTimeSpan, wholeNumber } from "../arguments/values.js";
import { EXIT_STATUS, type Host, withJson, withTimeZone } from "./common-options.js";

/** Defines `asi encode`. */
export function addEncode(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("encode")
    .summary("convert a CSV, FIT, GPX or TCX file to a recording")
    .description(
      "Writes a recording from a CSV with the columns timestamp, latitude, longitude, speed, and optionally altitude and hr, in the units of asi convert; from a FIT, GPX or TCX file of any manufacturer; or, with --demo, from a generated football session. The format of the file is detected from its content.",
    )
    .argument("[file]", "a file, or - for standard input")
    .option("-o, --output <file>", "name of the recording; - is standard output", parsePath)
    .option("-f, --force", "overwrite existing files")
    .option(
      "--serial <number>",
      "serial number of the device; default: from the file name, or DEMO-0001 with --demo",
    )
    .option("--device-name <text>", "up to 16 characters")
    .option("--device-type <text>", "up to 12 characters")
    .option("--firmware <text>", "up to 12 characters")
    .option("--period <ms>", "nominal time between two rows; default 100", wholeNumber(0, 0xffff))
    .option(
      "--delimiter <character>",
      "character between the fields of a CSV, such as ; or tab; default: detected from the first line",
      parseDelimiter,
    )
    .option("--demo", "generate a session: 10 rows and one heart rate per second")
    .option(
      "--squad <players>",
      "with --demo: write a match of 11 to 25 players to the folder of -o, with roster.csv and periods.csv",
      wholeNumber(11, 25),
    )
    .option("--seed <n>", "seed of the generated session; default 1", wholeNumber(0, 0xffffffff))
    .option(
      "--start <time>",
      "time of the first row; default 2025-05-17T14:30:00Z, with --squad 2026-05-16T12:30:00Z",
      (text) => Math.round(parseInstant(text)),
    )
    .option(
      "--duration <time>",
      "time from the first row to the last; default 20min; two halves with a break if at least 45min",
      parseTimeSpan,
    );
  withTimeZone(command, "of times without an offset in a CSV");
  withJson(command)
    .addHelpText(
      "before",
      `Examples:
  asi encode session.csv --serial ROVER-1
  asi encode ROVER-1_20250517T143000_20250517T161500.csv -o match.asi
  asi encode watch.fit --serial WATCH-7 --period 1000
  asi encode --demo --squad 11 -o match
  asi encode --demo --serial DEMO-7 --seed 7 --start 2025-05-17T14:30:00Z --duration 105min -o demo.asi
`,
    )
    .addHelpText(
      "after",
      `
Without -o the recording of NAME.csv or NAME.gpx is NAME.asi beside it. It is SERIAL.asi for standard input and
SERIAL_START_END.asi for a demo, in the current folder. Points of a track without a time or position are omitted. Missing
speeds are computed from successive positions. In a CSV, times are seconds since 1970 or dates and times
(2025-05-17T14:30:00.050Z, or 2025-05-17 14:30:00.050 in the zone of --tz), as asi convert --time writes them. If the fields
are not separated by commas, decimals can have a decimal comma.
${EXIT_STATUS}`,
    )
    .action(async (csv: string | undefined, flags) => {
      const { encode } = await import("../run/encode.js");
      onStatus(await encode(csv, flags, context));
    });
}
