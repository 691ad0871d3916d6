import type { OutputKind } from "../engine/engine.js";
import { prepareEngine } from "../engine/engines.js";
import { AsiError, abortError } from "../errors.js";
import type { OpenFormat } from "../formats/format.js";
import { isTurnDue, takeTurn } from "../sources/event-loop-turns.js";
import { type ChunkReader, readChunks } from "../sources/source.js";
import type { EngineName, RecordingInfo, Report, Source } from "../types.js";
import { checkSignal } from "./decode-options.js";
import type { ReadResult } from "./read-result.js";
import { type Outputs, type RecordingReaderOptions, readerOptionsIn } from "./reader-options.js";
import { RecordingReader } from "./recording-reader.js";

export interface SourceReading {
  /** `copies` (default), or `views` that are valid until the next output, for callers that write the outputs immediately. */
  gives?: "copies" | "views";
  /** Whether to write a separate file for each range; default false. */
  split?: boolean;
  /** Loads the format for the output `csv`; default CSV. */
  loadFormat?: () => Promise<OpenFormat>;
}

/**
 * Reads one source through a `RecordingReader`, on demand. Each call to `next` reads until there is an output. Before the first
 * call, nothing is read, and no engine is acquired. Everything is released at the end, after an error, and by `cancel`.
 */
export class SourceReader<K extends OutputKind> {
  /** Fulfilled when the source has been read to its end. */
  readonly report: Promise<Report>;
  /** Fulfilled when the source has been read to its end. */
  readonly engine: Promise<EngineName>;
  readonly #recording: RecordingReader<K>;
  readonly #engineName: RecordingReaderOptions<K>["engine"];
  readonly #chunks: ChunkReader;
  readonly #gives: "copies" | "views";
  readonly #loadFormat: (() => Promise<OpenFormat>) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #result = deferred<ReadResult>();
  readonly #info = deferred<RecordingInfo>();
  #isBegun = false;
  #isOver = false;
  #isReading = false;
  // An abort between two calls to `next`; the next call throws it.
  #abort: AsiError | null = null;
  #interruptWait: ((error: AsiError) => void) | null = null;

  /** Throws `BAD_OPTION` and `BAD_SOURCE` immediately. */
  constructor(
    source: Source,
    options: RecordingReaderOptions<K> & { signal?: AbortSignal | undefined },
    { gives = "copies", split = false, loadFormat }: SourceReading = {},
  ) {
    checkSignal(options.signal);
    this.#recording = new RecordingReader(readerOptionsIn(options), split);
    this.#loadFormat = loadFormat;
    this.#chunks = readChunks(source);
    this.#engineName = options.engine;
    this.#signal = options.signal;
    this.#gives = gives;
    // Callers that do not use the result must not cause unhandled rejections; `next` throws the same error.
    this.#result.promise.catch(() => {});
    this.#info.promise.catch(() => {});
    this.report = this.#result.promise.then(({ report }) => report);
    this.report.catch(() => {});
    this.engine = this.#result.promise.then(({ engine }) => engine);
    this.engine.catch(() => {});
  }

  /** Fulfilled when the source has been read to its end. */
  get result(): Promise<ReadResult> {
    return this.#result.promise;
  }

  /** Fulfilled with the first header, or at the end if there is none. */
  get info(): Promise<RecordingInfo> {
    return this.#info.promise;
  }

  /** Whether the last output of `next` starts a file: the only one or, with `split`, one of several. */
  get beginsFile(): boolean {
    return this.#recording.beginsFile;
  }

  /** Whether `next` has been called. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Whether a call to `next` is in progress. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Whether the reading has ended, failed or been cancelled. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns the next output; null at the end. Throws `AsiError`, and errors of the source. */
  async next(): Promise<Outputs[K] | null> {
    if (this.#abort !== null) {
      const error = this.#abort;
      this.#abort = null;
      throw error;
    }
    if (this.#isOver) return null;
    this.#isReading = true;
    try {
      if (!this.#isBegun) await this.#begin();
      const recording = this.#recording;
      while (!recording.isDone) {
        // A source in memory never waits, and a step may have no output. Without this turn of the event loop, an abort could not
        // take effect.
        if (isTurnDue()) await takeTurn();
        // the reading was cancelled in the meantime
        if (this.#isOver) return null;
        this.#throwIfAborted();
        if (recording.needsInput) {
          const answer = this.#chunks.read();
          const chunk = answer instanceof Promise ? await this.#wait(answer) : answer;
          if (this.#isOver) return null;
          recording.give(chunk);
        }
        const output = recording.step(this.#gives);
        if (recording.info !== null) this.#info.resolve(recording.info);
        if (output !== null) return output;
      }
      this.#conclude();
      return null;
    } catch (error) {
      // the reading was cancelled in the meantime, so the result of the read in progress is not needed
      if (this.#isOver) return null;
      await this.#fail(error);
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  async #begin(): Promise<void> {
    this.#isBegun = true;
    this.#signal?.addEventListener("abort", this.#onAbort);
    await prepareEngine(this.#engineName);
    if (this.#loadFormat !== undefined) this.#recording.useFormat(await this.#loadFormat());
  }

  /** Ends a reading that has not started if its signal is aborted. */
  endIfAborted(): void {
    if (!this.#isBegun && !this.#isOver && this.#signal?.aborted === true) this.#onAbort();
  }

  /**
   * Starts to listen to the signal, as `next` does. Call it only for waits that may be long, because the listener stays on the
   * signal if the reading never starts.
   */
  listenForAbort(): void {
    if (!this.#isBegun && !this.#isOver) this.#signal?.addEventListener("abort", this.#onAbort);
  }

  /** Stops reading and releases the source. */
  async cancel(reason?: unknown): Promise<void> {
    if (this.#isOver) return;
    await this.#fail(new AsiError("ABORTED", "The reading was cancelled.", { cause: reason }));
  }

  #conclude(): void {
    const { result } = this.#recording;
    this.#info.resolve(result.info);
    this.#result.resolve(result);
    this.#release();
  }

  async #fail(error: unknown): Promise<void> {
    this.#release();
    this.#info.reject(error);
    this.#result.reject(error);
    // An error while closing must not hide the original error.
    try {
      await this.#chunks.close(error);
    } catch {}
  }

  #release(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    // After an abort between two reads, the last output may still be in use, and views are in the memory of the engine.
    if (this.#abort === null || this.#gives === "copies") this.#recording.close();
    else this.#recording.abandon();
  }

  #throwIfAborted(): void {
    if (this.#signal?.aborted === true) throw abortError(this.#signal);
  }

  readonly #onAbort = (): void => {
    const error = abortError(this.#signal);
    if (this.#isReading) {
      this.#interruptWait?.(error);
    } else {
      this.#abort = error;
      void this.#fail(error);
    }
  };

  // Waits for a promise, or until an abort or cancellation, because a source may never answer. `Promise.race` with a long-lived
  // promise would keep a reaction for every chunk.
  #wait<V>(promise: Promise<V>): Promise<V> {
    if (this.#signal === undefined) return promise;
    return new Promise((resolve, reject) => {
      this.#interruptWait = reject;
      promise.then(resolve, reject);
    });
  }
}

interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

// Replaces `Promise.withResolvers`, which requires Node.js 22.
function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, resolve: (value) => settle?.resolve(value), reject: (error) => settle?.reject(error) };
}
