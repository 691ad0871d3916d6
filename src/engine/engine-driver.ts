import type { Engine, EngineSettings, StepResult } from "./engine.js";

/** Drives an engine in a loop. It writes chunks to the engine, in the largest possible parts. */
export class EngineDriver {
  readonly engine: Engine;
  #chunk: Uint8Array = NOTHING;
  #offset = 0;
  #isLast = false;
  // whether the last step stopped before it had read all written bytes
  #isStopped = false;
  #state: "needsInput" | "working" | "done" = "needsInput";

  constructor(engine: Engine, settings: EngineSettings) {
    this.engine = engine;
    engine.reset(settings);
  }

  /** Whether `give` must be called next, because all input so far has been read as far as possible. */
  get needsInput(): boolean {
    return this.#state === "needsInput";
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  /** Supplies the next chunk, which must not change until it has been read; null ends the input. */
  give(chunk: Uint8Array | null): void {
    this.#chunk = chunk ?? NOTHING;
    this.#offset = 0;
    this.#isLast = chunk === null;
    this.#state = "working";
  }

  /** Runs one step. Read the output of the engine before the next step. */
  step(): StepResult {
    // After a step that stopped early, the next one continues with the bytes already written, because refilling the buffer would
    // move all unread bytes.
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
