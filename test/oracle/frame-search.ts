import type { Report } from "../../src/types.js";

/** Size of a frame without its payload: sync (2), class, id, length (2), checksum (2). UBX interface description. */
const ENVELOPE_BYTES = 8;
/** A frame with a longer payload is invalid (recording format, "Frames"). */
const MAX_PAYLOAD_BYTES = 8192;
const MAX_FRAME_BYTES = MAX_PAYLOAD_BYTES + ENVELOPE_BYTES;
/** Maximum number of additional bytes in one search, which take milliseconds. */
const MOST_WRITTEN_BYTES = 32 * 1024;
const CAPACITY_BYTES = 256 * 1024 + MAX_FRAME_BYTES;

const SYNC_1 = 0xb5;
const SYNC_2 = 0x62;

/** A frame with a valid checksum. The views are valid until the next `write`. */
export interface Frame {
  /** Position of the sync in the input. */
  byteOffset: number;
  /** Class and id as one number, class first: 0x0107 is NAV-PVT. */
  classId: number;
  payload: Uint8Array;
  /** The whole frame, from sync to checksum. */
  bytes: Uint8Array;
}

/** An invalid frame. */
export interface Damage {
  byteOffset: number;
  damage: keyof Report["damage"];
}

/**
 * Finds the valid frames in bytes that arrive in pieces (recording format, "Reading", rules 3 to 6).
 *
 * It stores two prefix sums, from which it computes the checksum of any span. No byte is summed twice,
 * regardless of the number of false syncs that claim it. After a search without further results, less than one
 * frame is kept.
 */
export class FrameSearch {
  readonly #bytes = new Uint8Array(CAPACITY_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  /** Entry i is the sum, modulo 256, of all bytes before #bytes[i]. */
  readonly #sumOfBytes = new Uint8Array(CAPACITY_BYTES + 1);
  /** Entry i is the sum, modulo 256, of entries 1 to i of #sumOfBytes. */
  readonly #sumOfSums = new Uint8Array(CAPACITY_BYTES + 1);
  /** The remaining bytes are #bytes[#start] up to, but not including, #bytes[#end]. */
  #start = 0;
  #end = 0;
  #totalBytes = 0;
  #skippedBytes = 0;

  /** Number of bytes written so far. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Number of passed bytes outside valid frames. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  /** Copies bytes of `chunk` from `offset`; returns their number, 0 if there is no space before the next search. */
  write(chunk: Uint8Array, offset: number): number {
    if (this.#end === CAPACITY_BYTES) this.#moveToFront();
    const count = Math.min(chunk.length - offset, CAPACITY_BYTES - this.#end, MOST_WRITTEN_BYTES);
    this.#bytes.set(chunk.subarray(offset, offset + count), this.#end);
    let sumOfBytes = at(this.#sumOfBytes, this.#end);
    let sumOfSums = at(this.#sumOfSums, this.#end);
    for (let i = this.#end; i < this.#end + count; i++) {
      sumOfBytes = (sumOfBytes + at(this.#bytes, i)) & 0xff;
      sumOfSums = (sumOfSums + sumOfBytes) & 0xff;
      this.#sumOfBytes[i + 1] = sumOfBytes;
      this.#sumOfSums[i + 1] = sumOfSums;
    }
    this.#end += count;
    this.#totalBytes += count;
    return count;
  }

  /**
   * The next valid frame or damage, the same until `pass` is called; null if further bytes are needed.
   * With `final`, null means that all bytes have been passed.
   */
  next(final: boolean): Frame | Damage | null {
    while (this.#start < this.#end) {
      const isSync1 = this.#bytes[this.#start] === SYNC_1;
      if (isSync1 && this.#start + 1 === this.#end && !final) return null;
      if (isSync1 && this.#start + 1 < this.#end && this.#bytes[this.#start + 1] === SYNC_2) {
        return this.#check(final);
      }
      this.#skipByte();
    }
    return null;
  }

  /** Passes the result of `next`: the whole frame, or one byte after the sync of a damage. */
  pass(found: Frame | Damage): void {
    if ("damage" in found) this.#skipByte();
    else this.#start += found.bytes.length;
  }

  /** Checks the frame at the sync at #start. */
  #check(final: boolean): Frame | Damage | null {
    const sync = this.#start;
    const payloadStart = sync + 6;
    const payloadBytes = payloadStart <= this.#end ? this.#view.getUint16(sync + 4, true) : null;
    if (payloadBytes !== null && payloadBytes > MAX_PAYLOAD_BYTES) return this.#damage("overlong");
    if (payloadBytes === null || sync + payloadBytes + ENVELOPE_BYTES > this.#end) {
      return final ? this.#damage("overruns") : null;
    }
    const payloadEnd = payloadStart + payloadBytes;
    if (!this.#checksumHolds(sync + 2, payloadEnd)) return this.#damage("badChecksums");
    return {
      byteOffset: this.#byteOffset(),
      classId: this.#view.getUint16(sync + 2),
      payload: this.#bytes.subarray(payloadStart, payloadEnd),
      bytes: this.#bytes.subarray(sync, payloadEnd + 2),
    };
  }

  /**
   * Whether the two bytes at `to` are the 8-bit Fletcher checksum (RFC 1145) of the bytes `from` to `to`:
   * ck_a is the sum of the bytes, ck_b the sum of the values of ck_a after each byte. With the prefix sums S:
   * ck_a = S[to] - S[from], and ck_b = sum of (S[i] - S[from]) for i from `from` + 1 to `to`. All modulo 256.
   */
  #checksumHolds(from: number, to: number): boolean {
    const before = at(this.#sumOfBytes, from);
    const ckA = at(this.#sumOfBytes, to) - before;
    const ckB = at(this.#sumOfSums, to) - at(this.#sumOfSums, from) - (to - from) * before;
    return (ckA & 0xff) === this.#bytes[to] && (ckB & 0xff) === this.#bytes[to + 1];
  }

  #damage(damage: Damage["damage"]): Damage {
    return { byteOffset: this.#byteOffset(), damage };
  }

  #skipByte(): void {
    this.#start += 1;
    this.#skippedBytes += 1;
  }

  #byteOffset(): number {
    return this.#totalBytes - (this.#end - this.#start);
  }

  /** Called only when no search is due, so it moves less than a frame, at most once in 256 KiB of input. */
  #moveToFront(): void {
    if (this.#end - this.#start >= MAX_FRAME_BYTES) return;
    this.#bytes.copyWithin(0, this.#start, this.#end);
    this.#sumOfBytes.copyWithin(0, this.#start, this.#end + 1);
    this.#sumOfSums.copyWithin(0, this.#start, this.#end + 1);
    this.#end -= this.#start;
    this.#start = 0;
  }
}

/** An entry that exists. */
function at(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
