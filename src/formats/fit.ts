import type { BeatBatch, RecordingInfo, SampleBatch } from "../types.js";
import { FitWriter } from "./fit/fit-writer.js";
import { messagesFor } from "./fit/interval-messages.js";
import { IntervalsAmongRows } from "./fit/intervals-among-rows.js";
import { RecordedRows } from "./fit/recorded-rows.js";
import type { FormatWriter, OpenFormat } from "./format.js";
import { RowBuffer } from "./row-buffer.js";

/** Creates a writer for FIT. The header of a FIT file contains its size, so rows are buffered until the end. */
export const openFit: OpenFormat = ({ info }) => new Fit(info);

const openFitWithIntervals: OpenFormat = Object.assign(openFit.bind(null), { takesBeats: true });

/** Returns the FIT format, with or without the RR intervals of the beats in the waveform. */
export function fitFormat(withIntervals: boolean): OpenFormat {
  return withIntervals ? openFitWithIntervals : openFit;
}

class Fit implements FormatWriter {
  readonly #info: RecordingInfo;
  readonly #buffer = new RowBuffer();
  /** Index of the first row of each range. */
  readonly #starts: number[] = [];
  /** All rows, if only some are written. */
  readonly #measured = new RowBuffer();
  readonly #measuredStarts: number[] = [];

  constructor(info: RecordingInfo) {
    this.#info = info;
  }

  startRange(): readonly Uint8Array[] {
    this.#starts.push(this.#buffer.length);
    this.#measuredStarts.push(this.#measured.length);
    return [];
  }

  measure(batch: SampleBatch, from: number, to: number): void {
    this.#measured.append(batch, from, to);
  }

  rows(batch: SampleBatch, from: number, to: number): readonly Uint8Array[] {
    this.#buffer.append(batch, from, to);
    return [];
  }

  *end(_report: unknown, beats: readonly BeatBatch[] = []): Generator<Uint8Array> {
    const intervals = new IntervalsAmongRows(beats).among(this.#buffer, new Set(this.#starts));
    const extent = {
      rows: this.#buffer.length,
      ranges: this.#starts.length,
      intervalMessages: intervals.reduce((sum, { rrMs }) => sum + messagesFor(rrMs.length), 0),
    };
    const { deviceName, serial } = this.#info;
    // device names have at most 16 characters, like serial numbers
    const writer = new FitWriter(extent, deviceName === "" ? serial : deviceName);
    let row = 0;
    let range = 0;
    let placed = 0;
    for (const { batch, length } of this.#buffer.batches()) {
      for (let from = 0; from < length; ) {
        const due = intervals[placed];
        if (due?.row === row) {
          yield writer.intervals(due.rrMs);
          placed += 1;
        }
        if (row === this.#starts[range]) {
          this.#startRange(writer, range);
          range += 1;
        }
        const rangeEnd = this.#starts[range] ?? Number.POSITIVE_INFINITY;
        const nextIntervals = intervals[placed]?.row ?? Number.POSITIVE_INFINITY;
        const to = Math.min(length, from + Math.min(rangeEnd, nextIntervals) - row);
        yield writer.rows(batch, from, to);
        row += to - from;
        from = to;
      }
    }
    yield writer.end();
  }

  #startRange(writer: FitWriter, range: number): void {
    const isMeasured = this.#measured.length > 0;
    const [buffer, starts] = isMeasured
      ? [this.#measured, this.#measuredStarts]
      : [this.#buffer, this.#starts];
    const [from, to] = [starts[range] ?? 0, starts[range + 1] ?? buffer.length];
    writer.startRange(buffer.gapsAfter(from, to), isMeasured ? new RecordedRows(buffer, from, to) : null);
  }
}
