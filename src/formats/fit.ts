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

class KeptFit implements FormatWriter {
  readonly #info: RecordingInfo;
  readonly #parts: { rows: SampleBatch; startsRange: boolean }[] = [];
  #isRangeDue = false;

  constructor(info: RecordingInfo) {
    this.#info = info;
  }

  startRange(): readonly Uint8Array[] {
    this.#isRangeDue = true;
    return [];
  }

  rows(batch: SampleBatch, from: number, to: number): readonly Uint8Array[] {
    const rows = newBatch(to - from);
    copyRows(batch, from, to, rows, 0);
    this.#parts.push({ rows, startsRange: this.#isRangeDue });
    this.#isRangeDue = false;
    return [];
  }

  *end(): Generator<Uint8Array> {
    const extent = {
      rows: this.#parts.reduce((sum, { rows }) => sum + rows.length, 0),
      ranges: this.#parts.filter(({ startsRange }) => startsRange).length,
    };
    const writer = new StreamedFit(extent, this.#info);
    for (const { rows, startsRange } of this.#parts) {
      if (startsRange) writer.startRange();
      yield* writer.rows(rows, 0, rows.length);
    }
    yield* writer.end();
  }
}
