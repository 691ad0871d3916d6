import type { RecordingInfo, Report, SampleBatch } from "../types.js";
import type { FormatWriter, OpenFormat, ParquetNumbers } from "./format.js";
import { ParquetWriter } from "./parquet/parquet-writer.js";

/** Parquet, with coordinates, altitudes and speeds as doubles or as exact decimals. */
export function parquetFormat(numbers: ParquetNumbers): OpenFormat {
  return ({ info }) => new Parquet(info, numbers);
}

class Parquet implements FormatWriter {
  readonly #writer: ParquetWriter;
  readonly #info: RecordingInfo;

  constructor(info: RecordingInfo, numbers: ParquetNumbers) {
    this.#writer = new ParquetWriter(numbers);
    this.#info = info;
  }

  rows(batch: SampleBatch, from: number, to: number): readonly Uint8Array[] {
    return this.#writer.rows(batch, from, to);
  }

  end(report: Report): readonly Uint8Array[] {
    const { bytes, frames, damage, rows, gnssWithoutRow, start, end } = report;
    return this.#writer.end({
      serial: this.#info.serial,
      device: JSON.stringify(this.#info),
      // without the ranges: the list can be as long as the recording, and it follows from the rows
      report: JSON.stringify({ bytes, frames, damage, rows, gnssWithoutRow, start, end }),
    });
  }
}
