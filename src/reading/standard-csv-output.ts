import type { Engine } from "../engine/engine.js";
import { concatenate } from "../sources/concatenate.js";
import type { Output } from "./output.js";

/** Outputs the standard CSV, whose rows the engine writes. */
export class StandardCsvOutput implements Output<Uint8Array> {
  readonly reads = "csv";
  beginsFile = false;
  readonly #headerLine: Uint8Array;
  readonly #split: boolean;
  // whether the next line starts a file
  #isNew = true;

  /**
   * @param headerLine the first line of each file; may be empty
   * @param split whether to write a separate file for each range
   */
  constructor(headerLine: Uint8Array, split: boolean) {
    this.#headerLine = headerLine;
    this.#split = split;
  }

  *step(engine: Engine): Generator<Uint8Array> {
    const lines = engine.csv();
    if (lines.length === 0) return;
    const breaks = this.#split ? engine.rangeBreaks().map(({ outputOffset }) => outputOffset) : [];
    let from = 0;
    for (const to of [...breaks, lines.length]) {
      if (to > from) {
        const piece = lines.subarray(from, to);
        this.beginsFile = this.#isNew;
        this.#isNew = false;
        yield this.beginsFile ? concatenate([this.#headerLine, piece]) : piece;
      }
      // after every piece except the last one, a new range starts
      this.#isNew ||= to < lines.length;
      from = to;
    }
  }

  *end(): Generator<Uint8Array> {}
}
