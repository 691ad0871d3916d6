import { AsiError } from "./errors.js";

/**
 * A promise of what is known when something has been read. Awaited before the reading begins it would never
 * settle, since reading starts on demand: it rejects with `NOT_READ`. Awaited later, it is an ordinary promise.
 */
class PromiseOfReading<T> extends Promise<T> {
  // what `then` gives is a promise like any other
  static override get [Symbol.species]() {
    return Promise;
  }

  objection: () => AsiError | null = () => null;

  // biome-ignore lint/suspicious/noThenProperty: a promise has one
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    // a handler of errors alone does not wait for the value
    const objection = typeof onFulfilled === "function" ? this.objection() : null;
    if (objection !== null) return Promise.reject(objection).then(onFulfilled, onRejected);
    return super.then(onFulfilled, onRejected);
  }
}

/**
 * Makes such promises.
 *
 * @param isBegun whether anybody reads what they tell of
 * @param whatToDo a sentence
 */
export function promisesOfReading(
  isBegun: () => boolean,
  whatToDo: string,
): <T>(name: string, promise: Promise<T>) => Promise<T> {
  return <T>(name: string, promise: Promise<T>) => {
    const guarded = new PromiseOfReading<T>((resolve, reject) => {
      promise.then(resolve, reject);
    });
    // a caller that does not use it gets no unhandled rejection
    guarded.catch(() => {});
    guarded.objection = () =>
      isBegun()
        ? null
        : new AsiError("NOT_READ", `${name} is not known before the recording is read. ${whatToDo}`);
    return guarded;
  };
}
