import { writeSync } from "node:fs";
import { Command } from "commander";
import { version } from "../../package.json";
import type { Context } from "./batch.js";
import type { ExitStatus } from "./exit-status.js";
import { printable, printableLines } from "./printable.js";
import {
  parseColumns,
  parseDelimiter,
  parseInstant,
  parsePath,
  parseTimeSpan,
  wholeNumber,
} from "./values.js";

/** What the commands need from their caller. */
interface Host {
  context: Context;
  onStatus(status: ExitStatus): void;
}

const EXIT_STATUS = `
Exit status: 0 success, 1 failure, 2 usage error, 3 success but an input was damaged.
If there are several inputs, an error in one of them does not stop the others.`;

const INPUTS =
  'files, folders (the *.asi files in them and in their subfolders), patterns ("**/*.asi"), or - for standard input';

/** Defines the commands and options of `asi`. The module of a command is loaded when the command runs. */
export function buildProgram(context: Context, onStatus: (status: ExitStatus) => void): Command {
  const program = new Command("asi")
    .description(
      "Converts recordings of wearable trackers (.asi, with GNSS and heart rate) to CSV, GPX and other formats.",
    )
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeOut: (text) => write(1, text), writeErr: (text) => write(2, text) })
    .addHelpText(
      "before",
      `Examples:
  asi convert match.asi                   writes SERIAL_START_END.csv beside the recording
  asi convert recordings/ --out-dir csv   converts every .asi file in a folder and its subfolders
  asi info match.asi                      shows the content of a recording
  asi validate *.asi                      exits with status 3 if one is damaged
  asi repair match.asi                    copies the valid frames to match.repaired.asi
  asi encode --demo -o demo.asi           generates a demo session
`,
    )
    .addHelpText("after", EXIT_STATUS);
  const host = { context, onStatus };
  addConvert(program, host);
  addInfo(program, host);
  addRanges(program, host);
  addValidate(program, host);
  addRepair(program, host);
  addEncode(program, host);
  return program;
}

const withSerial = (command: Command) =>
  command.option(
    "--serial <number>",
    "use this serial number instead of the recording's own; also allows reading plain u-blox logs",
  );

const withJson = (command: Command) =>
  command.option("--json", "print the result of each input as a line of JSON to standard output");

