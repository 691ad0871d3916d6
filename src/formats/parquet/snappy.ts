import { ReusedMemory } from "./column-values.js";

// Writes the raw Snappy format (google/snappy, format_description.txt): the length, then literals and copies of earlier bytes.

// The offset of a copy has 16 bits. The entries of the hash table also have 16 bits, so the table is cleared for each block.
const BLOCK = 1 << 16;
const TABLE_BITS = 14;
// Knuth, The Art of Computer Programming 6.4: 2^32 divided by the golden ratio, made odd
const MULTIPLIER = 0x9e3779b1;
const MIN_COPY = 4;
const MAX_COPY = 64;
// limits of a copy that is encoded in two bytes
const MAX_SHORT_COPY = 11;
const MAX_SHORT_OFFSET = 1 << 11;
// the longest literal whose length fits into its first byte
const MAX_SHORT_LITERAL = 60;
// The step grows while no match is found, so that incompressible data is skipped quickly.
const STEP_SHIFT = 5;

/** A compressor that reuses its hash table and its output buffer. */
export class SnappyCompressor {
  // hash table: positions in the block by the hash of the next four bytes
  readonly #places = new Uint16Array(1 << TABLE_BITS);
  readonly #memory = new ReusedMemory();

  /** Compresses bytes. The result is valid until the next call. */
  compress(bytes: Uint8Array): Uint8Array {
    // A copy is never longer than the bytes that it replaces. In the worst case, a literal of one byte precedes each copy.
    const needed = 16 + bytes.length + Math.ceil(bytes.length / (MIN_COPY + 1));
    const output = new Writer(bytes, this.#memory.take(needed));
    output.length(bytes.length);
    for (let begin = 0; begin < bytes.length; begin += BLOCK) {
      this.#compressBlock(bytes, begin, Math.min(begin + BLOCK, bytes.length), output);
    }
    return output.taken();
  }

  #compressBlock(bytes: Uint8Array, begin: number, end: number, output: Writer): void {
    const places = this.#places.fill(0);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // the last position at which four bytes can be read
    const last = end - MIN_COPY;
    let written = begin;
    // position 0 can also mean that there is no entry, but candidates are always compared byte by byte
    let at = begin + 1;
    while (at <= last) {
      const four = view.getUint32(at, true);
      const hash = Math.imul(four, MULTIPLIER) >>> (32 - TABLE_BITS);
      const candidate = begin + (places[hash] as number);
      places[hash] = at - begin;
      if (view.getUint32(candidate, true) !== four) {
        at += 1 + ((at - written) >> STEP_SHIFT);
        continue;
      }
      let matchEnd = at + MIN_COPY;
      const distance = at - candidate;
      while (matchEnd < end && bytes[matchEnd] === bytes[matchEnd - distance]) matchEnd++;
      if (at > written) output.literal(written, at);
      output.copy(distance, matchEnd - at);
      written = matchEnd;
      at = matchEnd;
    }
    if (written < end) output.literal(written, end);
  }
}

/** The output. */
class Writer {
  readonly #source: Uint8Array;
  readonly #target: Uint8Array;
  #end = 0;

  /** @param target large enough for the worst case */
  constructor(source: Uint8Array, target: Uint8Array) {
    this.#source = source;
    this.#target = target;
  }

  length(length: number): void {
    let rest = length;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#target[this.#end++] = (rest % 0x80) | 0x80;
    this.#target[this.#end++] = rest;
  }

  literal(from: number, to: number): void {
    const length = to - from;
    const target = this.#target;
    let end = this.#end;
    if (length <= MAX_SHORT_LITERAL) {
      target[end++] = (length - 1) << 2;
    } else if (length <= 1 << 8) {
      target[end++] = MAX_SHORT_LITERAL << 2;
      target[end++] = length - 1;
    } else {
      // the length of a block fits into two bytes
      target[end++] = (MAX_SHORT_LITERAL + 1) << 2;
      target[end++] = (length - 1) & 0xff;
      target[end++] = (length - 1) >> 8;
    }
    // most literals are short, so a loop is faster than a call to `set`
    if (length < 32) for (let i = 0; i < length; i++) target[end + i] = this.#source[from + i] as number;
    else target.set(this.#source.subarray(from, to), end);
    this.#end = end + length;
  }

  copy(distance: number, length: number): void {
    let rest = length;
    for (; rest > MAX_COPY; rest -= MAX_COPY) this.#copyLong(distance, MAX_COPY);
    if (rest < MIN_COPY || rest > MAX_SHORT_COPY || distance >= MAX_SHORT_OFFSET) {
      this.#copyLong(distance, rest);
      return;
    }
    this.#target[this.#end++] = 0b01 | ((rest - MIN_COPY) << 2) | ((distance >> 8) << 5);
    this.#target[this.#end++] = distance & 0xff;
  }

  #copyLong(distance: number, length: number): void {
    this.#target[this.#end++] = 0b10 | ((length - 1) << 2);
    this.#target[this.#end++] = distance & 0xff;
    this.#target[this.#end++] = distance >> 8;
  }

  taken(): Uint8Array {
    return this.#target.subarray(0, this.#end);
  }
}
