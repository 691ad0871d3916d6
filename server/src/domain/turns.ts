import { errors } from "./errors.js";

/** When a refused caller may try again. */
const RETRY_AFTER_MS = 1000;

interface TurnsSettings {
  /** Tasks that run at a time. */
  concurrency: number;
  /** Tasks of one caller that may wait; any number unless given. */
  maxWaitingPerCaller?: number;
  /** Tasks of all callers that may wait; any number unless given. */
  maxWaiting?: number;
  /** What a refusal says in `Retry-After`. */
  retryAfterMs?: number;
}

/**
 * Runs a bounded number of tasks at a time. Callers take turns, one task each, so that a caller with many waiting tasks
 * does not hold up a caller with one.
 */
export class Turns<Caller> {
  readonly #settings: Required<TurnsSettings>;
  #running = 0;
  #waitingCount = 0;
  /** The tasks that wait, by caller; the caller at the front has the next turn. */
  readonly #waiting = new Map<Caller, Set<() => void>>();
  /** The caller whose task began last. */
  #served: Caller | undefined;

  constructor(settings: TurnsSettings) {
    this.#settings = {
      maxWaitingPerCaller: Number.POSITIVE_INFINITY,
      maxWaiting: Number.POSITIVE_INFINITY,
      retryAfterMs: RETRY_AFTER_MS,
      ...settings,
    };
  }

  /**
   * Runs the task when it is the caller's turn.
   * @param signal takes a task that waits out of the queue; a task that has begun goes on
   * @throws ServiceError `throttled` when too many tasks wait already; the signal's reason; whatever the task throws
   */
  async run<T>(caller: Caller, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#settings.concurrency) {
      this.#running += 1;
      this.#served = caller;
    } else {
      await this.#turnOf(caller, signal);
    }
    try {
      return await task();
    } finally {
      this.#next();
    }
  }

  #turnOf(caller: Caller, signal: AbortSignal | undefined): Promise<void> {
    const own = this.#waiting.get(caller) ?? new Set();
    const { maxWaiting, maxWaitingPerCaller, retryAfterMs } = this.#settings;
    if (own.size >= maxWaitingPerCaller || this.#waitingCount >= maxWaiting) {
      throw errors.throttled(retryAfterMs);
    }
    this.#waiting.set(caller, own);
    this.#waitingCount += 1;
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        own.delete(start);
        if (own.size === 0) this.#waiting.delete(caller);
        this.#waitingCount -= 1;
        reject(signal?.reason);
      };
      own.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Gives the free place to the next caller. */
  #next(): void {
    const caller = this.#nextCaller();
    const own = caller === undefined ? undefined : this.#waiting.get(caller);
    const [start] = own ?? [];
    if (caller === undefined || own === undefined || start === undefined) {
      this.#running -= 1;
      return;
    }
    own.delete(start);
    this.#waitingCount -= 1;
    // A caller who was served goes to the end of the queue.
    this.#waiting.delete(caller);
    if (own.size > 0) this.#waiting.set(caller, own);
    this.#served = caller;
    start();
  }

  /** The caller at the front. One who was served last goes to the end first: a task that did not wait was a turn too. */
  #nextCaller(): Caller | undefined {
    const [first, second] = this.#waiting;
    if (first === undefined) return undefined;
    const [caller, own] = first;
    if (caller !== this.#served || second === undefined) return caller;
    this.#waiting.delete(caller);
    this.#waiting.set(caller, own);
    return second[0];
  }
}
