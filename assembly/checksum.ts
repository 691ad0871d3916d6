// The 8-bit Fletcher checksum (RFC 1145): a = sum of the bytes, b = sum of the successive values of a, both modulo 256.
// A checksum is given as it stands in the frame: a in the low byte, b in the high byte.
//
// Blocks of N bytes are added into one accumulator, and that accumulator into a second. Byte j of a block that is the
// k-th from the end then has the weight k * N in N * second, and its true weight in b is k * N - j. So
//   a = sum(first),  b = N * sum(second) - sum(j * first[j]).

import { INPUT, PREFIX_SUMS } from "./memory";

// 16 zero bytes, then 16 bytes of ones: read at offset r, a mask for the last r lanes.
const LAST_LANES: usize = memory.data<u8>(
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
  16,
);

/** The span of a NAV-PVT with 92 bytes of payload, from class to the end of the payload. */
export const GNSS_92_SPAN: i32 = 96;

// @ts-ignore: decorator
@inline
function foldVectors(first: v128, second: v128): i32 {
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const weighted = i16x8.add(i16x8.extmul_low_i8x16_u(first, lanes), i16x8.extmul_high_i8x16_u(first, lanes));
  const b = i16x8.sub(i16x8.shl(i16x8.extadd_pairwise_i8x16_u(second), 4), weighted);
  const a4 = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(first));
  const b4 = i32x4.extadd_pairwise_i16x8_s(b);
  const halves = i32x4.add(v128.shuffle<i32>(a4, b4, 0, 1, 4, 5), v128.shuffle<i32>(a4, b4, 2, 3, 6, 7));
  const sums = i32x4.add(halves, v128.shuffle<i32>(halves, halves, 1, 0, 3, 2));
  return (i32x4.extract_lane(sums, 0) & 0xff) | ((i32x4.extract_lane(sums, 2) & 0xff) << 8);
}

const EVEN_BYTES: u64 = 0x00ff00ff00ff00ff;
const ONES: u64 = 0x0001000100010001;

// Four 16-bit lanes of at most 255 each, summed in the top lane of a product; no lane below it can carry.
// @ts-ignore: decorator
@inline
function foldLanes(firstEven: u64, firstOdd: u64, secondEven: u64, secondOdd: u64): i32 {
  const even = firstEven & EVEN_BYTES;
  const odd = firstOdd & EVEN_BYTES;
  const a = (((even * ONES) >> 48) as i32) + (((odd * ONES) >> 48) as i32);
  const second =
    ((((secondEven & EVEN_BYTES) * ONES) >> 48) as i32) + ((((secondOdd & EVEN_BYTES) * ONES) >> 48) as i32);
  // weights 0, 2, 4, 6 and 1, 3, 5, 7: the constants hold them in reverse, since lane i meets lane 3 - i
  const weighted = (((even * 0x0000000200040006) >> 48) as i32) + (((odd * 0x0001000300050007) >> 48) as i32);
  return (a & 0xff) | (((8 * second - weighted) & 0xff) << 8);
}

/** Checksum of the 96 bytes from `start`. */
// @ts-ignore: decorator
@inline
export function checksum96(start: usize): i32 {
  if (ASC_FEATURE_SIMD) {
    let first = v128.load(start);
    let second = first;
    first = i8x16.add(first, v128.load(start, 16));
    second = i8x16.add(second, first);
    first = i8x16.add(first, v128.load(start, 32));
    second = i8x16.add(second, first);
    first = i8x16.add(first, v128.load(start, 48));
    second = i8x16.add(second, first);
    first = i8x16.add(first, v128.load(start, 64));
    second = i8x16.add(second, first);
    first = i8x16.add(first, v128.load(start, 80));
    second = i8x16.add(second, first);
    return foldVectors(first, second);
  }
  // 12 blocks: the second sums stay below 255 * 78, so no lane overflows
  let firstEven: u64 = 0;
  let firstOdd: u64 = 0;
  let secondEven: u64 = 0;
  let secondOdd: u64 = 0;
  for (let i = 0; i < 96; i += 8) {
    const block = load<u64>(start + i);
    firstEven += block & EVEN_BYTES;
    firstOdd += (block >> 8) & EVEN_BYTES;
    secondEven += firstEven;
    secondOdd += firstOdd;
  }
  return foldLanes(firstEven, firstOdd, secondEven, secondOdd);
}

