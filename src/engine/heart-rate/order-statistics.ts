/** A ring buffer of the last numbers, which are also kept sorted. */
export class RecentNumbers {
  readonly #numbers: Float64Array;
  readonly #sorted: Float64Array;
  #next = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#numbers = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
    this.#next = 0;
  }

  /** Adds a number, and drops the oldest one if the ring is full. */
  push(number: number): void {
    const sorted = this.#sorted;
    let at = this.#length;
    if (at === sorted.length) at = this.#rankOf(this.#numbers[this.#next] as number);
    else this.#length += 1;
    this.#numbers[this.#next] = number;
    this.#next = this.#next + 1 === sorted.length ? 0 : this.#next + 1;
    for (; at > 0 && (sorted[at - 1] as number) > number; at--) sorted[at] = sorted[at - 1] as number;
    for (; at < this.#length - 1 && (sorted[at + 1] as number) < number; at++) {
      sorted[at] = sorted[at + 1] as number;
    }
    sorted[at] = number;
  }

  /** Returns the oldest number; the ring must not be empty. */
  oldest(): number {
    const index = this.#next - this.#length;
    return this.#numbers[index < 0 ? index + this.#numbers.length : index] as number;
  }

  dropOldest(): void {
    const sorted = this.#sorted;
    const last = this.#length - 1;
    for (let at = this.#rankOf(this.oldest()); at < last; at++) sorted[at] = sorted[at + 1] as number;
    this.#length = last;
  }

  /** Returns the number with the given rank; rank 0 is the lowest number. */
  ranked(rank: number): number {
    return this.#sorted[rank] as number;
  }

  /** Returns the median; the ring must not be empty. */
  median(): number {
    const middle = this.#length >> 1;
    if (this.#length % 2 === 1) return this.ranked(middle);
    return (this.ranked(middle - 1) + this.ranked(middle)) / 2;
  }

  #rankOf(number: number): number {
    let rank = 0;
    while ((this.#sorted[rank] as number) < number) rank++;
    return rank;
  }
}
