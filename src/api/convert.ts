import { optionNames, requireBooleans, requireOptions, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { CSV, formatNamed } from "../formats/catalogue.js";
import type { Format, FormatName, FormatOptions } from "../formats/format.js";
import { DECODE_OPTIONS } from "../reading/decode-options.js";
import { withExtension } from "../reading/file-name.js";
import { pulledStream, readingBehind } from "../reading/pulled-stream.js";
import { type Inspection, inspectionOf, type ReadResult } from "../reading/read-result.js";
import { readWhole } from "../reading/read-whole.js";
import { noSamples } from "../reading/recording-errors.js";
import { SourceReader, type SourceReading } from "../reading/source-reader.js";
import { type CsvLayout, LAYOUT_OPTIONS } from "../rows/csv-layout.js";
import { checkTimes } from "../rows/time-layout.js";
import { concatenate } from "../sources/concatenate.js";
import { promisesOfReading } from "../sources/promise-of-reading.js";
import type { DecodeOptions, EngineName, RecordingInfo, Report, Source } from "../types.js";

export interface ConvertOptions extends DecodeOptions, CsvLayout, FormatOptions {
  /**
   * Output format; default `csv`. `columns`, `delimiter`, `decimalMark`, `header` and `lineEnd` apply only to CSV. `time` and
   * `timeZone` apply only to CSV and JSON lines, because the other formats define how times are written. For `gpx`, `tcx` and
   * `fit`, the default of `fillHrMs` is 2000, because sports software shows a heart rate only for rows that have one.
   */
  format?: FormatName | undefined;
  /**
   * Whether a FIT file also contains the RR intervals of the heart beats in the ECG waveform, as `hrv` messages; default
   * false, which writes the same bytes as for a recording without a waveform. Cannot be combined with `split`.
   */
  rrIntervals?: boolean | undefined;
}

/**
 * A conversion in progress. The promises are fulfilled when the stream has been read to its end, and rejected if it fails, is
 * cancelled or is aborted. While nothing reads the stream (it has no reader, or its reader was released early), awaiting a
 * promise rejects with `NOT_READ` immediately. The promise can be awaited again later, and is fulfilled when the stream has been
 * read. While the stream has a reader, the promises stay pending.
 */
export interface Conversion {
  /** The file, piece by piece. */
  readonly body: ReadableStream<Uint8Array>;
  /** The media type, for example `text/csv`. */
  readonly mediaType: string;
  /** `{serial}_{start}_{end}`, with the times of the first and last written row, and the extension of the format. */
  readonly fileName: Promise<string>;
  readonly report: Promise<Report>;
  /** The header; fulfilled as soon as it has been read. */
  readonly info: Promise<RecordingInfo>;
  /** The decoder that was used. */
  readonly engine: Promise<EngineName>;
}

/**
 * Converts a recording, to CSV unless `format` selects another format: `timestamp,latitude,longitude,altitude,speed,hr`, in s, degrees,
 * m, m/s, bpm. The source is read only as fast as the stream is read, and released when the stream is cancelled.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` immediately; through the stream and the promises `NOT_A_RECORDING`,
 * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, `ABORTED`, `NO_SAMPLES` (before the first byte of output), with `strict`
 * also `DAMAGED`, and `FORMAT_LIMIT`.
 */
export function convert(source: Source, options: ConvertOptions = {}): Conversion {
  requireOptions(options, CONVERT_OPTIONS);
  return conversionOf(source, options, "Read body to its end first, then await it.");
}

/** Works like `convert`. `whatToDo` is a sentence that tells callers what to do if they await a promise too early. */
export function conversionOf(source: Source, options: ConvertOptions, whatToDo: string): Conversion {
  requireOptions(options, CONVERT_OPTIONS);
  const format = formatOf(options);
  const reader = fileReader(source, options, format);
  const body = pulledStream(
    async () => {
      const piece = await reader.next();
      if (piece === null) fileNameIn(await reader.result, format);
      return piece;
    },
    (reason) => reader.cancel(reason),
  );
  const promised = promisesOfReading(readingBehind(body, reader), whatToDo);
  const fileName = reader.result.then((result) => fileNameIn(result, format));
  return {
    body,
    mediaType: format.mediaType,
    fileName: promised("fileName", fileName),
    report: promised("report", reader.report),
    info: promised("info", reader.info),
    engine: promised("engine", reader.engine),
  };
}

/**
 * Returns the format in the options. Throws `BAD_OPTION` for an unknown format, for options of a different format, and for a time
 * format that the output format does not support.
 */
export function formatOf(options: ConvertOptions): Format {
  const format = formatNamed(options.format);
  const foreign = CSV_OPTIONS.find((name) => options[name] !== undefined);
  if (foreign !== undefined) requireFormat(format, "CSV", foreign);
  checkTimesOf(format, options);
  checkNumbers(options.numbers, format);
  requireBooleans(options, ["rrIntervals"]);
  if (options.rrIntervals === true) requireFormat(format, "FIT", "rrIntervals");
  return format;
}

function checkTimesOf({ name, times }: Format, options: ConvertOptions): void {
  checkTimes(options, "iso");
  const { time, timeZone } = options;
  if (times.length === 0 && (time ?? timeZone) !== undefined) {
    const option = time === undefined ? "timeZone" : "time";
    throw new AsiError(
      "BAD_OPTION",
      `The format ${name} defines how times are written; the option ${option} applies only to CSV and JSON lines.`,
    );
  }
  if (time === undefined || times.includes(time)) return;
  throw new AsiError(
    "BAD_OPTION",
    `The format ${name} writes times only as ${times.join(", ")}, not as ${time}.`,
  );
}

/** Throws `BAD_OPTION` unless the format supports this number storage. */
export function checkNumbers(numbers: FormatOptions["numbers"], format: Format): void {
  if (numbers === undefined) return;
  requireFormat(format, "Parquet", "numbers");
  if (numbers !== "double" && numbers !== "decimal") {
    throw new AsiError("BAD_OPTION", `numbers is ${shown(numbers)}; it must be double or decimal.`);
  }
}

function requireFormat({ name }: Format, wanted: string, option: string): void {
  if (name === wanted.toLowerCase()) return;
  throw new AsiError("BAD_OPTION", `${option} applies only to ${wanted}; omit it with the format ${name}.`);
}

/** Options that apply only to CSV. */
const CSV_OPTIONS = [
  "columns",
  "delimiter",
  "decimalMark",
  "header",
  "lineEnd",
] as const satisfies (keyof CsvLayout)[];

/** Every option of `convert`. */
export const CONVERT_OPTIONS = [
  ...DECODE_OPTIONS,
  ...LAYOUT_OPTIONS,
  ...optionNames<Omit<ConvertOptions, keyof DecodeOptions | keyof CsvLayout>>({
    format: true,
    numbers: true,
    rrIntervals: true,
  }),
];

/** Creates the reader for a conversion. */
export function fileReader(
  source: Source,
  options: ConvertOptions,
  format: Format,
  how: Omit<SourceReading, "loadFormat"> = {},
): SourceReader<"csv"> {
  const { fillHrMs = format.fillHrMs } = options;
  const settings = { ...options, fillHrMs, output: "csv" } as const;
  return new SourceReader(
    source,
    settings,
    format === CSV ? how : { ...how, loadFormat: () => format.load(options) },
  );
}

/** Returns the name of a file that contains the produced rows. Throws `NO_SAMPLES` if there are none. */
export function fileNameIn({ fileName, report }: ReadResult, format: Format): string {
  if (fileName === null) throw noSamples(report);
  return withExtension(fileName, format);
}

/** A CSV in memory and the inspection of its recording. */
export interface ConvertedRecording extends Inspection {
  /** The whole CSV, UTF-8. */
  csv: Uint8Array;
  /** `{serial}_{start}_{end}.csv`, with the times of the first and last written row. */
  fileName: string;
}

/**
 * Converts a recording in memory to CSV synchronously; it is otherwise like `convert`. It supports only CSV, because the other
 * formats are loaded asynchronously on first use.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE`, `ABORTED` if the signal has already fired, `NOT_A_RECORDING`,
 * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, `NO_SAMPLES`, with `strict` also `DAMAGED`
 */
export function convertSync(
  recording: Uint8Array | ArrayBuffer,
  options: Omit<ConvertOptions, "format" | "numbers" | "rrIntervals"> = {},
): ConvertedRecording {
  requireOptions(options, CONVERT_OPTIONS);
  const format = formatOf(options);
  // the types forbid a format, but callers in JavaScript can pass one
  if (format !== CSV) {
    throw new AsiError(
      "BAD_OPTION",
      `convertSync writes CSV only; use convert for the format ${format.name}.`,
    );
  }
  const { outputs, result } = readWhole(recording, options, "csv");
  const fileName = fileNameIn(result, format);
  return { ...inspectionOf(result), csv: concatenate(outputs), fileName };
}
