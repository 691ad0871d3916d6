import type { RowWriter } from "../row-text/row-writer.js";
import type { RecordingInfo, Report, SampleBatch } from "../types.js";

export type FormatName = "csv" | "parquet" | "gpx" | "tcx" | "fit" | "geojson" | "geojsonl" | "jsonl" | "kml";

/** What rows can be written in. */
export interface Format {
  readonly name: FormatName;
  /** Of file names, with its dot. */
  readonly extension: string;
  readonly mediaType: string;
  /** Up to which age in ms a heart rate is repeated, unless the caller says it; 0: it stands on its own row alone. */
  readonly fillHrMs: number;
  /** Whether the writer needs `totals` to write without keeping the rows. */
  readonly wantsTotals: boolean;
  /** Loads what writes it. Each format is a module of its own, imported when it is used. */
  load(): Promise<OpenFormat>;
}

/** Begins a file. What a module of this folder exports: `openGpx`, say. */
export type OpenFormat = (context: FormatContext) => FormatWriter;

export interface FormatContext {
  readonly info: RecordingInfo;
  /** How much will be written, where it is known before the first row; null: it is not. */
  readonly totals: { readonly rows: number; readonly ranges: number } | null;
  /** For texts: writes rows by a template, as fast as it goes here. */
  readonly rowWriter: RowWriter;
}

/**
 * Writes one file. Each method gives bytes in pieces; a piece is valid until the next one is asked for, and all pieces of a
 * call are read before the next call. Calls come in this order: `startRange`, then `rows` once or more, both for each range,
 * then `end`. There is at least one row.
 */
export interface FormatWriter {
  /**
   * The rows that follow belong to another range than those before; also before the first row. Left out where ranges do not
   * show in the file.
   */
  startRange?(): Iterable<Uint8Array>;
  /**
   * Takes some rows of a batch.
   *
   * @param batch valid, and unchanged, until the pieces of this call have been read
   * @param from the first row
   * @param to behind the last row; more than `from`
   */
  rows(batch: SampleBatch, from: number, to: number): Iterable<Uint8Array>;
  /** No more rows come. */
  end(report: Report): Iterable<Uint8Array>;
}
