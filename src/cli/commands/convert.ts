import { type Command, Option } from "commander";
import type { FormatName } from "../../formats/format.js";
import type { TimeFormat } from "../../rows/time-layout.js";
import { parseTimeBound } from "../arguments/time-bounds.js";
import { parseColumns, parseDelimiter, parsePath, parseTimeSpan } from "../arguments/values.js";
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

// The formats that completions propose. The list is separate, so that other commands need not load the library.
const FORMAT_NAMES: FormatName[] = [
  "csv",
  "parquet",
  "gpx",
  "tcx",
  "fit",
  "geojson",
  "geojsonl",
  "jsonl",
  "kml",
];
const TIMES: TimeFormat[] = ["unix", "iso", "local", "excel"];

/** Defines `asi convert`. */
export function addConvert(program: Command, { context, onStatus }: Host): void {
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
    .addOption(
      new Option(
        "--format <name>",
        "csv, parquet, gpx, tcx, fit, geojson, geojsonl, jsonl or kml; default: by the extension of -o, otherwise csv",
      )
        .choices(FORMAT_NAMES)
        // checked by the library
        .argParser((text) => text.toLowerCase()),
    )
    .option(
      "--name <pattern>",
      'names of the files, such as "{input}_{start}"; default "{serial}_{start}_{end}" (see below)',
    )
    .option(
      "--split",
      "one file per range (ranges are more than 5 minutes apart); more than 100 with --force",
    )
    .option("--from <time>", "only rows at or after this time", (text) => parseTimeBound(text, "start"))
    .option("--to <time>", "only rows at or before this time", (text) => parseTimeBound(text, "end"))
    .option(
      "--every <time>",
      "fewer rows: only the row nearest to each multiple of this interval, such as 1s",
      parseTimeSpan,
    );
  withTimeZone(command, "of --from, --to, and of --time local and excel")
    .addOption(
      new Option(
        "--time <format>",
        "how times are written: unix (default), iso, local or excel (see below)",
      ).choices(TIMES),
    )
    .option("--columns <names>", "the columns in this order, separated by commas", parseColumns)
    .option("--delimiter <character>", "character between the fields, such as ; or tab", parseDelimiter)
    .option("--decimal <mark>", "decimal mark: . or a comma; with a comma the default delimiter is ;")
    .addOption(
      new Option(
        "--numbers <kind>",
        "how Parquet stores coordinates, altitudes and speeds: double, or decimal (exact, a sixth of the size)",
      ).choices(["double", "decimal"]),
    )
    .option(
      "--rr-intervals",
      "also write the RR intervals of the heart beats in the ECG waveform, as hrv messages; only for fit",
    )
    .option(
      "--fill-hr <age>",
      "repeat a heart rate on later rows up to this age: 5s, 1500ms; default 2s for gpx, tcx and fit and with --every, otherwise 0",
      parseTimeSpan,
    );
  withHr(command);
  withSerial(command).option("--strict", "fail at the first damage");
  withJobs(withJson(command), "convert")
    .addHelpText(
      "before",
      `Examples:
  asi convert match.asi
  asi convert recordings/ "archive/**/*.asi" --out-dir csv --jobs 4
  asi convert match.asi --from 16:30 --to 17:15 --tz Europe/Zurich
  asi convert match.asi --time excel --tz Europe/Zurich --decimal ,
  asi convert match.asi -o match.gpx
  asi convert recordings/ --format jsonl --out-dir rows
  asi convert "players/*.asi" --name "{input}_{date}" --tz Europe/Zurich
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

--name: {input} is the name of the input without its extension, {serial} the serial number, {start} and {end} the
times of the first and last row (20250517T163000), {date} and {time} the time of the first row (2025-05-17 and
16-30-00), {index} the number of the range with --split. Times are in the zone of --tz; the default is UTC. The
extension is added. If files of one recording have equal names, numbers are added; equal names for several recordings
are an error.

--from and --to: a time of day such as 16:30; a date and time (2025-05-17T16:30:00.5 or 20250517T163000); a date and
time with an offset (+02:00 or Z); a date for the whole day; or seconds since 1970. Both ends are inclusive. Times
without an offset are in the zone of --tz; the default is UTC. A time of day is on the day of the first row. It is on
the next day if it is more than 12 hours before the first row: in a recording from 23:00 to 01:00, 00:10 is after
midnight. A --to that is earlier in the day than --from is on the next day: in a recording from 00:10 to 01:00, 23:50
to 00:30 selects the rows until 00:30. In a recording from 13:00 to 14:00, 13:10 to 13:05 is an error. When clocks are
set back, a repeated time of day is the first one as --from and the second one as --to.

--time, for CSV and JSON lines (the other formats define how they write times):
  unix    1747492200.050                  seconds since 1970; the default of CSV
  iso     2025-05-17T14:30:00.050Z        UTC; the default of JSON lines
  local   2025-05-17T16:30:00.050+02:00   with the offset of --tz at that time
  excel   2025-05-17 16:30:00.050         CSV only: text that Excel and LibreOffice open as date and time, without an
                                          offset. With --decimal , the milliseconds follow a comma, as Excel expects
                                          in countries with a decimal comma.

--columns, --delimiter and --decimal apply only to CSV. Units are the same in all formats.
${EXIT_STATUS}`,
    )
    .action(async (inputs: string[], flags) => {
      const { convert } = await import("../run/convert.js");
      onStatus(await convert(inputs, flags, context));
    });
}
