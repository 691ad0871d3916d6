const CAPACITY = 24;

/** The last scored maxima of the envelope (candidates), in chronological order. */
export class Candidates {
  length = 0;
  #first = 0;
  readonly #n = new Float64Array(CAPACITY);
  readonly #score = new Float64Array(CAPACITY);
  readonly #valley = new Float64Array(CAPACITY);
  readonly #qrs = new Float64Array(CAPACITY);
  readonly #isDouble = new Uint8Array(CAPACITY);

  clear(): void {
    this.length = 0;
  }

  /** Adds a candidate, and drops the first one if the list is full. */
  push(n: number, score: number, valley: number, isDouble: number, qrs: number): void {
    if (this.length === CAPACITY) {
      this.#first = (this.#first + 1) % CAPACITY;
      this.length -= 1;
    }
    const place = this.#place(this.length);
    this.#n[place] = n;
    this.#score[place] = score;
    this.#valley[place] = valley;
    this.#isDouble[place] = isDouble;
    this.#qrs[place] = qrs;
    this.length += 1;
  }

  /** Returns the sample index of a candidate. */
  n(index: number): number {
    return this.#n[this.#place(index)] as number;
  }

  score(index: number): number {
    return this.#score[this.#place(index)] as number;
  }

  /**
   * Returns the higher one of the two minima of the envelope beside a candidate, as a share of its maximum: 0 for an isolated
   * beat.
   */
  valley(index: number): number {
    return this.#valley[this.#place(index)] as number;
  }

  /** Returns 1 if another maximum of similar height is close to a candidate, otherwise 0. */
  isDouble(index: number): number {
    return this.#isDouble[this.#place(index)] as number;
  }

  /** Returns the position of the QRS complex of a candidate: a sample index with a fraction. */
  qrs(index: number): number {
    return this.#qrs[this.#place(index)] as number;
  }

  /** Returns the first candidate after sample `n`, or `length` if there is none. */
  firstAfter(n: number): number {
    let index = this.length;
    while (index > 0 && this.n(index - 1) > n) index -= 1;
    return index;
  }

  #place(index: number): number {
    const place = this.#first + index;
    return place < CAPACITY ? place : place - CAPACITY;
  }
}
