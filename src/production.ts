import { checkDecodeOptions } from "./decode-options.js";
import { Decoder } from "./decoder.js";
import type { Engine, OutputKind, Produced, Recorded } from "./engine.js";
import { acquireEngine, releaseEngine } from "./engines.js";
import { AsiError, abortError } from "./errors.js";
import { isTurnDue, takeTurn } from "./event-loop-turns.js";
import { type ChunkReader, readChunks } from "./source.js";
import type { DecodeOptions, RecordingInfo, Report, Source } from "./types.js";

/** What is known when a recording has been read to its end. */
export interface Conclusion {
  info: RecordingInfo;
  report: Report;
  /** The rows that came out; fewer than the report's when `from` or `to` leave some out. */
  produced: Produced;
  recorded: Recorded;
  ecgRawHz: number;
}

/**
 * One reading of one source, on demand: each `next` reads as far as it takes to have something to hand over.
 * Nothing is read, and no engine taken, before the first `next`; all is let go at the end, on an error and by `cancel`.
 */
export class Production<T> {
  /** Fulfilled with the account when the source has been read to its end. */
  readonly report: Promise<Report>;
  readonly #reader: ChunkReader;
  readonly #output: OutputKind;
  readonly #take: (decoder: Decoder) => T | null;
  readonly #options: DecodeOptions;
  readonly #conclusion = deferred<Conclusion>();
  readonly #info = deferred<RecordingInfo>();
  #engine: Engine | null = null;
  #decoder: Decoder | null = null;
  #isBegun = false;
  #isOver = false;
  #isReading = false;
  // An abort that came between two calls of `next`; the next one tells.
  #abort: AsiError | null = null;
  #interruptWait: ((error: AsiError) => void) | null = null;

  /**
   * `take` reads the outputs of one step (they are views, valid until the next); null when there is nothing.
   * Throws `BAD_OPTION` and `BAD_SOURCE` at once.
   */
  constructor(
    source: Source,
    output: OutputKind,
    options: DecodeOptions,
    take: (decoder: Decoder) => T | null,
  ) {
    checkDecodeOptions(options);
    this.#reader = readChunks(source);
    this.#output = output;
    this.#options = options;
    this.#take = take;
    // A caller that does not use it gets no unhandled rejection: the error also comes out of `next`.
    this.#conclusion.promise.catch(() => {});
    this.#info.promise.catch(() => {});
    this.report = this.#conclusion.promise.then((conclusion) => conclusion.report);
    this.report.catch(() => {});
  }

  /** Fulfilled when the source has been read to its end. */
  get conclusion(): Promise<Conclusion> {
    return this.#conclusion.promise;
  }

  /** Fulfilled with the first header, or at the end where there is none. */
  get info(): Promise<RecordingInfo> {
    return this.#info.promise;
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
  async next(): Promise<T | null> {
    if (this.#abort !== null) {
      const error = this.#abort;
      this.#abort = null;
      throw error;
    }
    if (this.#isOver) return null;
    if (!this.#isBegun) this.#options.signal?.addEventListener("abort", this.#onAbort);
    this.#isBegun = true;
    this.#isReading = true;
    try {
      return await this.#produce();
    } catch (error) {
      // cancelled meanwhile: nobody waits for what came of the read in progress
      if (this.#isOver) return null;
      await this.#fail(error);
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  async #produce(): Promise<T | null> {
    const decoder = this.#decoder ?? (await this.#begin());
    if (decoder === null) return null;
    while (!decoder.isDone) {
      // A source in memory never waits, and a step may give nothing: an abort could not even be called.
      if (isTurnDue()) {
        await takeTurn();
        if (this.#isOver) return null;
      }
      this.#throwIfAborted();
      if (decoder.isHungry) {
        const answer = this.#reader.read();
        const chunk = answer instanceof Promise ? await this.#wait(answer) : answer;
        // cancelled meanwhile: the engine may already serve another recording
        if (this.#isOver) return null;
        if (chunk === null) decoder.end();
        else decoder.give(chunk);
      }
      decoder.advance();
      if (decoder.info !== null) this.#info.resolve(decoder.info);
      const output = this.#take(decoder);
      if (output !== null) return output;
    }
    this.#conclude(decoder);
    return null;
  }

  // Null when cancelled meanwhile.
  async #begin(): Promise<Decoder | null> {
    const engine = await acquireEngine(this.#options.engine);
    if (this.#isOver) {
      releaseEngine(engine);
      return null;
    }
    this.#engine = engine;
    this.#decoder = new Decoder(engine, this.#output, this.#options);
    return this.#decoder;
  }

  /** Ends a reading that has not begun and whose signal is aborted. */
  endIfAborted(): void {
    if (!this.#isBegun && !this.#isOver && this.#options.signal?.aborted === true) this.#onAbort();
  }

  /**
   * Hears the signal from now on; `next` does so too. Only for a wait that will last: a reading that nobody begins leaves
   * its listener on the signal.
   */
  hearAbort(): void {
    if (!this.#isBegun && !this.#isOver) this.#options.signal?.addEventListener("abort", this.#onAbort);
  }

  /** Stops in the middle and lets the source go. */
  async cancel(reason?: unknown): Promise<void> {
    await this.fail(new AsiError("ABORTED", "The reading was cancelled.", { cause: reason }));
  }

  /** Ends the reading with an error of the code that takes the outputs. */
  async fail(error: unknown): Promise<void> {
    if (!this.#isOver) await this.#fail(error);
  }

  #conclude(decoder: Decoder): void {
    const { info, report } = decoder.conclude();
    this.#info.resolve(info);
    this.#conclusion.resolve({
      info,
      report,
      produced: decoder.engine.produced(),
      recorded: decoder.engine.recorded(),
      ecgRawHz: decoder.engine.ecgRawHz(),
    });
    this.#letGo();
  }

  async #fail(error: unknown): Promise<void> {
    this.#letGo();
    this.#info.reject(error);
    this.#conclusion.reject(error);
    // A source that fails to close must not hide why it was closed.
    try {
      await this.#reader.close(error);
    } catch {}
  }

  #letGo(): void {
    this.#isOver = true;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    // After an abort between two reads the last output may still be in use, and it is a view into the engine's memory.
    if (this.#engine !== null && this.#abort === null) releaseEngine(this.#engine);
    this.#engine = null;
    this.#decoder = null;
  }

  #throwIfAborted(): void {
    if (this.#options.signal?.aborted === true) throw abortError(this.#options.signal);
  }

  readonly #onAbort = (): void => {
    const error = abortError(this.#options.signal);
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
    if (this.#options.signal === undefined) return promise;
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
