/** Numbers without end, in one piece of memory. */
export class NumberList {
  #numbers = new Float64Array(48);
  #length = 0;

  append(more: Float64Array): void {
    if (this.#length + more.length > this.#numbers.length) {
      const grown = new Float64Array(Math.max(2 * this.#numbers.length, this.#length + more.length));
      grown.set(this.#numbers.subarray(0, this.#length));
      this.#numbers = grown;
    }
    this.#numbers.set(more, this.#length);
    this.#length += more.length;
  }

  /** What is in it by now; what is appended later does not change it. */
  view(): Float64Array {
    return this.#numbers.subarray(0, this.#length);
  }
}
