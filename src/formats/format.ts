import type { RowWriter } from "../rows/row-text/row-writer.js";
import type { TimeFormat, TimeLayout } from "../rows/time-layout.js";
import type { BeatBatch, RecordingInfo, Report, SampleBatch } from "../types.js";

export type FormatName = "csv" | "parquet" | "gpx" | "tcx" | "fit" | "geojson" | "geojsonl" | "jsonl" | "kml";

/** A file format for rows. */
export interface Format {
  readonly name: FormatName;
  /** The extension for file names, with its dot. */
  readonly extension: string;
  /** Another extension of the format. */
  readonly otherExtension?: string;
  readonly mediaType: string;
  /** Whether files are binary. */
  readonly isBinary?: true;
  /** Maximum age in ms of a heart rate that is repeated in later rows, unless the options specify another one. */
  readonly fillHrMs?: number;
  /** Permitted values of `time`; empty if the format defines how times are written. */
  readonly times: readonly TimeFormat[];
  /** Loads the writer. Each format is a separate module, which is imported on first use. */
  load(options: FormatOptions & TimeLayout & { rrIntervals?: boolean | undefined }): Promise<OpenFormat>;
}

/** Options for individual formats. */
export interface FormatOptions {
  /**
   * Storage of coordinates, altitudes and speeds in Parquet: as doubles (default), or as exact decimals in about a sixth of the
   * space, which some readers do not support.
   */
  numbers?: ParquetNumbers | undefined;
}

export type ParquetNumbers = "double" | "decimal";

/** Starts a file. Each format's module exports a function of this type, for example `openGpx`. */
export interface OpenFormat {
  (context: FormatContext): FormatWriter;
  /**
   * Whether the writer receives the heart beats. Writers for individual ranges do not receive them, because a beat is found up to
   * 1.3 s after its time.
   */
  readonly takesBeats?: boolean;
}

export interface FormatContext {
  readonly info: RecordingInfo;
  /** The fastest available writer for row templates, for text formats. */
  readonly rowWriter: RowWriter;
}

/**
 * Writes one file. Each method returns bytes in pieces. A piece is valid until the next one is requested, and the caller reads
 * all pieces of one call before it makes the next call. For each range, the caller calls `startRange`, then `rows` one or
 * more times; finally it calls `end`. There is at least one row. If only some of the rows are written, `measure` precedes
 * `rows`.
 */
export interface FormatWriter {
  /**
   * Starts a range. The following rows belong to it. It is also called before the first row. Formats that do not represent ranges
   * omit this method.
   */
  startRange?(): Iterable<Uint8Array>;
  /**
   * Receives all rows of a range of which only some are written, because its totals include all rows. Formats without totals omit
   * this method.
   *
   * @param batch valid during the call
   */
  measure?(batch: SampleBatch, from: number, to: number): void;
  /**
   * Writes some rows of a batch.
   *
   * @param batch valid and unchanged until the pieces of this call have been read
   * @param from the first row
   * @param to the end of the rows, exclusive; greater than `from`
   */
  rows(batch: SampleBatch, from: number, to: number): Iterable<Uint8Array>;
  /**
   * Ends the file.
   *
   * @param report null if the rows do not come from a recording
   * @param beats with `takesBeats`, all heart beats in the waveform, including those before the first row and between ranges
   */
  end(report: Report | null, beats?: readonly BeatBatch[]): Iterable<Uint8Array>;
}
