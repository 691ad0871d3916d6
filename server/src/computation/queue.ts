import { errors } from "../domain/errors.js";

/** Computations that wait for a thread, of all accounts and of one. */
const MAX_WAITING = 400;
const MAX_WAITING_OF_ACCOUNT = 40;
const RETRY_AFTER_MS = 2_000;

/** Who waits for a computation. */
export interface Waiter {
  account: number;
  /** Aborted when the caller leaves. */
  signal?: AbortSignal | undefined;
}

/** Work whose callers have all left before it was begun; nobody is there to read the answer. */
export class CallersLeftError extends Error {
  override readonly name = "CallersLeftError";
  readonly statusCode = 499;

  constructor() {
    super("The callers have left.");
  }
}

interface Flight {
  key: string;
  account: number;
  callers: number;
  begin(): Promise<unknown>;
  leave(): void;
  result: Promise<unknown>;
}

/**
 * Runs so much work at a time. Who asks for what is under way or waits already shares it; accounts take turns; work that
 * waits is dropped when its callers leave.
 */
export class ComputationQueue {
  readonly #hands: number;
  #running = 0;
  readonly #flights = new Map<string, Flight>();
  /** What waits, by account; the account at the front has the next turn. */
  readonly #waiting = new Map<number, Flight[]>();

  /** @param hands how much work runs at a time */
  constructor(hands: number) {
    this.#hands = hands;
  }

  /**
   * @param key names the work: with the same key, the same result
   * @throws ServiceError `throttled` when too much waits; CallersLeftError; whatever the work throws
   */
  async share<T>(key: string, { account, signal }: Waiter, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new CallersLeftError();
    const flight = this.#flights.get(key) ?? this.#add(key, account, work);
    flight.callers += 1;
    const leave = () => {
      flight.callers -= 1;
      if (flight.callers === 0) flight.leave();
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return (await flight.result) as T;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  #add(key: string, account: number, work: () => Promise<unknown>): Flight {
    const own = this.#waiting.get(account) ?? [];
    const waiting = [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
    if (own.length >= MAX_WAITING_OF_ACCOUNT || waiting >= MAX_WAITING)
      throw errors.throttled(RETRY_AFTER_MS);
    const { promise, resolve, reject } = deferred<unknown>();
    const flight: Flight = {
      key,
      account,
      callers: 0,
      result: promise,
      async begin() {
        await work().then(resolve, reject);
      },
      leave: () => {
        if (!this.#remove(flight)) return;
        this.#flights.delete(key);
        reject(new CallersLeftError());
      },
    };
    // Whoever waits hears of it; when nobody does any more, it is no unhandled rejection.
    promise.catch(() => undefined);
    this.#flights.set(key, flight);
    this.#waiting.set(account, [...own, flight]);
    // Not before its caller has been counted.
    queueMicrotask(() => this.#fill());
    return flight;
  }

  /** Takes work that has not been begun out of the queue. @returns whether it was there */
  #remove(flight: Flight): boolean {
    const own = this.#waiting.get(flight.account) ?? [];
    const rest = own.filter((other) => other !== flight);
    if (rest.length === 0) this.#waiting.delete(flight.account);
    else this.#waiting.set(flight.account, rest);
    return rest.length < own.length;
  }

  #fill(): void {
    while (this.#running < this.#hands) {
      const [turn] = this.#waiting;
      if (turn === undefined) return;
      const [account, [flight, ...rest]] = turn;
      // Behind the others, for its next turn.
      this.#waiting.delete(account);
      if (rest.length > 0) this.#waiting.set(account, rest);
      if (flight === undefined) continue;
      this.#running += 1;
      flight.begin().finally(() => {
        this.#running -= 1;
        this.#flights.delete(flight.key);
        this.#fill();
      });
    }
  }
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
