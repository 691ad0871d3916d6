import { type BitReader, type BitWriter, MOST_BITS } from "./bits.js";

/**
 * A column is packed in blocks of 64 values. A block contains differences from a prediction, which is the previous value, or the
 * value on a line through the previous two. The differences are small, so they are written as Rice codes: the number divided by
 * 2^k in unary, then the k bits of the remainder. The encoder selects the prediction and k for each block.
 */
const BLOCK = 64;

const PARAMETER_BITS = 5;
/** The k of a block in which all differences are 0. */
const ALL_ZERO = 31;
const HIGHEST_K = MOST_BITS;

/** Instead of a larger quotient, a block has this number of ones, then the length of the value in bits (as 6 bits), then its bits. */
const ESCAPE = 16;
const LENGTH_BITS = 6;
const LONGEST_BITS = 53;

/** Size of the smallest block in bits. */
const BLOCK_HEAD_BITS = 1 + PARAMETER_BITS;

/** Returns the minimum number of bits for a column of `length` values. */
export const fewestBits = (length: number) => Math.ceil(length / BLOCK) * BLOCK_HEAD_BITS;

/** Writes integers. Their second differences must be below 2^52 in magnitude. */
export function writeColumn(bits: BitWriter, values: ArrayLike<number>): void {
  const fromPrevious = new Float64Array(BLOCK);
  const fromLine = new Float64Array(BLOCK);
  let previous = 0;
  let slope = 0;
  for (let start = 0; start < values.length; start += BLOCK) {
    const length = Math.min(BLOCK, values.length - start);
    for (let i = 0; i < length; i++) {
      const value = values[start + i] ?? 0;
      const difference = value - previous;
      fromPrevious[i] = zigzag(difference);
      fromLine[i] = zigzag(difference - slope);
      previous = value;
      slope = difference;
    }
    writeBlock(bits, fromPrevious.subarray(0, length), fromLine.subarray(0, length));
  }
}

function writeBlock(bits: BitWriter, fromPrevious: Float64Array, fromLine: Float64Array): void {
  const previous = bestCode(fromPrevious);
  const line = bestCode(fromLine);
  const isLine = line.bits < previous.bits;
  const { k } = isLine ? line : previous;
  bits.write(isLine ? 1 : 0, 1);
  bits.write(k, PARAMETER_BITS);
  if (k === ALL_ZERO) return;
  for (const number of isLine ? fromLine : fromPrevious) writeNumber(bits, number, k);
}

/** Returns the k that needs the fewest bits. It is near the mean length of the numbers. */
function bestCode(numbers: Float64Array): { k: number; bits: number } {
  let lengths = 0;
  for (const number of numbers) lengths += bitLength(number);
  let best = { k: ALL_ZERO, bits: 0 };
  if (lengths === 0) return best;
  best = { k: 0, bits: Number.POSITIVE_INFINITY };
  const middle = Math.round(lengths / numbers.length) - 1;
  for (let near = middle - 1; near <= middle + 2; near++) {
    const k = Math.min(Math.max(near, 0), HIGHEST_K);
    const scale = 2 ** -k;
    let bits = 0;
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] ?? 0;
      const quotient = number * scale;
      bits += quotient < ESCAPE ? (quotient | 0) + 1 + k : ESCAPE + LENGTH_BITS + bitLength(number);
    }
    if (bits < best.bits) best = { k, bits };
  }
  return best;
}

function writeNumber(bits: BitWriter, number: number, k: number): void {
  const quotient = Math.floor(number / 2 ** k);
  if (quotient < ESCAPE) {
    // as many ones as the quotient, and a zero
    bits.write(2 ** (quotient + 1) - 2, quotient + 1);
    bits.write(number % 2 ** k, k);
    return;
  }
  const length = bitLength(number);
  bits.write(2 ** ESCAPE - 1, ESCAPE);
  bits.write(length, LENGTH_BITS);
  for (let left = length; left > 0; ) {
    const count = left % MOST_BITS || MOST_BITS;
    left -= count;
    bits.write(Math.floor(number / 2 ** left) % 2 ** count, count);
  }
}

/**
 * Reads as many values as fit into `values`. Damaged input may result in any numbers.
 *
 * @returns false if the input is truncated or contains codes that `writeColumn` never writes
 */
export function readColumn(bits: BitReader, values: Float64Array): boolean {
  const { length } = values;
  let previous = 0;
  let slope = 0;
  for (let start = 0; start < length; start += BLOCK) {
    const isLine = bits.read(1);
    const k = bits.read(PARAMETER_BITS);
    if (isLine < 0 || k < 0 || (k > HIGHEST_K && k !== ALL_ZERO)) return false;
    const end = Math.min(start + BLOCK, length);
    for (let i = start; i < end; i++) {
      const number = k === ALL_ZERO ? 0 : readNumber(bits, k);
      if (number < 0) return false;
      const value = previous + (isLine === 1 ? slope : 0) + unzigzag(number);
      slope = value - previous;
      previous = value;
      values[i] = value;
    }
  }
  return true;
}

// returns -1 for damaged input
function readNumber(bits: BitReader, k: number): number {
  const quotient = bits.readOnes(ESCAPE);
  if (quotient < 0) return -1;
  if (quotient < ESCAPE) {
    const remainder = bits.read(k);
    return remainder < 0 ? -1 : (quotient << k) + remainder;
  }
  const length = bits.read(LENGTH_BITS);
  if (length < 0 || length > LONGEST_BITS) return -1;
  let number = 0;
  for (let left = length; left > 0; ) {
    const count = left % MOST_BITS || MOST_BITS;
    left -= count;
    const part = bits.read(count);
    if (part < 0) return -1;
    number = number * 2 ** count + part;
  }
  return number;
}

// converts 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (number: number) =>
  number < 2 ** 31 ? (number >>> 1) ^ -(number & 1) : number % 2 === 0 ? number / 2 : -(number + 1) / 2;

function bitLength(number: number): number {
  return number < 2 ** 32 ? 32 - Math.clz32(number) : 64 - Math.clz32(number / 2 ** 32);
}
