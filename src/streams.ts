import { type ConvertOptions, convert } from "./convert.js";
import { decode } from "./decode.js";
import { pulledStream } from "./pulled-stream.js";
import type { DecodeOptions, RecordingInfo, Report, SampleBatch } from "./types.js";

/**
 * A transform for `pipeThrough`: bytes of a recording in, batches of rows out. Otherwise as `decode`.
 *
 * @throws AsiError as `decode`
 */
export class AsiDecoderStream implements TransformPair<SampleBatch> {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<SampleBatch>;
  readonly info: Promise<RecordingInfo>;
  readonly report: Promise<Report>;

  constructor(options: DecodeOptions = {}) {
    const input = new TransformStream<Uint8Array, Uint8Array>();
    const decoding = decode(input.readable, options);
    const batches = decoding[Symbol.asyncIterator]();
    this.writable = input.writable;
    this.readable = pulledStream(
      async () => {
        const { done, value } = await batches.next();
        return done === true ? null : value;
      },
      async () => {
        await batches.return?.();
      },
    );
    this.info = decoding.info;
    this.report = decoding.report;
  }
}

/**
 * A transform for `pipeThrough`: bytes of a recording in, CSV out. Otherwise as `convert`.
 *
 * @throws AsiError as `convert`
 */
export class AsiCsvStream implements TransformPair<Uint8Array> {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
  readonly info: Promise<RecordingInfo>;
  readonly report: Promise<Report>;
  readonly fileName: Promise<string>;

  constructor(options: ConvertOptions = {}) {
    const input = new TransformStream<Uint8Array, Uint8Array>();
    const conversion = convert(input.readable, options);
    this.writable = input.writable;
    this.readable = conversion.csv;
    this.info = conversion.info;
    this.report = conversion.report;
    this.fileName = conversion.fileName;
  }
}

interface TransformPair<Out> {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Out>;
}
