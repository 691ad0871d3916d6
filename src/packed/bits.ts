/** Maximum number of bits in one call. */
export const MOST_BITS = 24;

/** Writes numbers of any bit width, the highest bit first. */
export class BitWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;
  /** Remaining bits of an incomplete byte, fewer than 8. */
  #pending = 0;
  #pendingCount = 0;

  /** Writes a number with `count` bits, 0 to 24. `value` must not have more bits. */
  write(value: number, count: number): void {
    this.#pending = (this.#pending << count) | value;
    this.#pendingCount += count;
    while (this.#pendingCount >= 8) {
      this.#pendingCount -= 8;
      this.#push(this.#pending >>> this.#pendingCount);
    }
    this.#pending &= (1 << this.#pendingCount) - 1;
  }

  /** Returns the bytes written so far. The last byte is padded with zeros. */
  finish(): Uint8Array {
    if (this.#pendingCount > 0) this.write(0, 8 - this.#pendingCount);
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }
}

/** Reads the output of {@link BitWriter}. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #next = 0;
  #pending = 0;
  #pendingCount = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get bitsLeft(): number {
    return 8 * (this.#bytes.length - this.#next) + this.#pendingCount;
  }

  /**
   * Reads a number with `count` bits, 0 to 24.
   * @returns -1 if fewer bits are left
   */
  read(count: number): number {
    while (this.#pendingCount < count) {
      if (this.#next === this.#bytes.length) return -1;
      this.#pending = (this.#pending << 8) | (this.#bytes[this.#next++] ?? 0);
      this.#pendingCount += 8;
    }
    this.#pendingCount -= count;
    const value = this.#pending >>> this.#pendingCount;
    this.#pending &= (1 << this.#pendingCount) - 1;
    return value;
  }

  /**
   * Reads ones up to the next zero, which it also reads, or `most` ones.
   *
   * @param most up to 23
   * @returns -1 if the bits end earlier
   */
  readOnes(most: number): number {
    while (this.#pendingCount < MOST_BITS && this.#next < this.#bytes.length) {
      this.#pending = (this.#pending << 8) | (this.#bytes[this.#next++] ?? 0);
      this.#pendingCount += 8;
    }
    // the pending bits in the highest places, followed by zeros
    const top = this.#pendingCount === 0 ? 0 : this.#pending << (32 - this.#pendingCount);
    const ones = Math.min(Math.clz32(~top), most);
    const count = ones < most ? ones + 1 : ones;
    if (count > this.#pendingCount) return -1;
    this.#pendingCount -= count;
    this.#pending &= (1 << this.#pendingCount) - 1;
    return ones;
  }
}
