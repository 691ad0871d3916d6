import type { RecordingInfo, SampleBatch } from "../types.js";
import { FitWriter } from "./fit/fit-writer.js";
import type { FormatWriter, OpenFormat } from "./format.js";
import { RowBuffer } from "./row-buffer.js";

/** FIT. Its header contains the size of the file, so rows are buffered until the end. */
export const openFit: OpenFormat = ({ info }) => new Fit(info);

class Fit implements FormatWriter {
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
    const { deviceName, serial } = this.#info;
    // device names, like serial numbers, have at most 16 characters
    const writer = new FitWriter(extent, deviceName === "" ? serial : deviceName);
    let row = 0;
    let range = 0;
    for (const { batch, length } of this.#buffer.batches()) {
      for (let from = 0; from < length; ) {
        if (row === this.#starts[range]) {
          writer.startRange(this.#buffer.gapsAfter(row, this.#starts[range + 1]));
          range += 1;
        }
        const left = (this.#starts[range] ?? Number.POSITIVE_INFINITY) - row;
        const to = Math.min(length, from + left);
        yield writer.rows(batch, from, to);
        row += to - from;
        from = to;
      }
    }
    yield writer.end();
  }
}
