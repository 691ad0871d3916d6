import type { Engine, EngineSettings, Signal } from "./engine.js";

/** The one loop that drives an engine: puts chunks into it, in as few and as large parts as it takes. */
export class EngineDriver {
  readonly engine: Engine;
  #chunk: Uint8Array = NOTHING;
  #offset = 0;
  #isLast = false;
  // whether the last step stopped before it had used what was written
  #isStopped = false;
  #state: "needsInput" | "working" | "done" = "needsInput";

  constructor(engine: Engine, settings: EngineSettings) {
    this.engine = engine;
    engine.reset(settings);
  }

  /** Whether `give` is due: all that was given has been read, as far as it can be. */
  get needsInput(): boolean {
    return this.#state === "needsInput";
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** The next chunk, which must stay as it is until it has been read; null: there is no other. */
  give(chunk: Uint8Array | null): void {
    this.#chunk = chunk ?? NOTHING;
    this.#offset = 0;
    this.#isLast = chunk === null;
    this.#state = "working";
  }

  /** Takes one step; the output of the engine is to be read before the next. */
  step(): Signal {
    // A step that stopped goes on with what it has: to fill the room up again would move all that waits in it.
    if (!this.#isStopped && this.#offset < this.#chunk.length) {
      this.#offset += this.engine.write(this.#chunk, this.#offset);
    }
    const isAllWritten = this.#offset >= this.#chunk.length;
    const signal = this.engine.step(this.#isLast && isAllWritten);
    this.#isStopped = signal.kind !== "drained";
    if (!this.#isStopped && isAllWritten) {
      this.#chunk = NOTHING;
      this.#offset = 0;
      this.#state = this.#isLast ? "done" : "needsInput";
    }
    return signal;
  }
}

const NOTHING = new Uint8Array(0);
