import type { Engine, EngineSettings, OutputKind, StepResult } from "../engine/engine.js";
import { EngineDriver } from "../engine/engine-driver.js";
import { acquireEngine, releaseEngine } from "../engine/engines.js";
import { AsiError } from "../errors.js";
import { csvFormat } from "../formats/csv.js";
import type { OpenFormat } from "../formats/format.js";
import { headerlessInfo, readHeader } from "../recording/header.js";
import { type CsvLayout, checkLayout, headerText } from "../rows/csv-layout.js";
import { checkChunk } from "../sources/source.js";
import type { EngineName, RecordingInfo } from "../types.js";
import { FormatOutput } from "./format-output.js";
import { FrameOutput } from "./frame-output.js";
import { beatsOutput, columnsOutput, copyOutput, noOutput, type Output } from "./output.js";
import { type ReadResult, resultOf } from "./read-result.js";
import {
  checkReaderOptions,
  type Outputs,
  type RecordingReaderOptions,
  settingsOf,
} from "./reader-options.js";
import { compressedInput, mixedDevices, noFrames, stopError } from "./recording-errors.js";
import { RowThinning } from "./row-thinning.js";
import { StandardCsvOutput } from "./standard-csv-output.js";

/**
 * Reads one recording, chunk by chunk, without streams and promises: `push` each chunk, then `finish`.
 *
 * The outputs belong to the caller. The first chunk acquires an engine of about 1.5 MB, which is released by `finish`, by
 * `close`, and after errors. A reader that is dropped before the end of the recording is garbage-collected together with its
 * engine.
 */
export class RecordingReader<K extends OutputKind> {
  readonly #engineName: EngineName | undefined;
  readonly #settings: EngineSettings;
  readonly #split: boolean;
  readonly #thinning: RowThinning | null;
  #output: Output<Outputs[K]>;
  // remaining outputs of the last step
  #outputs: Iterator<Outputs[K]> | null = null;
  #isEnded = false;
  #isConcluded = false;
  #isGzip = false;
  #driver: EngineDriver | null = null;
  #info: RecordingInfo | null = null;
  #result: ReadResult | null = null;
  #failure: AsiError | null = null;
  #isClosed = false;

  /** @throws AsiError `BAD_OPTION` */
  constructor(options: RecordingReaderOptions<K>);
  /**
   * @param split whether to write a separate file for each range
   * @internal
   */
  constructor(options: RecordingReaderOptions<K>, split: boolean);
  constructor(options: RecordingReaderOptions<K>, split = false) {
    checkReaderOptions(options);
    this.#engineName = options.engine;
    this.#settings = settingsOf(options);
    this.#split = split;
    const { everyMs, output } = options;
    const hasRows = output !== "frames" && output !== "beats";
    this.#thinning =
      everyMs === undefined || !hasRows ? null : new RowThinning(everyMs, this.#settings.quality);
    this.#output = this.#use(outputOf(options, this.#settings.serial, split, this.#thinning));
  }

  /** Selects a format other than CSV for the output `csv`. Call it before the first chunk. @internal */
  useFormat(open: OpenFormat): void {
    if (open.takesBeats === true) this.#settings.analysesEcg = true;
    this.#output = this.#use(new FormatOutput(open, this.#split, this.#thinning));
  }

  #use(output: Output<Outputs[OutputKind]>): Output<Outputs[K]> {
    this.#settings.output = output.reads;
    return output as Output<Outputs[K]>;
  }

  /** The first header; null until it has been read. For a log without a header, it is set at the end. */
  get info(): RecordingInfo | null {
    return this.#info;
  }

