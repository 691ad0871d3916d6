import { writeSigned, writeVarint } from "./thrift.js";

// Encodes DELTA_BINARY_PACKED (apache/parquet-format, Encodings.md): differences minus their minimum, in as few bits as possible.

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

/** Encodes integers up to 2^53. Their differences must also be exact. */
export function deltaBytes(values: ArrayLike<number>, length: number): Uint8Array {
  const head: number[] = [];
  writeVarint(head, BLOCK);
  writeVarint(head, MINIBLOCKS);
  writeVarint(head, length);
  writeSigned(head, length === 0 ? 0 : (values[0] as number));
  const packer = new Packer(head, length);
  const deltas = new Float64Array(BLOCK);
  for (let begin = 1; begin < length; begin += BLOCK) {
    const count = Math.min(BLOCK, length - begin);
    let previous = values[begin - 1] as number;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const value = values[begin + i] as number;
      const delta = value - previous;
      previous = value;
      deltas[i] = delta;
      if (delta < least) least = delta;
    }
    for (let i = 0; i < count; i++) deltas[i] = (deltas[i] as number) - least;
    // the last miniblock is padded with zeros
    deltas.fill(0, count);
    packer.block(deltas, least, Math.ceil(count / MINIBLOCK));
  }
  return packer.taken();
}

/** Appends blocks to a growing buffer. */
class Packer {
  #bytes: Uint8Array;
  #view: DataView;
  #end: number;
  readonly #widths = new Uint8Array(MINIBLOCKS);
  readonly #minimum: number[] = [];

  constructor(head: readonly number[], values: number) {
    // two bytes per number are usually enough; `#reserve` grows the buffer otherwise
    this.#bytes = new Uint8Array(64 + 2 * values);
    this.#view = new DataView(this.#bytes.buffer);
    this.#bytes.set(head);
    this.#end = head.length;
  }

  /** Appends a block of non-negative numbers. Only the first `used` miniblocks contain any. */
  block(numbers: Float64Array, least: number, used: number): void {
    // the minimum, the widths, and numbers of 64 bits, plus a word that packing may write past the end
    this.#reserve(10 + MINIBLOCKS + BLOCK * 8 + 8);
    this.#minimum.length = 0;
    writeSigned(this.#minimum, least);
    this.#bytes.set(this.#minimum, this.#end);
    this.#end += this.#minimum.length;
    for (let i = 0; i < MINIBLOCKS; i++) this.#widths[i] = i < used ? widthOf(numbers, i * MINIBLOCK) : 0;
    this.#bytes.set(this.#widths, this.#end);
    this.#end += MINIBLOCKS;
    for (let i = 0; i < used; i++) this.#pack(numbers, i * MINIBLOCK, this.#widths[i] as number);
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + bytes);
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  // Packs 32 numbers of equal width, which always fill whole 32-bit words.
  #pack(numbers: Float64Array, from: number, width: number): void {
    const view = this.#view;
    let at = this.#end;
    let word = 0;
    let filled = 0;
    for (let i = from; i < from + MINIBLOCK; i++) {
      const number = numbers[i] as number;
      const low = number >>> 0;
      const lowBits = Math.min(width, 32);
      word |= low << filled;
      filled += lowBits;
      if (filled >= 32) {
        view.setUint32(at, word, true);
        at += 4;
        filled -= 32;
        word = filled === 0 ? 0 : low >>> (lowBits - filled);
      }
      if (width > 32) {
        const high = (number / 2 ** 32) >>> 0;
        const highBits = width - 32;
        word |= high << filled;
        filled += highBits;
        if (filled >= 32) {
          view.setUint32(at, word, true);
          at += 4;
          filled -= 32;
          word = filled === 0 ? 0 : high >>> (highBits - filled);
        }
      }
    }
    this.#end = at;
  }
}

/** Returns the bit width of the greatest number of a miniblock. */
function widthOf(numbers: Float64Array, from: number): number {
  let greatest = 0;
  for (let i = from; i < from + MINIBLOCK; i++) {
    const number = numbers[i] as number;
    if (number > greatest) greatest = number;
  }
  if (greatest < 2 ** 32) return 32 - Math.clz32(greatest);
  return 64 - Math.clz32(greatest / 2 ** 32);
}
