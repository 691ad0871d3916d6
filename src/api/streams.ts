import { pulledStream, readingBehind } from "../reading/pulled-stream.js";
import { promisesOfReading } from "../sources/promise-of-reading.js";
import type { ColumnsOptions, EngineName, RecordingInfo, Report, SampleBatch } from "../types.js";
import { type ConvertOptions, conversionOf } from "./convert.js";
import { batchReader } from "./decode.js";

/**
 * A transform for `pipeThrough` that converts the bytes of a recording to batches of rows. It is otherwise like `decode`.
 *
 * @throws AsiError like `decode`
 */
export class AsiDecoderStream implements TransformPair<SampleBatch> {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<SampleBatch>;
  readonly info: Promise<RecordingInfo>;
  readonly report: Promise<Report>;
  readonly engine: Promise<EngineName>;

  constructor(options: ColumnsOptions = {}) {
    const input = new TransformStream<Uint8Array, Uint8Array>();
    const reader = batchReader(input.readable, options);
    const readable = pulledStream(
      () => reader.next(),
      (reason) => reader.cancel(reason),
    );
    const promised = promisesOfReading(readingBehind(readable, reader), READ_FIRST);
    this.writable = input.writable;
    this.readable = readable;
    this.info = promised("info", reader.info);
    this.report = promised("report", reader.report);
    this.engine = promised("engine", reader.engine);
  }
}

/**
 * A transform for `pipeThrough` that converts the bytes of a recording to CSV. It is otherwise like `convert`.
 *
 * @throws AsiError like `convert`
 */
export class AsiCsvStream implements TransformPair<Uint8Array> {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array>;
  readonly info: Promise<RecordingInfo>;
  readonly report: Promise<Report>;
  readonly fileName: Promise<string>;
  readonly engine: Promise<EngineName>;

  constructor(options: ConvertOptions = {}) {
    const input = new TransformStream<Uint8Array, Uint8Array>();
    const conversion = conversionOf(input.readable, options, READ_FIRST);
    this.writable = input.writable;
    this.readable = conversion.body;
    this.info = conversion.info;
    this.report = conversion.report;
    this.fileName = conversion.fileName;
    this.engine = conversion.engine;
  }
}

const READ_FIRST = "Read readable to its end first, then await it.";

interface TransformPair<Out> {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Out>;
}
