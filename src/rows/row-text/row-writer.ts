import type { SampleBatch } from "../../types.js";
import type { RowTemplate } from "./template.js";

/** The text of rows. */
export interface TextOfRows {
  /** UTF-8. Valid until the next call to the writer or the next step of its engine. */
  readonly bytes: Uint8Array;
  /** Index of the first row that was not written; `to` if all rows were written. */
  readonly end: number;
}

/** Writes rows as text. The core and a TypeScript class implement it, with identical results. */
export interface RowWriter {
  /**
   * Writes the rows from `from` to `to` (exclusive), or as many of them as fit, but at least one. All times, including local
   * ones, must be in the years 0 to 10000.
   */
  write(template: RowTemplate, batch: SampleBatch, from: number, to: number): TextOfRows;
}
