import type { RowTemplate } from "../rows/row-text/template.js";
import type { FormatName, FormatWriter } from "./format.js";

/** Formats that can have text columns before the columns of the rows. */
export const LABELLED_FORMATS = ["csv", "jsonl", "parquet"] as const satisfies readonly FormatName[];

export type LabelledFormatName = (typeof LABELLED_FORMATS)[number];

/** The text columns: their names, and the name and version of all columns, such as `session-rows/1`. */
export interface Labels {
  schema: string;
  names: readonly string[];
}

/** A text format: the start of a file, and the rows of a group with its texts. */
export interface LabelledText {
  readonly header: string;
  row(labels: readonly string[]): RowTemplate;
}

/** Writes several groups of rows to one file. As for a `FormatWriter`, a piece is valid until the next one is requested. */
export interface LabelledWriter {
  /** Starts a group. The following rows have these texts. */
  startGroup(labels: readonly string[]): Iterable<Uint8Array>;
  rows: FormatWriter["rows"];
  end(): Iterable<Uint8Array>;
}
