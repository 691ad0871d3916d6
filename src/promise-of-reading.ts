import { AsiError } from "./errors.js";

/**
 * A promise of what is known when something has been read. Whoever awaits it before the reading has begun would wait for
 * ever, since nothing is read before it is asked for: they get `NOT_READ`. Awaited later, it gives what it promises.
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
    // whoever only catches errors does not wait for the value
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
    // whoever does not ask is not to be bothered by an unhandled rejection
    guarded.catch(() => {});
    guarded.objection = () =>
      isBegun()
        ? null
        : new AsiError("NOT_READ", `${name} is not known before the recording is read. ${whatToDo}`);
    return guarded;
  };
}
