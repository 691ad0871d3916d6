import { setImmediate } from "node:timers/promises";

/**
 * Runs work that holds the event loop for milliseconds at a time, a few pieces at once. Callers take turns: one that asks
 * for much waits for itself, not the others for it.
 */
export class FairQueue {
  readonly #concurrency: number;
  /** Callers in the order of their next turn, each with the work that waits. */
  readonly #waiting = new Map<number, (() => void)[]>();
  #running = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** @param caller id of the account that asks */
  async run<T>(caller: number, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#concurrency) await this.#turnOf(caller);
    else this.#running++;
    try {
      return await work();
    } finally {
      // What else has happened comes first, before the next piece holds the event loop again.
      await setImmediate();
      this.#next();
    }
  }

  #turnOf(caller: number): Promise<void> {
    return new Promise((start) => {
      const queue = this.#waiting.get(caller);
      if (queue === undefined) this.#waiting.set(caller, [start]);
      else queue.push(start);
    });
  }

  /** Hands the place of finished work to the next caller, who then goes to the end of the line. */
  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#running--;
      return;
    }
    const [caller, queue] = first;
    const start = queue.shift();
    this.#waiting.delete(caller);
    if (queue.length > 0) this.#waiting.set(caller, queue);
    start?.();
  }
}
