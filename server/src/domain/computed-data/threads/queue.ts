import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { FairQueue } from "../../../fairness/fair-queue.js";
import type { EnterRoom, Waiter } from "../../change/compute-pool.js";
import { MAX_COMPUTED_SAMPLES } from "../sample-limit.js";
import { SampleRoom } from "./sample-room.js";

/** Maximum number of computations that wait for a thread: in total, per address, and per account. */
const MAX_WAITING = 400;
const MAX_WAITING_OF_ADDRESS = MAX_WAITING / 2;
const MAX_WAITING_OF_ACCOUNT = 40;
const RETRY_AFTER_MS = 2_000;

/**
 * Maximum number of samples in memory, of all computations, of those of an address, and of those of an account. A sample takes
 * about 100 bytes.
 */
const ROOM = { total: 4_000_000, ofAddress: 3_000_000, ofAccount: MAX_COMPUTED_SAMPLES };

/** All callers disconnected before the computation began. */
export class CallersLeftError extends Error {
  override readonly name = "CallersLeftError";
  readonly statusCode = 499;

  constructor() {
    super("The callers have disconnected.");
  }
}

/** A waiting or running computation, and the callers that share it. */
interface Flight {
  callers: number;
  /** Called when the last caller disconnects. */
  abandon(): void;
  result: Promise<unknown>;
  /** Resolves when all waiting callers have the result. */
  handedOut: Promise<void>;
}

/**
 * Runs a limited number of computations concurrently. Requests for the same computation share it, the queue is fair between
 * addresses and their accounts, and a waiting computation is dropped when all its callers have disconnected.
 */
export class ComputationQueue {
  /**
   * Computations by account and group. A computation for a guest is charged to the account of the owner, but counts towards the
   * address of the guest.
   */
  readonly #fairQueue: FairQueue<string>;
  readonly #flights = new Map<string, Flight>();
  readonly #room = new SampleRoom(ROOM);

  /** @param refusal creates the error for callers when too many computations wait */
  constructor(concurrency: number, refusal: (retryAfterMs: number) => Error) {
    this.#fairQueue = new FairQueue({
      concurrency,
      // Keep one thread free for other accounts and addresses, because the duration of a computation is unknown.
      concurrencyPerCaller: Math.max(1, concurrency - 1),
      concurrencyPerGroup: Math.max(1, concurrency - 1),
      maxWaiting: MAX_WAITING,
      maxWaitingPerGroup: MAX_WAITING_OF_ADDRESS,
      maxWaitingPerCaller: MAX_WAITING_OF_ACCOUNT,
      refusal: () => refusal(RETRY_AFTER_MS),
    });
  }

  /**
   * @param key identifies the computation; requests with the same key share its result
   * @throws the refusal when too many wait; CallersLeftError; any error of the computation
   */
  async share<T>(key: string, waiter: Waiter, compute: (enter: EnterRoom) => Promise<T>): Promise<T> {
    const { signal } = waiter;
    if (signal?.aborted) throw new CallersLeftError();
    const flight = this.#flights.get(key) ?? this.#add(key, waiter, compute);
    flight.callers += 1;
    const leave = () => {
      flight.callers -= 1;
      if (flight.callers === 0) flight.abandon();
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      const result = (await flight.result) as T;
      // Resume one caller per iteration of the event loop, because hundreds of responses at once would block it.
      flight.handedOut = flight.handedOut.then(() => nextEventLoopTurn());
      await flight.handedOut;
      return result;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  #add(key: string, waiter: Waiter, compute: (enter: EnterRoom) => Promise<unknown>): Flight {
    const { account, group } = waiter;
    const abandoned = new AbortController();
    let isWaiting = true;
    let leave = () => {};
    const remove = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    const enter = async (samples: number) => {
      // A computation that begins again must not wait for itself.
      leave();
      leave = () => {};
      isWaiting = true;
      leave = await this.#room.enter(waiter, samples, abandoned.signal);
      isWaiting = false;
    };
    const begin = async () => {
      isWaiting = false;
      try {
        return await compute(enter);
      } finally {
        leave();
      }
    };
    const flight: Flight = {
      callers: 0,
      abandon() {
        if (!isWaiting) return;
        // Remove it immediately, so that no other caller joins it.
        remove();
        abandoned.abort(new CallersLeftError());
      },
      result: this.#fairQueue
        .run(`${account} ${group ?? ""}`, begin, abandoned.signal, group)
        .finally(remove),
      handedOut: Promise.resolve(),
    };
    // Each caller gets the error. If all have disconnected, it must not become an unhandled rejection.
    flight.result.catch(() => undefined);
    this.#flights.set(key, flight);
    return flight;
  }
}
