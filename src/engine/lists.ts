// A list with an object for each range can take longer than reading the recording, and few callers need it.

/** Lists up to this length are created immediately, so that they appear in printed output and debuggers. */
const SHORT = 10_000;

/** Adds a list to `object` under `key`. A long list is created on first access; `make` must return the same result at any time. */
export function withList<O extends object, K extends string, T>(
  object: O,
  key: K,
  length: number,
  make: () => T[],
): O & Record<K, T[]> {
  if (length <= SHORT) return Object.assign(object, { [key]: make() } as Record<K, T[]>);
  let list: T[] | null = null;
  Object.defineProperty(object, key, {
    enumerable: true,
    configurable: true,
    get: () => {
      list ??= make();
      return list;
    },
  });
  return object as O & Record<K, T[]>;
}

/**
 * A list of numbers of any length, in entries of a fixed number of numbers. It stores the pieces in which the numbers arrive,
 * because a single large array would be copied each time it grows.
 */
export class NumberList {
  readonly #pieces: Float64Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of `numbers`, which must be whole entries. */
  append(numbers: Float64Array): void {
    if (numbers.length === 0) return;
    this.#pieces.push(numbers.slice());
    this.#length += numbers.length;
  }

  /** The current pieces; later calls to `append` do not change the returned list. */
  pieces(): readonly Float64Array[] {
    return this.#pieces.slice();
  }
}
