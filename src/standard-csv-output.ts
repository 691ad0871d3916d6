import { concatenate } from "./concatenate.js";
import type { Engine } from "./engine.js";
import type { FileOutput } from "./file-output.js";

/** The standard CSV, whose rows the engine writes itself. */
export class StandardCsvOutput implements FileOutput {
  readonly reads = "csv";
  beginsFile = false;
  readonly #headerLine: Uint8Array;
  readonly #split: boolean;
  // whether the next line begins a file
  #isNew = true;

  /**
   * @param headerLine what each file begins with; may be empty
   * @param split whether each range becomes a file of its own
   */
  constructor(headerLine: Uint8Array, split: boolean) {
    this.#headerLine = headerLine;
    this.#split = split;
  }

  *step(engine: Engine): Generator<Uint8Array> {
    const lines = engine.csv();
    if (lines.length === 0) return;
    let from = 0;
    for (const { outputOffset: to } of this.#split ? engine.rangeBreaks() : []) {
      if (to > from) yield this.#piece(lines.subarray(from, to));
      this.#isNew = true;
      from = to;
    }
    yield this.#piece(from === 0 ? lines : lines.subarray(from));
  }

  *end(): Generator<Uint8Array> {}

  #piece(lines: Uint8Array): Uint8Array {
    this.beginsFile = this.#isNew;
    this.#isNew = false;
    if (!this.beginsFile || this.#headerLine.length === 0) return lines;
    return concatenate([this.#headerLine, lines]);
  }
}
