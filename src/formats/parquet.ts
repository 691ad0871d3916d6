import type { RecordingInfo, Report, SampleBatch } from "../types.js";
import type { FormatWriter, OpenFormat, ParquetNumbers } from "./format.js";
import { fileMetadata } from "./parquet/file-metadata.js";
import { ParquetWriter } from "./parquet/parquet-writer.js";
import { rowTable } from "./parquet/row-table.js";

/** Returns the Parquet format with coordinates, altitudes and speeds as doubles or as exact decimals. */
export function parquetFormat(numbers: ParquetNumbers): OpenFormat {
  return ({ info }) => new Parquet(info, numbers);
}

class Parquet implements FormatWriter {
  readonly #writer: ParquetWriter<SampleBatch>;
  readonly #info: RecordingInfo;

  constructor(info: RecordingInfo, numbers: ParquetNumbers) {
    this.#writer = new ParquetWriter(rowTable(numbers));
    this.#info = info;
  }

  rows(batch: SampleBatch, from: number, to: number): Iterable<Uint8Array> {
    return this.#writer.rows(batch, from, to);
  }

  end(report: Report | null): Iterable<Uint8Array> {
    return this.#writer.end(fileMetadata(this.#info, report));
  }
}