/** Checksum of the `length` bytes from `start`. */
export function checksum(start: usize, length: i32): i32 {
  const end = start + length;
  if (ASC_FEATURE_SIMD) {
    // The odd bytes come first, as a block filled up with zeros in front.
    const odd = length & 15;
    let at = start + odd;
    let first = v128.and(v128.load(at - 16), v128.load(LAST_LANES + odd));
    let second = first;
    for (; at < end; at += 16) {
      first = i8x16.add(first, v128.load(at));
      second = i8x16.add(second, first);
    }
    return foldVectors(first, second);
  }
  const odd = length & 7;
  let at = start + odd;
  const head = odd == 0 ? 0 : load<u64>(at - 8) & (-1 << ((8 - odd) << 3));
  let firstEven = head & EVEN_BYTES;
  let firstOdd = (head >> 8) & EVEN_BYTES;
  let secondEven = firstEven;
  let secondOdd = firstOdd;
  while (at < end) {
    // at most 16 blocks between two reductions: 255 * (17 + 16 * 18) < 65536 holds for both sums
    const stop = min(end, at + 128);
    for (; at < stop; at += 8) {
      const block = load<u64>(at);
      firstEven += block & EVEN_BYTES;
      firstOdd += (block >> 8) & EVEN_BYTES;
      secondEven += firstEven;
      secondOdd += firstOdd;
    }
    firstEven &= EVEN_BYTES;
    firstOdd &= EVEN_BYTES;
    secondEven &= EVEN_BYTES;
    secondOdd &= EVEN_BYTES;
  }
  return foldLanes(firstEven, firstOdd, secondEven, secondOdd);
}

// Prefix sums make the checksum of any span a matter of two look-ups, which keeps resynchronisation linear however many
// false frames overlap. They are kept from the first failed frame to the furthest end that a false frame claimed.
let prefixEnd: usize = 0;

/** Whether the spans of frames at `position` lie in the table (or begin in it). */
// @ts-ignore: decorator
@inline
export function hasPrefixSums(position: usize): bool {
  return position + 2 < prefixEnd;
}

/** Begins a table at `start` and fills it to `end`. */
export function beginPrefixSums(start: usize, end: usize): void {
  store<u16>(PREFIX_SUMS + ((start - INPUT) << 1), 0);
  prefixEnd = start;
  extendPrefixSums(end);
}

function extendPrefixSums(end: usize): void {
  let entry = PREFIX_SUMS + ((prefixEnd - INPUT) << 1);
  let at = prefixEnd;
  if (ASC_FEATURE_SIMD) {
    let a = i8x16.splat(load<i8>(entry));
    let b = i8x16.splat(load<i8>(entry, 1));
    for (; at + 16 <= end; at += 16) {
      a = i8x16.add(sumLanes(v128.load(at)), a);
      b = i8x16.add(sumLanes(a), b);
      v128.store(entry, v128.shuffle<i8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), 2);
      v128.store(entry, v128.shuffle<i8>(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 18);
      entry += 32;
      a = v128.shuffle<i8>(a, a, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
      b = v128.shuffle<i8>(b, b, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
    }
  }
  let a: i32 = load<u8>(entry);
  let b: i32 = load<u8>(entry, 1);
  for (; at < end; at++) {
    a = (a + load<u8>(at)) & 0xff;
    b = (b + a) & 0xff;
    entry += 2;
    store<u16>(entry, a | (b << 8));
  }
  prefixEnd = end;
}

// Each byte becomes the sum of itself and those before it.
// @ts-ignore: decorator
@inline
function sumLanes(bytes: v128): v128 {
  const none = i8x16.splat(0);
  let sums = i8x16.add(
    bytes,
    v128.shuffle<i8>(none, bytes, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30),
  );
  sums = i8x16.add(sums, v128.shuffle<i8>(none, sums, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29));
  sums = i8x16.add(sums, v128.shuffle<i8>(none, sums, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return i8x16.add(sums, v128.shuffle<i8>(none, sums, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));
}

// False frames that overlap claim ever further ends, each a little behind the last: the table goes ahead of them.
const AHEAD: usize = 1024;

/** Checksum of the span from `start` to `end`, which must begin in the table. `tail`: the end of the input. */
// @ts-ignore: decorator
@inline
export function checksumFromPrefixSums(start: usize, end: usize, tail: usize): i32 {
  if (end > prefixEnd) extendPrefixSums(min(tail, end + AHEAD));
  const from = PREFIX_SUMS + ((start - INPUT) << 1);
  const to = PREFIX_SUMS + ((end - INPUT) << 1);
  const before: i32 = load<u8>(from);
  const a = (load<u8>(to) as i32) - before;
  const b = (load<u8>(to, 1) as i32) - (load<u8>(from, 1) as i32) - ((end - start) as i32) * before;
  return (a & 0xff) | ((b & 0xff) << 8);
}

/** The input from `head` on has moved down to the start of the buffer. */
export function movePrefixSums(head: usize): void {
  if (prefixEnd <= head) {
    prefixEnd = 0;
    return;
  }
  memory.copy(PREFIX_SUMS, PREFIX_SUMS + ((head - INPUT) << 1), ((prefixEnd - head) << 1) + 2);
  prefixEnd -= head - INPUT;
}

export function dropPrefixSums(): void {
  prefixEnd = 0;
}
