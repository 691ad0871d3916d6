import { AsiError } from "./errors.js";
import { whenNothingIsLeft } from "./nothing-left.js";

/** A reading on demand, as far as a wait for its outcome depends on it. */
export interface Reading {
  /** Whether it has ended, in whatever way: then its promises settle by themselves. */
  isOver(): boolean;
  /** Whether somebody reads, or holds what can be read from at any time. */
  isHeld(): boolean;
  /** Ends it when it was aborted before it began. */
  endIfAborted(): void;
  /** Lets an abort end it from now on. */
  hearAbort(): void;
}

interface Guard {
  reading: Reading;
  notRead(isHeld: boolean): AsiError;
}

/**
 * A promise of what is known when something has been read. Reading goes on only when somebody asks for more, so a wait that
 * nobody ends is refused with `NOT_READ`: at once where nobody reads, and when the process has nothing left to do where
 * somebody holds a reader and does not use it. The promise itself stays pending, and can be awaited again.
 */
class PromiseOfReading<T> extends Promise<T> {
  // what `then` gives is a promise like any other
  static override get [Symbol.species]() {
    return Promise;
  }

  /** Null when the promise is settled. */
  guard: Guard | null = null;

  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const { guard } = this;
    // a handler of errors alone does not wait for the value
    if (typeof onFulfilled !== "function" || guard === null) return super.then(onFulfilled, onRejected);
    const { reading } = guard;
    reading.endIfAborted();
    if (reading.isOver()) return super.then(onFulfilled, onRejected);
    if (!reading.isHeld()) return Promise.reject(guard.notRead(false)).then(onFulfilled, onRejected);
    reading.hearAbort();
    const waiting = new Promise<T>((resolve, reject) => {
      const forget = whenNothingIsLeft(() => reject(guard.notRead(true)));
      super.then(resolve, reject).finally(forget);
    });
    return waiting.then(onFulfilled, onRejected);
  }
}

/**
 * Makes such promises.
 *
 * @param reading what they tell of
 * @param whatToDo a sentence
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
    // a caller that does not use it gets no unhandled rejection
    promise.then(settled, settled);
    guarded.catch(() => {});
    guarded.guard = {
      reading,
      notRead: (isHeld) =>
        new AsiError(
          "NOT_READ",
          isHeld
            ? `${name} is not known: the process has nothing left to do, and the recording has not been read to its end. ${whatToDo}`
            : `${name} is not known before the recording is read. ${whatToDo}`,
        ),
    };
    return guarded;
  };
}