function addConvert(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("convert")
    .summary("convert recordings to CSV, Parquet, GPX, TCX, FIT, GeoJSON, JSON lines or KML")
    .description(
      "Writes the rows of each recording, as CSV by default: timestamp (s since 1970 UTC), latitude and longitude (degrees), altitude (m), speed (m/s), hr (bpm).",
    )
    .argument("<inputs...>", INPUTS)
    .option("-o, --output <file>", "name of the output file; - is standard output", parsePath)
    .option("-d, --out-dir <folder>", "write to this folder instead of beside the input", parsePath)
    .option("-f, --force", "overwrite existing files")
    .option(
      "--format <name>",
      "csv, parquet, gpx, tcx, fit, geojson, geojsonl, jsonl or kml; default: by the extension of -o, otherwise csv",
    )
    .option("--split", "one file per range (ranges are more than 5 minutes apart)")
    .option("--from <time>", "only rows at or after this time", (text) => parseInstant(text, "start"))
    .option("--to <time>", "only rows at or before this time", (text) => parseInstant(text, "end"))
    .option("--columns <names>", "the columns in this order, separated by commas", parseColumns)
    .option("--delimiter <character>", "character between the fields, such as ; or tab", parseDelimiter)
    .option("--decimal <mark>", "decimal mark: . or a comma; with a comma the default delimiter is ;")
    .option(
      "--fill-hr <age>",
      "repeat a heart rate on later rows up to this age: 5s, 1500ms; default 2s for gpx, tcx and fit, otherwise 0",
      parseTimeSpan,
    );
  withSerial(command).option("--strict", "fail at the first damage");
  withJson(command)
    .option("-j, --jobs <n>", "number of files to convert at a time, each in a thread", wholeNumber(1, 64), 1)
    .addHelpText(
      "before",
      `Examples:
  asi convert match.asi
  asi convert recordings/ "archive/**/*.asi" --out-dir csv --jobs 4
  asi convert match.asi --from 2025-05-17T14:30:00Z --to 2025-05-17T15:15:00Z
  asi convert match.asi -o match.gpx
  asi convert recordings/ --format jsonl --out-dir rows
  asi convert match.asi -o - | head
  asi convert - < match.asi
  asi convert match.asi --columns timestamp,speed --delimiter ";" -o speed.csv
  asi convert receiver.ubx --serial ROVER-1
`,
    )
    .addHelpText(
      "after",
      `
Without -o and --out-dir the file is written beside its input, or to the current folder for standard input. Its name is
SERIAL_START_END.csv, with the times of its first and last row and the extension of its format. A file is never left
incomplete.

--columns, --delimiter and --decimal apply only to CSV. Units are the same in all formats. Text formats other than CSV
write times as ISO 8601.

Times: RFC 3339 (2025-05-17T14:30:00.5+02:00; UTC without an offset), 20250517T143000 as in file names, seconds since
1970 as in the CSV, or a date for the whole day. Both ends are inclusive.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { convert } = await import("./convert.js");
      onStatus(await convert(inputs, flags, context));
    });
}

function addInfo(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("info")
    .summary("show the content of recordings")
    .description(
      "Shows for each recording the header, duration, rows, rates and ranges, and accounts for every byte.",
    )
    .argument("<inputs...>", INPUTS);
  withJson(withSerial(command))
    .addHelpText("before", "Examples:\n  asi info match.asi\n  asi info recordings/ --json\n")
    .addHelpText("after", EXIT_STATUS)
    .action(async (inputs: string[], flags) => {
      const { info } = await import("./info.js");
      onStatus(await info(inputs, flags, context));
    });
}

function addRanges(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("ranges")
    .summary("list the recorded time ranges")
    .description(
      "Prints a line for each range of rows that are at most 5 minutes apart: first row, last row and number of rows, separated by tabs. With several inputs each line starts with the name of its input.",
    )
    .argument("<inputs...>", INPUTS);
  withJson(withSerial(command))
    .addHelpText("before", "Examples:\n  asi ranges match.asi\n  asi ranges recordings/ | cut -f 1,2\n")
    .addHelpText("after", EXIT_STATUS)
    .action(async (inputs: string[], flags) => {
      const { ranges } = await import("./ranges.js");
      onStatus(await ranges(inputs, flags, context));
    });
}

function addValidate(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("validate")
    .summary("check recordings for damage")
    .description(
      "Prints a line for each recording: whether it is whole, and if not, where the first damage is. Foreign bytes between frames and unknown frames are not damage.",
    )
    .argument("<inputs...>", INPUTS);
  withJson(withSerial(command))
    .addHelpText("before", 'Examples:\n  asi validate match.asi && echo whole\n  asi validate "**/*.asi"\n')
    .addHelpText(
      "after",
      "\nExit status: 0 all whole, 1 an input is not a recording or cannot be read, 2 usage error, 3 an input is damaged.",
    )
    .action(async (inputs: string[], flags) => {
      const { validate } = await import("./validate.js");
      onStatus(await validate(inputs, flags, context));
    });
}

function addRepair(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("repair")
    .summary("copy the valid frames of damaged recordings")
    .description(
      "Copies only the valid frames of each recording. The clean recording gives the same CSV. The input is not changed.",
    )
    .argument("<inputs...>", INPUTS)
    .option("-o, --output <file>", "name of the recording; - is standard output", parsePath)
    .option("-d, --out-dir <folder>", "write to this folder instead of beside the input", parsePath)
    .option("-f, --force", "overwrite existing files");
  withJson(withSerial(command))
    .addHelpText(
      "before",
      "Examples:\n  asi repair match.asi\n  asi repair match.asi -o clean.asi\n  asi repair receiver.ubx --serial ROVER-1 -o match.asi\n",
    )
    .addHelpText(
      "after",
      `
Without -o the clean recording of NAME.asi is NAME.repaired.asi. Files with such names are skipped in folders and
patterns, so that they are not repaired again.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { repair } = await import("./repair.js");
      onStatus(await repair(inputs, flags, context));
    });
}

function addEncode(program: Command, { context, onStatus }: Host): void {
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
      "character between the fields of a CSV, such as ; or tab",
      parseDelimiter,
    )
    .option("--demo", "generate a session: 10 rows and one heart rate per second")
    .option("--seed <n>", "seed of the generated session; default 1", wholeNumber(0, 0xffffffff))
    .option("--start <time>", "time of the first row; default 2025-05-17T14:30:00Z", (text) =>
      Math.round(parseInstant(text, "start")),
    )
    .option(
      "--duration <time>",
      "time from the first row to the last; default 20min; two halves with a break if at least 45min",
      parseTimeSpan,
    );
  withJson(command)
    .addHelpText(
      "before",
      `Examples:
  asi encode session.csv --serial ROVER-1
  asi encode ROVER-1_20250517T143000_20250517T161500.csv -o match.asi
  asi encode watch.fit --serial WATCH-7 --period 1000
  asi encode --demo --serial DEMO-7 --seed 7 --start 2025-05-17T14:30:00Z --duration 105min -o demo.asi
`,
    )
    .addHelpText(
      "after",
      `
Without -o the recording of NAME.csv or NAME.gpx is NAME.asi beside it. It is SERIAL.asi for standard input and
SERIAL_START_END.asi for a demo, in the current folder. Points of a track without a time or position are omitted. Missing
speeds are computed from successive positions.
${EXIT_STATUS}`,
    )
    .action(async (csv: string | undefined, flags) => {
      const { encode } = await import("./encode.js");
      onStatus(await encode(csv, flags, context));
    });
}

// Keeps quoted arguments on one line.
function withoutLineBreaks(text: string, args: readonly string[]): string {
  return args
    .filter((arg) => printable(arg) !== arg)
    .reduce((said, arg) => said.replaceAll(arg, printable(arg)), text);
}

function write(descriptor: number, text: string): void {
  try {
    writeSync(descriptor, printableLines(withoutLineBreaks(text, process.argv.slice(2))));
  } catch {
    // nobody reads: nothing to say
  }
}
