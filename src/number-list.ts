/**
 * Numbers without end, as an engine wrote them, a fixed number of them to an entry. They lie in the pieces in which they came:
 * one great array would be copied each time it grows.
 */
export class NumberList {
  readonly #pieces: Float64Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Copies `numbers`, whole entries, behind the others. */
  append(numbers: Float64Array): void {
    if (numbers.length === 0) return;
    this.#pieces.push(numbers.slice());
    this.#length += numbers.length;
  }

  /** The pieces by now; what is appended later does not change it. */
  pieces(): readonly Float64Array[] {
    return this.#pieces.slice();
  }
}
