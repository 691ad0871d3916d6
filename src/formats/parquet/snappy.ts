// The raw Snappy format (google/snappy, format_description.txt): the length, then literals and copies of what came before.

// What a copy can reach back to: its offset has 16 bits. The table of places has as many, so it is renewed for each.
const BLOCK = 1 << 16;
const TABLE_BITS = 14;
// Knuth, The Art of Computer Programming 6.4: 2^32 divided by the golden ratio, made odd
const MULTIPLIER = 0x9e3779b1;
const SHORTEST_COPY = 4;
const LONGEST_COPY = 64;
// of a copy in two bytes
const LONGEST_SHORT_COPY = 11;
const FARTHEST_SHORT_COPY = 1 << 11;
// of a literal whose length stands in its first byte
const LONGEST_SHORT_LITERAL = 60;
// The longer nothing has been found, the wider the steps: data that cannot be made smaller is soon passed by.
const STEP_SHIFT = 5;

/** Makes bytes smaller. Keeps its table for the next ones. */
export class SnappyCompressor {
  // places in the block, by the hash of the four bytes there
  readonly #places = new Uint16Array(1 << TABLE_BITS);

  /** @returns memory of its own */
  compress(bytes: Uint8Array): Uint8Array {
    const output = new Writer(bytes);
    output.length(bytes.length);
    for (let begin = 0; begin < bytes.length; begin += BLOCK) {
      this.#compressBlock(bytes, begin, Math.min(begin + BLOCK, bytes.length), output);
    }
    return output.taken();
  }

  #compressBlock(bytes: Uint8Array, begin: number, end: number, output: Writer): void {
    const places = this.#places.fill(0);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // from here on four bytes can no longer be read
    const last = end - SHORTEST_COPY;
    let written = begin;
    // the first place stands for "none" too: what matches it matches by its bytes
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
      let matchEnd = at + SHORTEST_COPY;
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

/** What comes out, in memory that is large enough for the worst. */
class Writer {
  readonly #source: Uint8Array;
  readonly #target: Uint8Array;
  #end = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
    // A copy is never longer than what it stands for, and has a literal of one byte in front of it at worst.
    this.#target = new Uint8Array(16 + source.length + Math.ceil(source.length / (SHORTEST_COPY + 1)));
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
    if (length <= LONGEST_SHORT_LITERAL) {
      target[end++] = (length - 1) << 2;
    } else if (length <= 1 << 8) {
      target[end++] = LONGEST_SHORT_LITERAL << 2;
      target[end++] = length - 1;
    } else {
      // a block is no longer than two bytes can tell
      target[end++] = (LONGEST_SHORT_LITERAL + 1) << 2;
      target[end++] = (length - 1) & 0xff;
      target[end++] = (length - 1) >> 8;
    }
    // most are of a few bytes, where a call costs more than it saves
    if (length < 32) for (let i = 0; i < length; i++) target[end + i] = this.#source[from + i] as number;
    else target.set(this.#source.subarray(from, to), end);
    this.#end = end + length;
  }

  copy(distance: number, length: number): void {
    let rest = length;
    for (; rest > LONGEST_COPY; rest -= LONGEST_COPY) this.#copyLong(distance, LONGEST_COPY);
    if (rest < SHORTEST_COPY || rest > LONGEST_SHORT_COPY || distance >= FARTHEST_SHORT_COPY) {
      this.#copyLong(distance, rest);
      return;
    }
    this.#target[this.#end++] = 0b01 | ((rest - SHORTEST_COPY) << 2) | ((distance >> 8) << 5);
    this.#target[this.#end++] = distance & 0xff;
  }

  #copyLong(distance: number, length: number): void {
    this.#target[this.#end++] = 0b10 | ((length - 1) << 2);
    this.#target[this.#end++] = distance & 0xff;
    this.#target[this.#end++] = distance >> 8;
  }

  taken(): Uint8Array {
    return this.#target.slice(0, this.#end);
  }
}
