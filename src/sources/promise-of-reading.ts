import { AsiError } from "../errors.js";

/** The state of an on-demand reading, which determines whether callers may wait for its result. */
export interface Reading {
  /** Returns whether the reading has ended, successfully or not. If it has, its promises settle by themselves. */
  isOver(): boolean;
  /** Returns whether the recording is being read, or a caller has a reader and can continue at any time. */
  isHeld(): boolean;
  /** Ends the reading if it was aborted before it started. */
  endIfAborted(): void;
  /** Starts to listen for an abort, which ends the reading. */
  listenForAbort(): void;
}

interface Guard {
  reading: Reading;
  notRead(): AsiError;
}

/**
 * A promise for a result that is known after reading. Reading happens only on demand, so waiting while nothing reads would never
 * end. In this case, `then` rejects with `NOT_READ`. The promise itself stays pending, and can be awaited again.
 */
class PromiseOfReading<T> extends Promise<T> {
  // `then` returns an ordinary promise
  static override get [Symbol.species]() {
    return Promise;
  }

  /** Checks waits for the promise; null when the promise is settled. */
  guard: Guard | null = null;

  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const { guard } = this;
    // a caller that handles only errors does not wait for the value
    if (typeof onFulfilled !== "function" || guard === null) return super.then(onFulfilled, onRejected);
    const { reading } = guard;
    reading.endIfAborted();
    if (reading.isOver()) return super.then(onFulfilled, onRejected);
    if (!reading.isHeld()) return Promise.reject(guard.notRead()).then(onFulfilled, onRejected);
    reading.listenForAbort();
    return super.then(onFulfilled, onRejected);
  }
}

/**
 * Returns a function that creates such promises.
 *
 * @param reading the reading on which the promises depend
 * @param whatToDo a sentence for the error message
 */
export function promisesOfReading(
  reading: Reading,
  whatToDo: string,
): <T>(name: string, promise: Promise<T>) => Promise<T> {
  return <T>(name: string, promise: Promise<T>) => {
    const guarded = new PromiseOfReading<T>((resolve, reject) => {
      promise.then(resolve, reject);
    });
    const settled = () => {
      guarded.guard = null;
    };
    // callers that do not use the promise must not cause unhandled rejections
    promise.then(settled, settled);
    guarded.catch(() => {});
    guarded.guard = {
      reading,
      notRead: () =>
        new AsiError("NOT_READ", `${name} is not known before the recording is read. ${whatToDo}`),
    };
    return guarded;
  };
}
