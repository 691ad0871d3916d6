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

/** What a command gets when it is called. */
interface Host {
  context: Context;
  onStatus(status: ExitStatus): void;
}

const EXIT_STATUS = `
Exit status: 0 done, 1 failed, 2 wrong usage, 3 done and an input was damaged.
In a batch one bad file does not stop the others.`;

const INPUTS =
  'files, folders (their *.asi, and those of the folders below), patterns ("**/*.asi"), or - for the standard input';

/** The arguments of `asi`, and what they call. A command is loaded when it is called. */
export function buildProgram(context: Context, onStatus: (status: ExitStatus) => void): Command {
  const program = new Command("asi")
    .description("Recordings of wearable trackers (.asi): GNSS and heart rate to CSV, GPX and other formats.")
    .version(version, "-V, --version", "tell the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeOut: (text) => write(1, text), writeErr: (text) => write(2, text) })
    .addHelpText(
      "before",
      `Examples:
  asi convert match.asi                   the CSV beside it: SERIAL_START_END.csv
  asi convert recordings/ --out-dir csv   every .asi file in a folder and below
  asi info match.asi                      what is in it, and where every byte went
  asi validate *.asi                      exit status 3 when one is damaged
  asi repair match.asi                    its valid frames, as match.repaired.asi
  asi encode --demo -o demo.asi           a session to try things with
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
    "serial number, instead of the recording's own; plain u-blox logs can be read too, then",
  );

const withJson = (command: Command) =>
  command.option("--json", "tell the result of each input as a line of JSON on the standard output");

function addConvert(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("convert")
    .summary("recordings to CSV, Parquet, GPX, TCX, FIT, GeoJSON, JSON lines or KML")
    .description(
      "Writes the rows of each recording, as CSV unless told otherwise: timestamp (s since 1970 UTC), latitude and longitude (degrees), altitude (m), speed (m/s), hr (bpm).",
    )
    .argument("<inputs...>", INPUTS)
    .option("-o, --output <file>", "name the file yourself; - is the standard output", parsePath)
    .option("-d, --out-dir <folder>", "write into this folder, not beside the input", parsePath)
    .option("-f, --force", "overwrite what is there")
    .option(
      "--format <name>",
      "csv, parquet, gpx, tcx, fit, geojson, geojsonl, jsonl or kml; default by the extension of -o, otherwise csv",
    )
    .option("--split", "one file per range (ranges lie more than 5 minutes apart)")
    .option("--from <time>", "only rows from this time on", (text) => parseInstant(text, "start"))
    .option("--to <time>", "only rows up to this time", (text) => parseInstant(text, "end"))
    .option("--columns <names>", "which columns, in which order, with commas between", parseColumns)
    .option("--delimiter <character>", "between the fields, such as ; or tab", parseDelimiter)
    .option("--decimal <mark>", "decimal mark, . or a comma; with a comma the fields are separated by ;")
    .option(
      "--fill-hr <age>",
      "repeat a heart rate on the rows after it up to this age: 5s, 1500ms; default 2s for gpx, tcx and fit, otherwise 0",
      parseTimeSpan,
    );
  withSerial(command).option("--strict", "fail at the first damage");
  withJson(command)
    .option("-j, --jobs <n>", "convert so many files at a time, each in a thread", wholeNumber(1, 64), 1)
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
Without -o and --out-dir the file stands beside its input (of the standard input: in the current folder) and is named
SERIAL_START_END.csv after the rows in it, or with the extension of its format. It is there whole or not at all.

--columns, --delimiter and --decimal belong to CSV. Units are the same in all formats; times are ISO 8601 outside of CSV.

Times: RFC 3339 (2025-05-17T14:30:00.5+02:00; without an offset UTC), 20250517T143000 as in the names of the CSVs,
seconds since 1970 as in the CSV, or a date, which is the whole day. Both ends are included.
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
    .summary("what is in recordings")
    .description("Tells of each recording: header, duration, rows, rates, ranges, and where every byte went.")
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
    .summary("when was recorded")
    .description(
      "Prints a line for each range of rows that lie at most 5 minutes apart: first row, last row, number of rows, with tabs between. With several inputs each line begins with the name of its input.",
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
    .summary("whether recordings are whole")
    .description(
      "Prints a line for each recording: whether it is whole, and if not, where it is damaged first. Foreign bytes between frames and unknown frames are no damage.",
    )
    .argument("<inputs...>", INPUTS);
  withJson(withSerial(command))
    .addHelpText("before", 'Examples:\n  asi validate match.asi && echo whole\n  asi validate "**/*.asi"\n')
    .addHelpText(
      "after",
      "\nExit status: 0 all whole, 1 an input is no recording or cannot be read, 2 wrong usage, 3 an input is damaged.",
    )
    .action(async (inputs: string[], flags) => {
      const { validate } = await import("./validate.js");
      onStatus(await validate(inputs, flags, context));
    });
}

function addRepair(program: Command, { context, onStatus }: Host): void {
  const command = program
    .command("repair")
    .summary("damaged recordings to clean ones")
    .description(
      "Copies the valid frames of each recording and nothing else. The clean recording gives the same CSV. Its input stays as it is.",
    )
    .argument("<inputs...>", INPUTS)
    .option("-o, --output <file>", "name the recording yourself; - is the standard output", parsePath)
    .option("-d, --out-dir <folder>", "write into this folder, not beside the input", parsePath)
    .option("-f, --force", "overwrite what is there");
  withJson(withSerial(command))
    .addHelpText(
      "before",
      "Examples:\n  asi repair match.asi\n  asi repair match.asi -o clean.asi\n  asi repair receiver.ubx --serial ROVER-1 -o match.asi\n",
    )
    .addHelpText(
      "after",
      `
Without -o the clean recording of NAME.asi is NAME.repaired.asi. Such names are passed over in folders and patterns, so
that what was repaired is not repaired again.
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
    .summary("a CSV, or a FIT, GPX or TCX file, to a recording")
    .description(
      "Makes a recording of a CSV with the columns timestamp, latitude, longitude, speed, and perhaps altitude and hr, in the units of asi convert; of a FIT, GPX or TCX file of any maker, told by its content; or, with --demo, of a football session made up.",
    )
    .argument("[file]", "a file, or - for the standard input")
    .option("-o, --output <file>", "name the recording yourself; - is the standard output", parsePath)
    .option("-f, --force", "overwrite what is there")
    .option(
      "--serial <number>",
      "serial number of the device; default what the name of the file tells, of a demo DEMO-0001",
    )
    .option("--device-name <text>", "up to 16 characters")
    .option("--device-type <text>", "up to 12 characters")
    .option("--firmware <text>", "up to 12 characters")
    .option("--period <ms>", "nominal time between two rows; default 100", wholeNumber(0, 0xffff))
    .option("--delimiter <character>", "between the fields of a CSV, such as ; or tab", parseDelimiter)
    .option("--demo", "make a session up: 10 rows a second, a heart rate each second")
    .option("--seed <n>", "another number, another session; default 1", wholeNumber(0, 0xffffffff))
    .option("--start <time>", "first row of the session; default 2025-05-17T14:30:00Z", (text) =>
      Math.round(parseInstant(text, "start")),
    )
    .option(
      "--duration <time>",
      "from the first row to the last; default 20min; from 45min on two halves and a break",
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
Without -o the recording of NAME.csv or NAME.gpx is NAME.asi beside it; of the standard input SERIAL.asi, and of a
demo SERIAL_START_END.asi, in the current folder. Points of a track without time or position are left out; a speed that
it does not tell is that from one position to the next.
${EXIT_STATUS}`,
    )
    .action(async (csv: string | undefined, flags) => {
      const { encode } = await import("./encode.js");
      onStatus(await encode(csv, flags, context));
    });
}

// What is quoted of the arguments stays on its line.
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