  /**
   * The result for the whole recording, after `finish`.
   *
   * @throws AsiError `NOT_READ` before `finish`; the error with which the reading ended
   */
  get result(): ReadResult {
    if (this.#failure !== null) throw this.#failure;
    if (this.#result === null) {
      throw new AsiError(
        "NOT_READ",
        "The result is available only at the end of the recording: call finish.",
      );
    }
    return this.#result;
  }

  /**
   * Reads a chunk of any size. The chunk may be overwritten afterwards.
   *
   * @returns the outputs in order; often one piece for each 256 KiB, none if no frame ended in the chunk
   * @throws AsiError `BAD_SOURCE` for a chunk that is not bytes; `ALREADY_READ` after `finish` or `close`; `NOT_A_RECORDING`,
   * `UNSUPPORTED_VERSION`, `BAD_HEADER`, `MIXED_DEVICES`, with `strict` also `DAMAGED`; `BAD_OPTION` for an engine that is not
   * available. If there is output before an error, the error is thrown by the next call and all later ones
   */
  push(chunk: Uint8Array): Outputs[K][] {
    this.give(checkChunk(chunk));
    return this.#readOn();
  }

  /**
   * Ends the recording and releases the engine.
   *
   * @returns the outputs after the last chunk; usually none
   * @throws AsiError like `push`. If there is output before the error, `result` throws it. A recording without rows is not an
   * error here.
   */
  finish(): Outputs[K][] {
    this.give(null);
    const outputs = this.#readOn();
    this.close();
    if (this.#failure !== null && outputs.length === 0) throw this.#failure;
    return outputs;
  }

  /**
   * Releases the engine. It may be called at any time. Afterwards, nothing can be pushed, but `info` and `result` remain
   * available.
   */
  close(): void {
    this.#isClosed = true;
    this.#outputs = null;
    if (this.#driver !== null) releaseEngine(this.#driver.engine);
    this.#driver = null;
  }

  /**
   * Drops the engine without releasing it for reuse, because its last output may still be in use.
   *
   * @internal
   */
  abandon(): void {
    this.#isClosed = true;
    this.#outputs = null;
    this.#driver = null;
  }

  // The following members are for callers that yield between steps. They call `give` if `needsInput` is true, otherwise `step`,
  // until `isDone` is true; then `result` and `close`.

  /** @internal */
  get needsInput(): boolean {
    return this.#outputs === null && (this.#driver === null || this.#driver.needsInput);
  }

  /** @internal */
  get isDone(): boolean {
    return this.#isConcluded;
  }

  /**
   * Supplies the next chunk, or null at the end.
   *
   * @internal
   */
  give(chunk: Uint8Array | null): void {
    if (this.#driver === null || this.#failure !== null) {
      this.#driver = this.#openDriver();
      this.#isGzip = chunk !== null && chunk[0] === 0x1f && chunk[1] === 0x8b;
    }
    this.#driver.give(chunk);
  }

  /**
   * Runs one step of the engine, or returns further output of the last step. An error in the recording is thrown one step later,
   * so that the output before it is returned first, regardless of how the input is divided into chunks.
   *
   * @param gives `copies`, or `views` that are valid until the next step
   * @returns null if there is no output
   * @internal
   */
  step(gives: "copies" | "views"): Outputs[K] | null {
    if (this.#outputs === null) {
      if (this.#driver === null || this.#failure !== null) this.#driver = this.#openDriver();
      const driver = this.#driver;
      const signal = driver.step();
      const payload = signal.kind === "header" ? this.#takeHeader(signal) : null;
      if (signal.kind === "notRecording" || signal.kind === "damaged") {
        this.#failure =
          this.#isGzip && signal.kind === "notRecording" ? compressedInput() : stopError(signal);
      }
      const headers = { info: this.#info ?? this.#headerless(), payload };
      this.#outputs = this.#output.step(driver.engine, headers)[Symbol.iterator]();
    }
    const { done, value } = this.#outputs.next();
    if (done !== true) return gives === "views" ? value : (copyOutput(value) as Outputs[K]);
    this.#outputs = null;
    if (this.#driver?.isDone === true) this.#end(this.#driver.engine);
    return null;
  }

  /**
   * Whether the last output of `step` starts a file.
   *
   * @internal
   */
  get beginsFile(): boolean {
    return this.#output.beginsFile === true;
  }

  #openDriver(): EngineDriver {
    if (this.#failure !== null) {
      this.close();
      throw this.#failure;
    }
    if (this.#isClosed) {
      throw new AsiError("ALREADY_READ", "The reader has ended; create a new reader for another recording.");
    }
    this.#driver ??= new EngineDriver(acquireEngine(this.#engineName), this.#settings);
    return this.#driver;
  }

  #readOn(): Outputs[K][] {
    const outputs: Outputs[K][] = [];
    while (!this.needsInput && !this.isDone) {
      // the next call throws, so that output before the error is not lost
      if (this.#failure !== null && this.#outputs === null && outputs.length > 0) break;
      const output = this.step("copies");
      if (output !== null) outputs.push(output);
    }
    return outputs;
  }

  /** Checks a header. Returns its payload, or null if it is invalid and reading has failed. */
  #takeHeader({ payload, byteOffset }: Extract<StepResult, { kind: "header" }>): Uint8Array | null {
    const info = readHeader(payload, byteOffset, this.#settings.serial ?? undefined);
    if (info instanceof AsiError) {
      this.#failure = info;
      return null;
    }
    this.#info ??= info;
    if (info.serial !== this.#info.serial) {
      this.#failure = mixedDevices(this.#info.serial, info.serial, byteOffset);
      return null;
    }
    return payload;
  }

  /** Returns the remaining output after the last step, then sets the result. */
  #end(engine: Engine): void {
    if (this.#isEnded) this.#conclude(engine);
    else this.#outputs = this.#output.end(engine)[Symbol.iterator]();
    this.#isEnded = true;
  }

  #conclude(engine: Engine): void {
    this.#isConcluded = true;
    const info = this.#info ?? this.#headerless();
    const result = resultOf(engine, info, this.#thinning?.produced() ?? engine.produced());
    this.#failure = noFrames(result.report);
    if (this.#failure !== null && this.#isGzip) this.#failure = compressedInput();
    if (this.#failure !== null) return;
    this.#info = info;
    this.#result = result;
  }

  #headerless(): RecordingInfo {
    return headerlessInfo(this.#settings.serial ?? "");
  }
}

function outputOf(
  options: RecordingReaderOptions,
  serial: string | null,
  split: boolean,
  thinning: RowThinning | null,
): Output<Outputs[OutputKind]> {
  switch (options.output) {
    case "csv":
      return csvOutput(options, split, thinning);
    case "columns":
      return columnsOutput(thinning);
    case "frames":
      return new FrameOutput(serial);
    case "beats":
      return beatsOutput;
    case "none":
      return noOutput(thinning);
  }
}

function csvOutput(options: CsvLayout, split: boolean, thinning: RowThinning | null): Output<Uint8Array> {
  const layout = checkLayout(options);
  // the engine writes only the standard rows itself
  if (!layout.hasStandardRows || thinning !== null) {
    return new FormatOutput(csvFormat(layout), split, thinning);
  }
  return new StandardCsvOutput(new TextEncoder().encode(headerText(layout)), split);
}
