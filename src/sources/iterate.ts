import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";

// Reads iterables from callers. They are recognized by their methods, and may violate the protocol.

export type Iterated<T> =
  | { iterator: AsyncIterator<T>; isAsync: true }
  | { iterator: Iterator<T>; isAsync: false };

/** Returns an iterator for an object; null if the object is not iterable. */
export function iterate<T>(iterable: object): Iterated<T> | null {
  if (hasMethod(iterable, Symbol.asyncIterator)) {
    const iterator = (iterable as AsyncIterable<T>)[Symbol.asyncIterator]();
    return hasMethod(iterator, "next") ? { iterator, isAsync: true } : null;
  }
  if (hasMethod(iterable, Symbol.iterator)) {
    const iterator = (iterable as Iterable<T>)[Symbol.iterator]();
    return hasMethod(iterator, "next") ? { iterator, isAsync: false } : null;
  }
  return null;
}

/** Returns whether `value` is an object with a method of that name. */
export function hasMethod(value: unknown, name: string | symbol): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Record<string | symbol, unknown>)[name] === "function"
  );
}

/** Checks the value that `next` of an iterator has returned. Throws `BAD_SOURCE` if it is not an iterator result. */
export function iteratorResult<T>(result: IteratorResult<T>): IteratorResult<T> {
  if (typeof result === "object" && result !== null) return result;
  throw new AsiError("BAD_SOURCE", `The iterator returned ${shown(result)} instead of { done, value }.`);
}
