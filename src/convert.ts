import { requireObject } from "./arguments.js";
import { concatenate } from "./concatenate.js";
import type { CsvLayout } from "./csv-layout.js";
import { AsiError } from "./errors.js";
import { withExtension } from "./file-name.js";
import { CSV, formatNamed } from "./formats/catalogue.js";
import type { Format, FormatName } from "./formats/format.js";
import { promisesOfReading } from "./promise-of-reading.js";
import { pulledStream, readingBehind } from "./pulled-stream.js";
import { type Inspection, inspectionOf, type ReadResult } from "./read-result.js";
import { readWhole } from "./read-whole.js";
import { noSamples } from "./recording-errors.js";
import { SourceReader, type SourceReading } from "./source-reader.js";
import type { DecodeOptions, EngineName, RecordingInfo, Report, Source } from "./types.js";

export interface ConvertOptions extends DecodeOptions, CsvLayout {
  /**
   * What the rows are written in; default `csv`. `columns`, `delimiter`, `decimalMark`, `header` and `lineEnd` belong to CSV.
   * In `gpx`, `tcx` and `fit` `fillHrMs` is 2000 unless you say otherwise: programs of sports show a heart rate only where it stands.
   */
  format?: FormatName | undefined;
}

/**
 * A file on its way. The promises are fulfilled when the stream has been read to its end, and rejected when it fails, is
 * cancelled or aborted. Awaited while nobody reads the stream (it has not been touched, or its reader was released early) they
 * are rejected with `NOT_READ` at once. While somebody holds a reader they stay pending, since it may be read from at any time;
 * on Node.js they are rejected with `NOT_READ` when the process has nothing left to do, as long as the reader is referenced.
 * Such a promise can be awaited again and is fulfilled by reading.
 */
export interface Conversion {
  readonly body: ReadableStream<Uint8Array>;
  /** The same stream as `body`. */
  readonly csv: ReadableStream<Uint8Array>;
  /** Such as `text/csv`. */
  readonly mediaType: string;
  /** `{serial}_{start}_{end}`, of the rows written, and the extension of the format. */
  readonly fileName: Promise<string>;
  readonly report: Promise<Report>;
  /** The header; fulfilled as soon as it has been read. */
  readonly info: Promise<RecordingInfo>;
  /** Which decoder did the work. */
  readonly engine: Promise<EngineName>;
}

/**
 * Converts a recording, to CSV unless `format` says otherwise: `timestamp,latitude,longitude,altitude,speed,hr`, in s, degrees, m,
 * m/s, bpm. Reads no faster than the stream is read; cancelling the stream lets the source go.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` at once; through the stream and the promises `NOT_A_RECORDING`,
 * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, `ABORTED`, `NO_SAMPLES` (before a byte has come out), with
 * `strict` also `DAMAGED`.
 */
export function convert(source: Source, options: ConvertOptions = {}): Conversion {
  const stream = options?.format === undefined ? "csv" : "body";
  return conversionOf(source, options, `Read ${stream} to its end first, then await it.`);
}

/** The same, with what is to be done before a promise is awaited: a sentence. */
export function conversionOf(source: Source, options: ConvertOptions, whatToDo: string): Conversion {
  requireObject("options", options);
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
    csv: body,
    mediaType: format.mediaType,
    fileName: promised("fileName", fileName),
    report: promised("report", reader.report),
    info: promised("info", reader.info),
    engine: promised("engine", reader.engine),
  };
}

/** The format that the options name. Throws `BAD_OPTION` for one that there is not, or with a layout that it cannot have. */
export function formatOf(options: ConvertOptions): Format {
  const format = formatNamed(options.format);
  const foreign = LAYOUT_OPTIONS.find((name) => options[name] !== undefined);
  if (format !== CSV && foreign !== undefined) {
    throw new AsiError(
      "BAD_OPTION",
      `${foreign} belongs to CSV; leave it out with the format ${format.name}.`,
    );
  }
  return format;
}

const LAYOUT_OPTIONS = [
  "columns",
  "delimiter",
  "decimalMark",
  "header",
  "lineEnd",
] as const satisfies (keyof CsvLayout)[];

/** The reading behind a conversion. */
export function fileReader(
  source: Source,
  options: ConvertOptions,
  format: Format,
  how: Omit<SourceReading, "format"> = {},
): SourceReader<"csv"> {
  const { fillHrMs = format.fillHrMs } = options;
  const settings = { ...options, fillHrMs, output: "csv" } as const;
  return new SourceReader(source, settings, format === CSV ? how : { ...how, format });
}

/** Name of the file with the rows produced. Throws `NO_SAMPLES` when there was none. */
export function fileNameIn({ fileName, report }: ReadResult, format: Format): string {
  if (fileName === null) throw noSamples(report);
  return withExtension(fileName, format);
}

/** A CSV in memory, and what is in the recording. */
export interface ConvertedRecording extends Inspection {
  /** The whole CSV, UTF-8. */
  csv: Uint8Array;
  /** `{serial}_{start}_{end}.csv`, of the rows written. */
  fileName: string;
}

/**
 * Converts a recording in memory to CSV at once, as `convert` does.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE`, `ABORTED` when the signal has fired already, `NOT_A_RECORDING`,
 * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, `NO_SAMPLES`, with `strict` also `DAMAGED`
 */
export function convertSync(
  recording: Uint8Array | ArrayBuffer,
  options: ConvertOptions = {},
): ConvertedRecording {
  requireObject("options", options);
  const format = formatOf(options);
  if (format !== CSV) {
    // formats are loaded when they are used, which takes a promise
    throw new AsiError(
      "BAD_OPTION",
      `convertSync writes CSV only; use convert for the format ${format.name}.`,
    );
  }
  const { outputs, result } = readWhole(recording, options, "csv");
  const fileName = fileNameIn(result, format);
  return { ...inspectionOf(result), csv: concatenate(outputs), fileName };
}
