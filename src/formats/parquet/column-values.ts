import { concatenate } from "../../sources/concatenate.js";
import { deltaBytes } from "./delta.js";
import type { ColumnSource, PhysicalType, Rows, Storage } from "./schema.js";
import { writeVarint } from "./thrift.js";

// Converts the integers of rows to the bytes of a page.

/** The non-null integers of a column, and a bit for each row that is set if the row has a value. */
export interface Present {
  integers: ArrayLike<number>;
  count: number;
  /** One bit for each row, lowest bit first; null if every row has a value. */
  bits: Uint8Array | null;
}

/** Collects the non-null integers of a column. */
export function presentOf<B extends Rows>({ integers, missing }: ColumnSource<B>, rows: B): Present {
  const all = integers(rows);
  if (missing === undefined) return { integers: all, count: rows.length, bits: null };
  const marks = missing.marks(rows);
  const present = new Int32Array(rows.length);
  const bits = new Uint8Array((rows.length + 7) >> 3);
  let count = 0;
  for (let i = 0; i < rows.length; i++) {
    if (marks[i] === missing.mark) continue;
    present[count++] = all[i] as number;
    bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
  }
  return { integers: present, count, bits };
}

/** Returns the minimum and maximum; null if there is no value. */
export function extremesOf({ integers, count }: Present): { least: number; greatest: number } | null {
  if (count === 0) return null;
  let least = integers[0] as number;
  let greatest = least;
  for (let i = 1; i < count; i++) {
    const value = integers[i] as number;
    if (value < least) least = value;
    else if (value > greatest) greatest = value;
  }
  return { least, greatest };
}

/** Memory that is overwritten by each use. */
export class ReusedMemory {
  #bytes = new Uint8Array(0);

  /** Returns memory with any content, which is valid until the next call. */
  take(length: number): Uint8Array {
    if (this.#bytes.length < length) this.#bytes = new Uint8Array(length);
    return this.#bytes.subarray(0, length);
  }
}

/**
 * Encodes the page of a column: its levels, then its values in the encoding of the column.
 * @returns memory that is valid until the next call with the same `memory`
 */
export function pageBytes(
  column: Storage,
  levels: Uint8Array,
  { integers, count }: Present,
  memory: ReusedMemory,
): Uint8Array {
  if (column.encoding === "DELTA_BINARY_PACKED") return concatenate([levels, deltaBytes(integers, count)]);
  const page = memory.take(levels.length + sizeOf(column) * count);
  page.set(levels);
  writeValues(column, integers, count, page.subarray(levels.length));
  return page;
}

const sizeOf = ({ type }: { type: PhysicalType }) => (type === "INT32" ? 4 : 8);

function writeValues(
  { type, divisor }: { type: PhysicalType; divisor: number },
  integers: ArrayLike<number>,
  count: number,
  { buffer, byteOffset, byteLength }: Uint8Array,
): void {
  const view = new DataView(buffer, byteOffset, byteLength);
  if (type === "INT32") {
    for (let i = 0; i < count; i++) view.setInt32(4 * i, integers[i] as number, true);
  } else if (type === "INT64") {
    for (let i = 0; i < count; i++) {
      const value = integers[i] as number;
      const high = Math.floor(value / 2 ** 32);
      view.setUint32(8 * i, value - high * 2 ** 32, true);
      view.setInt32(8 * i + 4, high, true);
    }
  } else {
    // a division results in the double nearest to the decimal value, unlike a multiplication by the inverse
    for (let i = 0; i < count; i++) view.setFloat64(8 * i, (integers[i] as number) / divisor, true);
  }
}

/** Encodes a minimum or maximum for the statistics. */
export function boundBytes(column: { type: PhysicalType; divisor: number }, integer: number): Uint8Array {
  const bytes = new Uint8Array(sizeOf(column));
  writeValues(column, [integer], 1, bytes);
  return bytes;
}

/**
 * Encodes the definition levels of a version 1 data page, which mark rows with a value: their length in bytes, then runs or
 * groups of eight bits (apache/parquet-format, Encodings.md, "Run Length Encoding / Bit-Packing Hybrid").
 */
export function levelBytes({ bits, count }: Present, rows: number): Uint8Array {
  if (bits === null) return new Uint8Array(0);
  const runs: number[] = [];
  const isUniform = count === 0 || count === rows;
  if (isUniform) {
    writeVarint(runs, rows * 2);
    runs.push(count === 0 ? 0 : 1);
  } else {
    writeVarint(runs, bits.length * 2 + 1);
  }
  const packed = isUniform ? 0 : bits.length;
  const bytes = new Uint8Array(4 + runs.length + packed);
  new DataView(bytes.buffer).setUint32(0, runs.length + packed, true);
  bytes.set(runs, 4);
  if (packed > 0) bytes.set(bits, 4 + runs.length);
  return bytes;
}
