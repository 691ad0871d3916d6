import type { SampleBatch } from "../types.js";
import type { RowTemplate } from "./template.js";

/** Some rows as text. */
export interface TextOfRows {
  /** UTF-8; valid until the next call of the writer, and until the next step of the engine that it belongs to. */
  readonly bytes: Uint8Array;
  /** The first row that had no room; `to` when there is none. */
  readonly end: number;
}

/** Writes rows as text. The core and plain TypeScript do it alike. */
export interface RowWriter {
  /**
   * Writes the rows from `from` to `to` (not including it), or as many of them as there is room for: at least one. All
   * instants lie in the years 0 to 10000.
   */
  write(template: RowTemplate, batch: SampleBatch, from: number, to: number): TextOfRows;
}
