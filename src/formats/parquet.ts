import type { RecordingInfo, Report, SampleBatch } from "../types.js";
import type { FormatWriter, OpenFormat, ParquetNumbers } from "./format.js";
import type { LabelledWriter, Labels } from "./labelled-rows.js";
import { fileMetadata } from "./parquet/file-metadata.js";
import { ParquetWriter } from "./parquet/parquet-writer.js";
import { rowTable } from "./parquet/row-table.js";

/** Parquet, with coordinates, altitudes and speeds as doubles or as exact decimals. */
export function parquetFormat(numbers: ParquetNumbers): OpenFormat {
  return ({ info }) => new Parquet(info, numbers);
}

/** Parquet with columns of text before the others. Each group of rows is a group of the file. */
export function labelledParquet({ schema, names }: Labels): LabelledWriter {
  const writer = new ParquetWriter({ ...rowTable("double"), schema }, names);
  return {
    startGroup: (labels) => writer.startGroup(labels),
    rows: (batch, from, to) => writer.rows(batch, from, to),
    end: () => writer.end({}),
  };
}

class Parquet implements FormatWriter {
  readonly #writer: ParquetWriter<SampleBatch>;
  readonly #info: RecordingInfo;

  constructor(info: RecordingInfo, numbers: ParquetNumbers) {
    this.#writer = new ParquetWriter(rowTable(numbers));
    this.#info = info;
  }

  rows(batch: SampleBatch, from: number, to: number): readonly Uint8Array[] {
    return this.#writer.rows(batch, from, to);
  }

  end(report: Report | null): readonly Uint8Array[] {
    return this.#writer.end(fileMetadata(this.#info, report));
  }
}
