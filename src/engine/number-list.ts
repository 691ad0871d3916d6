/**
 * A list of any length, whose entries have a fixed count of numbers. It stores the pieces in which the numbers arrive,
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

  /** The current pieces; later calls of `append` do not change the returned list. */
  pieces(): readonly Float64Array[] {
    return this.#pieces.slice();
  }
}
