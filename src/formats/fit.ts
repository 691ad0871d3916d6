import type { RecordingInfo, SampleBatch } from "../types.js";
import { type FitExtent, FitWriter } from "./fit/fit-writer.js";
import type { FormatWriter, OpenFormat } from "./format.js";
import { RowBuffer } from "./row-buffer.js";

/** FIT. Its header contains the file size: if the totals are unknown, rows are buffered until the end, 26 bytes each. */
export const openFit: OpenFormat = ({ info, totals }) =>
  totals === null ? new BufferedFit(info) : new StreamingFit(totals, info);

class StreamingFit implements FormatWriter {
  readonly #writer: FitWriter;

  constructor(extent: FitExtent, info: RecordingInfo) {
    // device names, like serial numbers, have at most 16 characters
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

class BufferedFit implements FormatWriter {
  readonly #info: RecordingInfo;
  readonly #buffer = new RowBuffer();
  /** Index of the first row of each range. */
  readonly #starts: number[] = [];

  constructor(info: RecordingInfo) {
    this.#info = info;
  }

  startRange(): readonly Uint8Array[] {
    this.#starts.push(this.#buffer.length);
    return [];
  }

  rows(batch: SampleBatch, from: number, to: number): readonly Uint8Array[] {
    this.#buffer.append(batch, from, to);
    return [];
  }

  *end(): Generator<Uint8Array> {
    const extent = { rows: this.#buffer.length, ranges: this.#starts.length };
    const writer = new StreamingFit(extent, this.#info);
    let row = 0;
    let range = 0;
    for (const { batch, length } of this.#buffer.batches()) {
      for (let from = 0; from < length; ) {
        while (row === this.#starts[range]) {
          writer.startRange();
          range += 1;
        }
        const left = (this.#starts[range] ?? Number.POSITIVE_INFINITY) - row;
        const to = Math.min(length, from + left);
        yield* writer.rows(batch, from, to);
        row += to - from;
        from = to;
      }
    }
    yield* writer.end();
  }
}
