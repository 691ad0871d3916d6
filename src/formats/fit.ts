import { copyRows, newBatch } from "../sample-batch.js";
import type { RecordingInfo, SampleBatch } from "../types.js";
import { type FitExtent, FitWriter } from "./fit/fit-writer.js";
import type { FormatWriter, OpenFormat } from "./format.js";

/** FIT. Its header tells how long the file is: without totals the rows are kept until the end, 26 bytes each. */
export const openFit: OpenFormat = ({ info, totals }) =>
  totals === null ? new KeptFit(info) : new StreamedFit(totals, info);

class StreamedFit implements FormatWriter {
  readonly #writer: FitWriter;

  constructor(extent: FitExtent, info: RecordingInfo) {
    // a name of a device has as many characters as a serial number at most
    this.#writer = new FitWriter(extent, info.deviceName === "" ? info.serial : info.deviceName);
  }

  startRange(): readonly Uint8Array[] {
    this.#writer.startRange();
    return [];
  }

  rows(batch: SampleBatch, from: number, to: number): readonly Uint8Array[] {
    return [this.#writer.rows(batch, from, to)];
  }

  end(): readonly Uint8Array[] {
    return [this.#writer.end()];
  }
}

/** Rows of a block. Blocks, since a range can be as short as a row: a batch for each would take forty times its bytes. */
const BLOCK_ROWS = 16_384;

class KeptFit implements FormatWriter {
  readonly #info: RecordingInfo;
  readonly #blocks: SampleBatch[] = [];
  #length = 0;
  /** The first row of each range. */
  readonly #starts: number[] = [];

  constructor(info: RecordingInfo) {
    this.#info = info;
  }

  startRange(): readonly Uint8Array[] {
    this.#starts.push(this.#length);
    return [];
  }

  rows(batch: SampleBatch, from: number, to: number): readonly Uint8Array[] {
    for (let next = from; next < to; ) {
      const at = this.#length % BLOCK_ROWS;
      if (at === 0) this.#blocks.push(newBatch(BLOCK_ROWS));
      const end = Math.min(to, next + BLOCK_ROWS - at);
      copyRows(batch, next, end, this.#blocks.at(-1) as SampleBatch, at);
      this.#length += end - next;
      next = end;
    }
    return [];
  }

  *end(): Generator<Uint8Array> {
    const extent = { rows: this.#length, ranges: this.#starts.length };
    const writer = new StreamedFit(extent, this.#info);
    let range = 0;
    for (let row = 0; row < this.#length; ) {
      while (row === this.#starts[range]) {
        writer.startRange();
        range += 1;
      }
      const block = Math.floor(row / BLOCK_ROWS);
      const end = Math.min(
        this.#length,
        (block + 1) * BLOCK_ROWS,
        this.#starts[range] ?? Number.POSITIVE_INFINITY,
      );
      const from = row - block * BLOCK_ROWS;
      yield* writer.rows(this.#blocks[block] as SampleBatch, from, from + end - row);
      row = end;
    }
    yield* writer.end();
  }
}
