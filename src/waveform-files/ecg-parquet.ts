import { fileMetadata } from "../formats/parquet/file-metadata.js";
import { ParquetWriter } from "../formats/parquet/parquet-writer.js";
import { INT16, type Table, UTC_MICROSECONDS } from "../formats/parquet/schema.js";
import { copies } from "../sources/copies.js";
import type { EcgBatch } from "../types.js";
import type { WaveformWriter } from "./waveform-writer.js";

/**
 * Creates a writer for the ECG waveform as Parquet, with the columns `timestamp` (UTC, µs) and `sample` (16 bits). Both are
 * delta-encoded, because samples have constant intervals and small differences.
 */
export function ecgParquetWriter(): WaveformWriter<EcgBatch> {
  const writer = new ParquetWriter(TABLE);
  return {
    batch: (batch) => copies(writer.rows(batch, 0, batch.length)),
    end: (info, report) => copies(writer.end(fileMetadata(info, report))),
  };
}

const STORAGE = { encoding: "DELTA_BINARY_PACKED", codec: "UNCOMPRESSED", divisor: 1 } as const;

const TABLE: Table<EcgBatch> = {
  schema: "ecg/1",
  columns: [
    {
      ...STORAGE,
      name: "timestamp",
      type: "INT64",
      source: { integers: ({ timestampMs }) => timestampMs.map(microseconds) },
      meaning: UTC_MICROSECONDS,
    },
    {
      ...STORAGE,
      name: "sample",
      type: "INT32",
      source: { integers: ({ sample }) => sample },
      meaning: INT16,
    },
  ],
  newRows: (length) => ({
    length,
    sampleRateHz: 0,
    timestampMs: new Float64Array(length),
    sample: new Int16Array(length),
  }),
  copy(batch, from, to, into, at) {
    into.timestampMs.set(batch.timestampMs.subarray(from, to), at);
    into.sample.set(batch.sample.subarray(from, to), at);
  },
};

/** The end of the year 2112. Times in frames have 64 bits; up to this time, all differences of differences are exact. */
const LATEST_US = 2 ** 52;

function microseconds(ms: number): number {
  return Math.min(Math.round(ms * 1000), LATEST_US);
}
