import { requireOptions } from "../arguments.js";
import { COLUMNS_OPTIONS, DECODE_OPTIONS } from "../reading/decode-options.js";
import { readWhole } from "../reading/read-whole.js";
import { SourceReader } from "../reading/source-reader.js";
import { checkBatch, joinBatches, newBatch } from "../rows/sample-batch.js";
import type {
  ColumnsOptions,
  DecodeOptions,
  EngineName,
  RecordingInfo,
  Report,
  Row,
  SampleBatch,
  Source,
} from "../types.js";
import { type Decoding, decodingOf, mapDecoding } from "./decoding.js";

/**
 * Reads a recording as columns of integers, a few thousand rows at a time. The source is read only as fast as you iterate, and
 * released when you leave the loop early.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` immediately; while iterating `NOT_A_RECORDING`, `UNSUPPORTED_VERSION`,
 * `BAD_HEADER`, `MIXED_DEVICES`, `ABORTED`, with `strict` also `DAMAGED`. A recording without rows yields no batch.
 */
export function decode(source: Source, options: ColumnsOptions = {}): Decoding<SampleBatch> {
  return decodingOf(batchReader(source, options));
}

/** Returns the reader that `decode` uses. */
export function batchReader(source: Source, options: ColumnsOptions): SourceReader<"columns"> {
  requireOptions(options, COLUMNS_OPTIONS);
  return new SourceReader(source, { ...options, output: "columns" });
}

/** All rows of a recording. */
export interface DecodedRecording {
  /** All rows in one batch; `rowsOf` iterates over them. */
  samples: SampleBatch;
  info: RecordingInfo;
  /** The report, which accounts for every byte. */
  report: Report;
  /** The decoder that was used. */
  engine: EngineName;
}

/**
 * Reads a recording in memory synchronously, and returns all rows as columns of integers: 26 bytes for each row, or 33 with
 * `quality`.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE`, `ABORTED` if the signal has already fired, `NOT_A_RECORDING`,
 * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, with `strict` also `DAMAGED`. Without rows, `samples` is empty.
 */
export function decodeSync(
  recording: Uint8Array | ArrayBuffer,
  options: ColumnsOptions = {},
): DecodedRecording {
  requireOptions(options, COLUMNS_OPTIONS);
  const { outputs, result } = readWhole(recording, options, "columns");
  const { info, report, engine } = result;
  const samples = outputs.length === 0 ? newBatch(0, options.quality) : joinBatches(outputs);
  return { samples, info, report, engine };
}

/** Reads a recording row by row, in SI units; it is otherwise like `decode`. */
export function decodeRows(source: Source, options: DecodeOptions = {}): Decoding<Row> {
  requireOptions(options, DECODE_OPTIONS);
  return mapDecoding(decode(source, options), rowsOfAll);
}

async function* rowsOfAll(batches: AsyncIterable<SampleBatch>): AsyncGenerator<Row, void, undefined> {
  for await (const batch of batches) yield* rowsOf(batch);
}

/**
 * Iterates over the rows of a batch, in SI units. The integers are divided, so each number is the double nearest to its decimal
 * value.
 *
 * @throws AsiError `BAD_ARGUMENT` immediately if columns are invalid or shorter than `length`
 */
export function rowsOf(batch: SampleBatch): Generator<Row, void, undefined> {
  checkBatch(batch);
  return generateRows(batch);
}

function* generateRows(batch: SampleBatch): Generator<Row, void, undefined> {
  const { timestampMs, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr, fixType } = batch;
  for (let i = 0; i < batch.length; i++) {
    yield {
      timestamp: timestampMs[i] as number,
      latitude: (latitudeE7[i] as number) / 1e7,
      longitude: (longitudeE7[i] as number) / 1e7,
      altitude: fixType[i] === 2 ? null : (altitudeMm[i] as number) / 1e3,
      speed: (speedMmPerS[i] as number) / 1e3,
      hr: hr[i] === 0 ? null : (hr[i] as number),
    };
  }
}
