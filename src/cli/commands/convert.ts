import type { Command } from "commander";
import {
  parseColumns,
  parseDelimiter,
  parseInstant,
  parsePath,
  parseTimeSpan,
  wholeNumber,
} from "../values.js";
import { EXIT_STATUS, type Host, INPUTS, withJson, withSerial } from "./common-options.js";

/** `asi convert` */
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
    .option(
      "--format <name>",
      "csv, parquet, gpx, tcx, fit, geojson, geojsonl, jsonl or kml; default: by the extension of -o, otherwise csv",
      (text) => text.toLowerCase(),
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
      const { convert } = await import("../convert.js");
      onStatus(await convert(inputs, flags, context));
    });
}
