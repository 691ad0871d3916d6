// Creates long lists on demand. A list with an object for each range can take longer than reading the recording, and few callers
// need it.

/** Lists up to this length are created immediately, so that they appear in printed output and debuggers. */
const SHORT = 10_000;

/**
 * Adds a list to `object` as the property `key`. A long list is created on first access, so `make` must always return the same
 * result.
 */
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
 * A list of numbers of any length. It stores the pieces in which the numbers are appended, because a single large array would be
 * copied each time it grows.
 */
export class NumberList {
  readonly #pieces: Float64Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of `numbers`, which must consist of whole entries. */
  append(numbers: Float64Array): void {
    if (numbers.length === 0) return;
    this.#pieces.push(numbers.slice());
    this.#length += numbers.length;
  }

  /** Returns the current pieces. Later calls to `append` do not change the returned list. */
  pieces(): readonly Float64Array[] {
    return this.#pieces.slice();
  }
}
