/** A ring of the last numbers, in which they can be looked up by rank. */
export class RecentNumbers {
  readonly #numbers: Float64Array;
  readonly #sorted: Float64Array;
  #next = 0;
  /** How many numbers there are. */
  length = 0;

  constructor(capacity: number) {
    this.#numbers = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  clear(): void {
    this.length = 0;
    this.#next = 0;
  }

  push(number: number): void {
    this.#numbers[this.#next] = number;
    this.#next = this.#next + 1 === this.#numbers.length ? 0 : this.#next + 1;
    if (this.length < this.#numbers.length) this.length += 1;
  }

  /** The number before the last `back` ones. */
  last(back = 0): number {
    const index = this.#next - 1 - back;
    return this.#numbers[index < 0 ? index + this.#numbers.length : index] as number;
  }

  /** The last `count` numbers, ascending; valid until the next call. */
  sorted(count: number): Float64Array {
    const sorted = this.#sorted;
    for (let i = 0; i < count; i++) {
      const number = this.last(i);
      let at = i;
      for (; at > 0 && (sorted[at - 1] as number) > number; at--) sorted[at] = sorted[at - 1] as number;
      sorted[at] = number;
    }
    return sorted;
  }

  /** The median of the last `count` numbers, which must be at least one. */
  median(count: number): number {
    return medianOf(this.sorted(count), count);
  }
}

/** The median of the first `count` of ascending numbers. */
export function medianOf(sorted: Float64Array, count: number): number {
  const middle = Math.floor(count / 2);
  if (count % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
