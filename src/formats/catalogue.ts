import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { checkLayout } from "../rows/csv-layout.js";
import { checkTimes, TIME_FORMATS } from "../rows/time-layout.js";
import { csvFormat } from "./csv.js";
import type { Format, FormatName } from "./format.js";

/** Sports software shows a heart rate only for rows that have one. There is one heart rate per second, but ten rows. */
const SPORTS_FILL_HR_MS = 2000;

export const CSV: Format = {
  name: "csv",
  extension: ".csv",
  mediaType: "text/csv",
  times: TIME_FORMATS,
  load: async () => csvFormat(checkLayout({})),
};

/** All formats, in the order in which the help lists them. */
export const FORMATS: readonly Format[] = [
  CSV,
  {
    name: "parquet",
    extension: ".parquet",
    mediaType: "application/vnd.apache.parquet",
    isBinary: true,
    times: [],
    load: async ({ numbers = "double" }) => (await import("./parquet.js")).parquetFormat(numbers),
  },
  {
    name: "gpx",
    extension: ".gpx",
    mediaType: "application/gpx+xml",
    fillHrMs: SPORTS_FILL_HR_MS,
    times: [],
    load: async () => (await import("./gpx.js")).openGpx,
  },
  {
    name: "tcx",
    extension: ".tcx",
    mediaType: "application/vnd.garmin.tcx+xml",
    fillHrMs: SPORTS_FILL_HR_MS,
    times: [],
    load: async () => (await import("./tcx.js")).openTcx,
  },
  {
    name: "fit",
    extension: ".fit",
    mediaType: "application/vnd.ant.fit",
    isBinary: true,
    fillHrMs: SPORTS_FILL_HR_MS,
    times: [],
    load: async ({ rrIntervals }) => (await import("./fit.js")).fitFormat(rrIntervals === true),
  },
  {
    name: "geojson",
    extension: ".geojson",
    mediaType: "application/geo+json",
    times: [],
    load: async () => (await import("./geojson.js")).openGeojson,
  },
  {
    name: "geojsonl",
    extension: ".geojsonl",
    mediaType: "application/x-ndjson",
    times: [],
    load: async () => (await import("./geojsonl.js")).openGeojsonl,
  },
  {
    name: "jsonl",
    extension: ".jsonl",
    otherExtension: ".ndjson",
    mediaType: "application/x-ndjson",
    times: ["unix", "iso", "local"],
    load: async (layout) => (await import("./jsonl.js")).jsonlFormat(checkTimes(layout, "iso")),
  },
  {
    name: "kml",
    extension: ".kml",
    mediaType: "application/vnd.google-earth.kml+xml",
    times: [],
    load: async () => (await import("./kml.js")).openKml,
  },
];

/** The names of all formats. */
export const FORMAT_NAMES: readonly FormatName[] = Object.freeze(FORMATS.map(({ name }) => name));

/** Returns the format with this name, CSV by default. Throws `BAD_OPTION` for an unknown name. */
export function formatNamed(name: FormatName | undefined): Format {
  if (name === undefined) return CSV;
  const format = FORMATS.find((one) => one.name === name);
  if (format !== undefined) return format;
  throw new AsiError(
    "BAD_OPTION",
    `The format ${shown(name)} is unknown; use one of ${FORMAT_NAMES.join(", ")}.`,
  );
}

/** Returns the format for the extension of a file name; null for an unknown extension. */
export function formatOfFile(fileName: string): Format | null {
  const name = fileName.toLowerCase();
  const isOwn = ({ extension, otherExtension }: Format) =>
    name.endsWith(extension) || (otherExtension !== undefined && name.endsWith(otherExtension));
  return FORMATS.find(isOwn) ?? null;
}
