import type { RowWriter, TextOfRows } from "../../rows/row-text/row-writer.js";
import type { RowTemplate } from "../../rows/row-text/template.js";
import { batchIn, copyRows } from "../../rows/sample-batch.js";
import type { SampleBatch } from "../../types.js";
import type { CoreExports } from "./core.js";

/** Writes rows as text with a core. It reads the columns of the core's last step in place; other rows are first copied into its memory. */
export class WasmRowWriter implements RowWriter {
  readonly #core: CoreExports;
  readonly #bytes: Uint8Array;
  readonly #output: number;
  readonly #program: number;
  readonly #columns: number;
  readonly #given: SampleBatch;
  #template: RowTemplate | null = null;

  constructor(core: CoreExports) {
    const { buffer } = core.memory;
    this.#core = core;
    this.#bytes = new Uint8Array(buffer);
    this.#output = core.output();
    this.#program = core.program();
    this.#columns = core.columns();
    this.#given = batchIn(buffer, core.givenColumns(), core.rowCapacity());
  }

  write(template: RowTemplate, batch: SampleBatch, from: number, to: number): TextOfRows {
    if (template !== this.#template) this.#take(template);
    const { timestampMs } = batch;
    if (timestampMs.buffer === this.#bytes.buffer && timestampMs.byteOffset === this.#columns) {
      const end = this.#core.writeRows(false, from, to);
      return { bytes: this.#text(), end };
    }
    const count = Math.min(to - from, this.#given.length);
    copyRows(batch, from, from + count, this.#given, 0);
    const end = from + this.#core.writeRows(true, 0, count);
    return { bytes: this.#text(), end };
  }

  #text(): Uint8Array {
    return this.#bytes.subarray(this.#output, this.#core.textEnd());
  }

  #take(template: RowTemplate): void {
    this.#bytes.set(template.program, this.#program);
    const { program, maxRowBytes, tailBytes, utcOffsetMs } = template;
    this.#core.takeProgram(program.length, maxRowBytes, tailBytes, utcOffsetMs);
    this.#template = template;
  }
}
