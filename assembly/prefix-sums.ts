// With prefix sums, the checksum of any span takes two lookups, so resynchronization takes linear time for any number of
// overlapping false frames. The sums cover the bytes from the first invalid frame to the furthest end claimed by a false frame.
// The sums for the first checksum byte are always computed. Those for the second are computed when a first byte has matched,
// until none has matched for some time.

import { INPUT, PREFIX_A, PREFIX_B } from "./memory";

let prefixEnd: usize = 0;
// The end of the sums for the second byte, which begin before the next checked span.
let secondEnd: usize = 0;
// Whether the sums for the second byte were used since the table last grew.
let isSecondNeeded: bool = false;

// Distances from a byte of the input to its entries. As offsets of loads and stores, they take no time.
const TO_A: usize = PREFIX_A - INPUT;
const TO_B: usize = PREFIX_B - INPUT;

/** Returns whether the table contains the spans of frames at `position`, or at least their first bytes. */
// @ts-ignore: decorator
@inline
export function hasPrefixSums(position: usize): bool {
  return position + 2 < prefixEnd;
}

/** Begins a table at `start` and fills it at least to `end`. `tail` is the end of the input. */
export function beginPrefixSums(start: usize, end: usize, tail: usize): void {
  store<u8>(start, 0, TO_A);
  prefixEnd = start;
  secondEnd = 0;
  extendPrefixSums(end, tail);
}

function fillPrefixSums(end: usize): void {
  if (isSecondNeeded && secondEnd == prefixEnd) {
    fillBothSums(end);
  } else {
    fillFirstSums(end);
  }
  isSecondNeeded = false;
}

function fillFirstSums(end: usize): void {
  let at = prefixEnd;
  if (ASC_FEATURE_SIMD) {
    let a = v128.load8_splat(at, TO_A);
    for (; at + 16 <= end; at += 16) {
      a = i8x16.add(sumLanes(v128.load(at)), a);
      v128.store(at, a, TO_A + 1);
      a = lastLane(a);
    }
  }
  let a: i32 = load<u8>(at, TO_A);
  for (; at < end; at++) {
    a = a + load<u8>(at);
    store<u8>(at, a, TO_A + 1);
  }
  prefixEnd = end;
}

// Fills both tables of sums, which have the same end, up to `end`.
function fillBothSums(end: usize): void {
  let at = prefixEnd;
  if (ASC_FEATURE_SIMD) {
    let a = v128.load8_splat(at, TO_A);
    let b = v128.load8_splat(at, TO_B);
    for (; at + 16 <= end; at += 16) {
      a = i8x16.add(sumLanes(v128.load(at)), a);
      b = i8x16.add(sumLanes(a), b);
      v128.store(at, a, TO_A + 1);
      v128.store(at, b, TO_B + 1);
      a = lastLane(a);
      b = lastLane(b);
    }
  }
  let a: i32 = load<u8>(at, TO_A);
  let b: i32 = load<u8>(at, TO_B);
  for (; at < end; at++) {
    a = a + load<u8>(at);
    b = b + a;
    store<u8>(at, a, TO_A + 1);
    store<u8>(at, b, TO_B + 1);
  }
  prefixEnd = secondEnd = end;
}

// Fills the sums for the second byte from `start`, or from their end, to the end of the sums for the first byte.
function fillSecondSums(start: usize): void {
  let at = secondEnd;
  if (at < start) {
    at = start;
    store<u8>(at, 0, TO_B);
  }
  if (ASC_FEATURE_SIMD) {
    let b = v128.load8_splat(at, TO_B);
    for (; at + 16 <= prefixEnd; at += 16) {
      b = i8x16.add(sumLanes(v128.load(at, TO_A + 1)), b);
      v128.store(at, b, TO_B + 1);
      b = lastLane(b);
    }
  }
  let b: i32 = load<u8>(at, TO_B);
  for (; at < prefixEnd; at++) {
    b = b + load<u8>(at, TO_A + 1);
    store<u8>(at, b, TO_B + 1);
  }
  secondEnd = prefixEnd;
}

// Replaces each byte by the sum of itself and the previous bytes. The lanes are shifted by 1, 2, 4 and 8; shifting in zeros takes
// one processor instruction.
// @ts-ignore: decorator
@inline
function sumLanes(bytes: v128): v128 {
  const none = i8x16.splat(0);
  let sums = i8x16.add(
    bytes,
    v128.shuffle<i8>(none, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30),
  );
  sums = i8x16.add(sums, v128.shuffle<i8>(none, sums, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29));
  sums = i8x16.add(sums, v128.shuffle<i8>(none, sums, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return i8x16.add(sums, v128.shuffle<i8>(none, sums, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23));
}

// @ts-ignore: decorator
@inline
function lastLane(bytes: v128): v128 {
  return v128.shuffle<i8>(bytes, bytes, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
}

// The table is filled in advance, because false frames are usually close together, and each overlapping one usually ends after
// the previous one.
const AHEAD: usize = 1024;

/** Returns the end of the table. */
// @ts-ignore: decorator
@inline
export function prefixSumsEnd(): usize {
  return prefixEnd;
}

/** Returns the end of the sums for the second byte. */
// @ts-ignore: decorator
@inline
export function secondSumsEnd(): usize {
  return secondEnd;
}

/** Fills the table at least to `end`. `tail` is the end of the input. */
export function extendPrefixSums(end: usize, tail: usize): void {
  fillPrefixSums(min(tail, end + AHEAD));
}

/**
 * Returns whether the checksum of the frame at `at`, whose span is in the table, is correct. `length` is the length of its
 * payload.
 */
// @ts-ignore: decorator
@inline
export function checksumHolds(at: usize, length: i32): bool {
  if (!firstByteHolds(at, length)) return false;
  if (at + 6 + length > secondEnd) fillSecondSums(at + 2);
  return secondByteHolds(at, length);
}

/** Returns whether the first byte of the checksum of a frame is correct. */
// @ts-ignore: decorator
@inline
export function firstByteHolds(at: usize, length: i32): bool {
  const sum = (load<u8>(at + length, TO_A + 6) as i32) - (load<u8>(at, TO_A + 2) as i32);
  return ((sum - (load<u8>(at + length, 6) as i32)) & 0xff) == 0;
}

/** Returns whether the second byte is correct, for a frame whose span ends at `secondSumsEnd` or before. */
// @ts-ignore: decorator
@inline
export function secondByteHolds(at: usize, length: i32): bool {
  isSecondNeeded = true;
  const before = (load<u8>(at, TO_B + 2) as i32) + (length + 4) * (load<u8>(at, TO_A + 2) as i32);
  return (((load<u8>(at + length, TO_B + 6) as i32) - before - (load<u8>(at + length, 7) as i32)) & 0xff) == 0;
}

/** Adjusts the table after the input from `head` has moved to the start of the buffer. */
export function movePrefixSums(head: usize): void {
  if (prefixEnd <= head) {
    dropPrefixSums();
    return;
  }
  const shift = head - INPUT;
  memory.copy(PREFIX_A, head + TO_A, prefixEnd - head + 1);
  if (secondEnd > head) memory.copy(PREFIX_B, head + TO_B, secondEnd - head + 1);
  prefixEnd -= shift;
  secondEnd = secondEnd > head ? secondEnd - shift : 0;
}

export function dropPrefixSums(): void {
  prefixEnd = secondEnd = 0;
}
