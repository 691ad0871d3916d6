import type { OutputKind } from "./engine.js";
import { prepareEngine } from "./engines.js";
import { AsiError, abortError } from "./errors.js";
import { isTurnDue, takeTurn } from "./event-loop-turns.js";
import type { Format } from "./formats/format.js";
import type { ReadResult } from "./read-result.js";
import { type Outputs, RecordingReader, type RecordingReaderOptions } from "./recording-reader.js";
import { type ChunkReader, readChunks } from "./source.js";
import type { EngineName, RecordingInfo, Report, Source } from "./types.js";

export interface SourceReading {
  /** Outputs in memory of their own, the default, or as views that hold until the next, for those who write them away at once. */
  gives?: "copies" | "views";
  /** Whether what comes out is a file for each range; default false. */
  split?: boolean;
  /** What the rows are written in, with the output `csv`; default CSV. */
  format?: Format;
}

/**
 * Reads one source through a `RecordingReader`, on demand: each `next` reads as far as it takes to have an output. Nothing is
 * read, and no engine taken, before the first `next`; all is let go at the end, on an error and by `cancel`.
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
  readonly #format: Format | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #result = deferred<ReadResult>();
  readonly #info = deferred<RecordingInfo>();
  #isBegun = false;
  #isOver = false;
  #isReading = false;
  // An abort that came between two calls of `next`; the next one tells.
  #abort: AsiError | null = null;
  #interruptWait: ((error: AsiError) => void) | null = null;

  /** Throws `BAD_OPTION` and `BAD_SOURCE` at once. */
  constructor(
    source: Source,
    options: RecordingReaderOptions<K> & { signal?: AbortSignal | undefined },
    { gives = "copies", split = false, format }: SourceReading = {},
  ) {
    this.#recording = new RecordingReader(options, split);
    this.#format = format;
    this.#chunks = readChunks(source);
    this.#engineName = options.engine;
    this.#signal = options.signal;
    this.#gives = gives;
    // A caller that does not use it gets no unhandled rejection: the error also comes out of `next`.
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

  /** Fulfilled with the first header, or at the end where there is none. */
  get info(): Promise<RecordingInfo> {
    return this.#info.promise;
  }

  /** Whether what `next` gave begins a file, the only one or, with `split`, one of several. */
  get beginsFile(): boolean {
    return this.#recording.beginsFile;
  }

  /** Whether anybody has asked for an output. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Whether somebody waits for an output. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Whether it has come to its end, failed, or been cancelled. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The next output; null at the end. Throws `AsiError`, and whatever the source throws. */
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
        // A source in memory never waits, and a step may give nothing: an abort could not even be called.
        if (isTurnDue()) await takeTurn();
        // cancelled meanwhile: nobody waits for more
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
      // cancelled meanwhile: nobody waits for what came of the read in progress
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
    if (this.#format !== undefined) this.#recording.useFormat(await this.#format.load());
  }

  /** Ends a reading that has not begun and whose signal is aborted. */
  endIfAborted(): void {
    if (!this.#isBegun && !this.#isOver && this.#signal?.aborted === true) this.#onAbort();
  }

  /**
   * Hears the signal from now on; `next` does so too. Only for a wait that will last: a reading that nobody begins leaves
   * its listener on the signal.
   */
  hearAbort(): void {
    if (!this.#isBegun && !this.#isOver) this.#signal?.addEventListener("abort", this.#onAbort);
  }

  /** Stops in the middle and lets the source go. */
  async cancel(reason?: unknown): Promise<void> {
    if (this.#isOver) return;
    await this.#fail(new AsiError("ABORTED", "The reading was cancelled.", { cause: reason }));
  }

  #conclude(): void {
    const { result } = this.#recording;
    this.#info.resolve(result.info);
    this.#result.resolve(result);
    this.#letGo();
  }

  async #fail(error: unknown): Promise<void> {
    this.#letGo();
    this.#info.reject(error);
    this.#result.reject(error);
    // A source that fails to close must not hide why it was closed.
    try {
      await this.#chunks.close(error);
    } catch {}
  }

  #letGo(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    // After an abort between two reads the last output may still be in use. A view lies in the engine's memory.
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

  // A source may never answer, so the wait for it can be interrupted. (Promise.race with one lasting promise would
  // keep a reaction for every chunk.)
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

// Promise.withResolvers came with Node 22.
function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, resolve: (value) => settle?.resolve(value), reject: (error) => settle?.reject(error) };
}
