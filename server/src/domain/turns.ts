import { errors } from "./errors.js";

/** Whoever was refused may try again after this time. */
const RETRY_AFTER_MS = 1000;

/**
 * Lets a bounded number of works run at a time. Those who wait are served in turns, one of each, so that a caller with
 * many works waiting does not hold up a caller with one.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  #running = 0;
  /** Who waits, in the order of their turns, and what for. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * @param atOnce works that run at a time
   * @param maxWaiting works of one caller that may wait
   */
  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs the work when it is the caller's turn.
   * @throws ServiceError `throttled` when too many works of the caller wait already
   */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#turn(caller);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(caller: string): Promise<void> {
    const own = this.#waiting.get(caller) ?? [];
    if (own.length >= this.#maxWaiting) throw errors.throttled(RETRY_AFTER_MS);
    this.#waiting.set(caller, own);
    return new Promise((resolve) => own.push(resolve));
  }

  /** Gives the place that became free to the next caller, who then goes behind all others. */
  #next(): void {
    for (const [caller, own] of this.#waiting) {
      const start = own.shift();
      this.#waiting.delete(caller);
      if (own.length > 0) this.#waiting.set(caller, own);
      if (start === undefined) continue;
      start();
      return;
    }
    this.#running -= 1;
  }
}
