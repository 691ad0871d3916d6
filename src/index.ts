export {
  type Conversion,
  type ConvertedRecording,
  type ConvertOptions,
  convert,
  convertSync,
} from "./convert.js";
export { COLUMNS, type Column, type CsvLayout } from "./csv-layout.js";
export {
  type DecodedRecording,
  decode,
  decodeRows,
  decodeSync,
  rowsOf,
} from "./decode.js";
export { decodeBeats, type WaveformOptions } from "./decode-beats.js";
export { decodeEcg } from "./decode-ecg.js";
export type { Decoding } from "./decoding.js";
export { type DemoOptions, demoRows } from "./demo.js";
export { type EncodableRow, encode } from "./encode.js";
export type { OutputKind, Span } from "./engine.js";
export { AsiError, type AsiErrorCode, type AsiErrorDetails } from "./errors.js";
export { csvFileName } from "./file-name.js";
export { FORMAT_NAMES } from "./formats/catalogue.js";
export type { FormatName, FormatOptions, ParquetNumbers } from "./formats/format.js";
export type { RecordingHeader } from "./header.js";
export type { EcgFigures } from "./heart-rate/waveform-figures.js";
export { type InitializeOptions, initialize } from "./initialize.js";
export { inspect, inspectSync } from "./inspect.js";
export { findRanges, MAX_GAP_MS } from "./ranges.js";
export type { Inspection, ReadResult } from "./read-result.js";
export type { Outputs, RecordingReaderOptions } from "./reader-options.js";
export { RecordingReader } from "./recording-reader.js";
export { type Repair, type RepairOptions, repair } from "./repair.js";
export type { DecimalMark } from "./row-text/template.js";
export { joinBatches, newBatch, rowsBetween } from "./sample-batch.js";
export { AsiCsvStream, AsiDecoderStream } from "./streams.js";
export { TIME_FORMATS, type TimeFormat, type TimeLayout } from "./time-layout.js";
export { decodeTrack, type TrackDecoding, type TrackSummary } from "./tracks/decode-track.js";
export type { TrackFormat } from "./tracks/track-parser.js";
export type { LeftOut } from "./tracks/track-rows.js";
export type {
  BeatBatch,
  DecodeOptions,
  EcgBatch,
  EngineName,
  HrSource,
  Range,
  RecordingInfo,
  Report,
  Row,
  SampleBatch,
  Source,
} from "./types.js";
