/**
 * Signed 32-bit integers as zigzag varints (Protocol Buffers, "Encoding": `sint32`): small positive and negative numbers take one
 * byte, any value at most five.
 */
export const MAX_VARINT_BYTES = 5;

/** Writes varints and bytes one after another to a buffer, which must be large enough. */
export class VarintWriter {
  readonly bytes: Uint8Array;
  position = 0;

  constructor(capacityBytes: number) {
    this.bytes = new Uint8Array(capacityBytes);
  }

  writeInt32(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    let at = this.position;
    while (rest > 0x7f) {
      this.bytes[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[at++] = rest;
    this.position = at;
  }

  /** Reserves `length` zero bytes for the caller to fill. */
  reserve(length: number): Uint8Array {
    const start = this.position;
    this.position += length;
    return this.bytes.subarray(start, this.position);
  }
}

/** Reads the output of `VarintWriter`. Throws a RangeError at the end and for a varint of more than 32 bits. */
export class VarintReader {
  readonly bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  readInt32(): number {
    const bytes = this.bytes;
    let at = this.position;
    let byte = bytes[at++];
    if (byte === undefined) throw new RangeError("varint past the end");
    let value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++];
      if (byte === undefined) throw new RangeError("varint past the end");
      if (shift === 28 && byte > 0x0f) throw new RangeError("varint of more than 32 bits");
      value |= (byte & 0x7f) << shift;
    }
    this.position = at;
    return (value >>> 1) ^ -(value & 1);
  }

  /** Returns a view of the next `length` bytes. */
  take(length: number): Uint8Array {
    const end = this.position + length;
    if (end > this.bytes.length) throw new RangeError("bytes past the end");
    const taken = this.bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }
}
