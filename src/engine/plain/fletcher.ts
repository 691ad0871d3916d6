// The 8-bit Fletcher checksum (RFC 1145): a = sum of the bytes, b = sum of the successive values of a, both modulo 256.

/**
 * Returns the checksum of the bytes from `from` to `to` as in a frame: a in the low byte, b in the next one. It processes four
 * bytes at a time: `even` and `odd` contain the sums of every fourth byte in 16-bit lanes, `evenSums` and `oddSums` their running
 * sums. After eight steps, the lanes must be reduced to their low bytes.
 */
export function checksum(view: DataView, from: number, to: number): number {
  let even = 0;
  let odd = 0;
  let evenSums = 0;
  let oddSums = 0;
  let at = from;
  while (at + 4 <= to) {
    const stop = Math.min(at + 32, to - 3);
    for (; at < stop; at += 4) {
      const bytes = view.getInt32(at, true);
      even = (even + (bytes & 0xff00ff)) | 0;
      odd = (odd + ((bytes >>> 8) & 0xff00ff)) | 0;
      evenSums = (evenSums + even) | 0;
      oddSums = (oddSums + odd) | 0;
    }
    even &= 0xff00ff;
    odd &= 0xff00ff;
    evenSums &= 0xff00ff;
    oddSums &= 0xff00ff;
  }
  const e0 = even & 0xff;
  const o0 = odd & 0xff;
  const e1 = even >>> 16;
  const o1 = odd >>> 16;
  let a = e0 + o0 + e1 + o1;
  // Byte k of a word has the weight 4 × (remaining words, including its own) - k.
  const sums = (evenSums & 0xff) + (oddSums & 0xff) + (evenSums >>> 16) + (oddSums >>> 16);
  let b = 4 * sums - o0 - 2 * e1 - 3 * o1;
  for (; at < to; at++) {
    a += view.getUint8(at);
    b += a;
  }
  return (a & 0xff) | ((b & 0xff) << 8);
}

// The sums are computed in advance, because each overlapping false frame usually ends slightly after the previous one.
const AHEAD = 1024;

/**
 * Prefix sums, with which the checksum of any span takes two lookups. The search therefore takes linear time for any number of
 * overlapping false frames. The sums cover the bytes from the first invalid frame to the furthest end claimed by a false frame.
 */
export class PrefixSums {
  readonly #bytes: Uint8Array;
  /** Entry i is the sum of the bytes before byte i, modulo 256. */
  readonly #a: Uint8Array;
  /** Entry i is the sum of the entries of `#a` up to i. */
  readonly #b: Uint8Array;
  #end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#a = new Uint8Array(bytes.length + 1);
    this.#b = new Uint8Array(bytes.length + 1);
  }

  /** Returns whether the sums cover the start of the checksum span of a frame at `at`. */
  covers(at: number): boolean {
    return at + 2 < this.#end;
  }

  /** Restarts the sums for the bytes from `start` to `end`. */
  begin(start: number, end: number): void {
    this.#a[start] = 0;
    this.#b[start] = 0;
    this.#end = start;
    this.#fill(end);
  }

  /**
   * Returns whether the bytes after `end` are the checksum of the span from `start`, which must be covered. `tail` is the end of
   * the input.
   */
  holds(start: number, end: number, tail: number): boolean {
    if (end > this.#end) this.#fill(Math.min(tail, end + AHEAD));
    const before = at(this.#a, start);
    if (((at(this.#a, end) - before - at(this.#bytes, end)) & 0xff) !== 0) return false;
    const b = at(this.#b, end) - at(this.#b, start) - (end - start) * before;
    return ((b - at(this.#bytes, end + 1)) & 0xff) === 0;
  }

  /** Adjusts the sums after the input from `head` has moved to the start of the buffer. */
  moveToFront(head: number): void {
    if (this.#end <= head) {
      this.drop();
      return;
    }
    this.#a.copyWithin(0, head, this.#end + 1);
    this.#b.copyWithin(0, head, this.#end + 1);
    this.#end -= head;
  }

  drop(): void {
    this.#end = 0;
  }

  #fill(end: number): void {
    let a = at(this.#a, this.#end);
    let b = at(this.#b, this.#end);
    for (let i = this.#end; i < end; i++) {
      a = (a + at(this.#bytes, i)) & 0xff;
      b = (b + a) & 0xff;
      this.#a[i + 1] = a;
      this.#b[i + 1] = b;
    }
    this.#end = end;
  }
}

/** Returns an entry, which must exist. */
function at(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}
