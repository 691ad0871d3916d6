import { requireObject } from "./arguments.js";
import { concatenate } from "./concatenate.js";
import type { CsvLayout } from "./csv-layout.js";
import { promisesOfReading } from "./promise-of-reading.js";
import { pulledStream, readingBehind } from "./pulled-stream.js";
import { type Inspection, inspectionOf, type ReadResult } from "./read-result.js";
import { readWhole } from "./read-whole.js";
import { noSamples } from "./recording-errors.js";
import { SourceReader } from "./source-reader.js";
import type { DecodeOptions, EngineName, RecordingInfo, Report, Source } from "./types.js";

export interface ConvertOptions extends DecodeOptions, CsvLayout {}

/**
 * A CSV on its way. The promises are fulfilled when the stream has been read to its end, and rejected when it fails, is
 * cancelled or aborted. Awaited while nobody reads the stream (it has not been touched, or its reader was released early) they
 * are rejected with `NOT_READ` at once. While somebody holds a reader they stay pending, since it may be read from at any time;
 * on Node.js they are rejected with `NOT_READ` when the process has nothing left to do, as long as the reader is referenced.
 * Such a promise can be awaited again and is fulfilled by reading.
 */
export interface Conversion {
  readonly csv: ReadableStream<Uint8Array>;
  /** `{serial}_{start}_{end}.csv`, of the rows written. */
  readonly fileName: Promise<string>;
  readonly report: Promise<Report>;
  /** The header; fulfilled as soon as it has been read. */
  readonly info: Promise<RecordingInfo>;
  /** Which decoder did the work. */
  readonly engine: Promise<EngineName>;
}

/**
 * Converts a recording to CSV: by default `timestamp,latitude,longitude,altitude,speed,hr`, in s, degrees, m, m/s, bpm.
 * Reads no faster than the stream is read; cancelling the stream lets the source go.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` at once; through the stream and the promises `NOT_A_RECORDING`,
 * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, `ABORTED`, `NO_SAMPLES` (before a byte of CSV has come out), with
 * `strict` also `DAMAGED`.
 */
export function convert(source: Source, options: ConvertOptions = {}): Conversion {
  return conversionOf(source, options, "Read csv to its end first, then await it.");
}

/** The same, with what is to be done before a promise is awaited: a sentence. */
export function conversionOf(source: Source, options: ConvertOptions, whatToDo: string): Conversion {
  requireObject("options", options);
  const reader = new SourceReader(source, { ...options, output: "csv" });
  const csv = pulledStream(
    async () => {
      const lines = await reader.next();
      if (lines === null) csvFileNameIn(await reader.result);
      return lines;
    },
    (reason) => reader.cancel(reason),
  );
  const promised = promisesOfReading(readingBehind(csv, reader), whatToDo);
  return {
    csv,
    fileName: promised("fileName", reader.result.then(csvFileNameIn)),
    report: promised("report", reader.report),
    info: promised("info", reader.info),
    engine: promised("engine", reader.engine),
  };
}

/** Name of the CSV with the rows produced. Throws `NO_SAMPLES` when there was none. */
export function csvFileNameIn({ fileName, report }: ReadResult): string {
  if (fileName === null) throw noSamples(report);
  return fileName;
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
  const { outputs, result } = readWhole(recording, options, "csv");
  const fileName = csvFileNameIn(result);
  return { ...inspectionOf(result), csv: concatenate(outputs), fileName };
}
