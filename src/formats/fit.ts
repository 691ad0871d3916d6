import type { RecordingInfo, SampleBatch } from "../types.js";
import { type FitExtent, FitWriter } from "./fit/fit-writer.js";
import type { FormatWriter, OpenFormat } from "./format.js";
import { HeldRows } from "./held-rows.js";

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

class KeptFit implements FormatWriter {
  readonly #info: RecordingInfo;
  readonly #held = new HeldRows();
  /** The first row of each range. */
  readonly #starts: number[] = [];

  constructor(info: RecordingInfo) {
    this.#info = info;
  }

  startRange(): readonly Uint8Array[] {
    this.#starts.push(this.#held.length);
    return [];
  }

  rows(batch: SampleBatch, from: number, to: number): readonly Uint8Array[] {
    this.#held.take(batch, from, to);
    return [];
  }

  *end(): Generator<Uint8Array> {
    const extent = { rows: this.#held.length, ranges: this.#starts.length };
    const writer = new StreamedFit(extent, this.#info);
    let row = 0;
    let range = 0;
    for (const { batch, length } of this.#held.batches()) {
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
