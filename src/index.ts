export {
  type Conversion,
  type ConvertedRecording,
  type ConvertOptions,
  convert,
  convertSync,
} from "./api/convert.js";
export {
  type DecodedRecording,
  decode,
  decodeRows,
  decodeSync,
  rowsOf,
} from "./api/decode.js";
export { decodeBeats, type WaveformOptions } from "./api/decode-beats.js";
export { decodeEcg } from "./api/decode-ecg.js";
export type { Decoding } from "./api/decoding.js";
export { type Damage, type FindDamageOptions, findDamage } from "./api/find-damage.js";
export {
  type FormatLabelledOptions,
  formatLabelledSamples,
  type LabelledSamples,
} from "./api/format-labelled-samples.js";
export { type FormatSamplesOptions, formatSamples } from "./api/format-samples.js";
export { type CompiledModule, type InitializeOptions, initialize } from "./api/initialize.js";
export { inspect, inspectSync } from "./api/inspect.js";
export { type Repair, type RepairOptions, repair } from "./api/repair.js";
export { AsiCsvStream, AsiDecoderStream } from "./api/streams.js";
export type { OutputKind, Span } from "./engine/engine.js";
export { withoutRanges } from "./engine/engine-counters.js";
export type { EcgFigures } from "./engine/heart-rate/waveform-figures.js";
export { AsiError, type AsiErrorCode, type AsiErrorDetails } from "./errors.js";
export { FORMAT_NAMES } from "./formats/catalogue.js";
export type { FormatName, FormatOptions, ParquetNumbers } from "./formats/format.js";
export { LABELLED_FORMATS, type LabelledFormatName } from "./formats/labelled-rows.js";
export { MAX_GAP_MS } from "./metrics/segments.js";
export { csvFileName } from "./reading/file-name.js";
export type { Inspection, ReadResult } from "./reading/read-result.js";
export type { Outputs, RecordingReaderOptions } from "./reading/reader-options.js";
export { RecordingReader } from "./reading/recording-reader.js";
export { type DemoOptions, demoRows } from "./recording/demo.js";
export {
  type DemoSquad,
  type DemoSquadOptions,
  type DemoSquadRecording,
  demoSquad,
  withDamage,
} from "./recording/demo-squad.js";
export { type EncodableRow, encode } from "./recording/encode.js";
export type { RecordingHeader } from "./recording/header.js";
export { COLUMNS, type Column, type CsvLayout } from "./rows/csv-layout.js";
export { findRanges } from "./rows/ranges.js";
export type { DecimalMark } from "./rows/row-text/template.js";
export { joinBatches, newBatch, rowsBetween } from "./rows/sample-batch.js";
export { TIME_FORMATS, type TimeFormat, type TimeLayout } from "./rows/time-layout.js";
export {
  decodeTrack,
  decodeTrackBeats,
  type LeftOut,
  type TrackDecoding,
  type TrackSummary,
} from "./tracks/decode-track.js";
export type { TrackBeatBatch } from "./tracks/track-intervals.js";
export type { TrackDamage, TrackFormat } from "./tracks/track-parser.js";
export type {
  BeatBatch,
  ColumnsOptions,
  DamagePlace,
  DecodeOptions,
  EcgBatch,
  EngineName,
  HrSource,
  Range,
  RecordingInfo,
  Report,
  Row,
  SampleBatch,
  SampleQuality,
  Source,
} from "./types.js";
