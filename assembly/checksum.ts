// The 8-bit Fletcher checksum (RFC 1145): a = sum of the bytes, b = sum of the successive values of a, both modulo 256.
// Checksums are stored as in a frame: a in the low byte, b in the high byte.
//
// Blocks of N bytes are added to one accumulator, and after each block, this accumulator is added to a second one. If a block is
// the k-th from the end, the weight of its byte j is k * N in N * second, and k * N - j in b. Therefore:
//   a = sum(first),  b = N * sum(second) - sum(j * first[j]).

// 16 zero bytes, then 16 bytes of ones. A load at offset r is a mask for the last r lanes.
const LAST_LANES: usize = memory.data<u8>(
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
  16,
);

// Vectors of i16 in memory: the weights of the lanes, and the factor of the second sums.
const WEIGHTS: usize = memory.data<i16>([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], 16);
const ONES_16: usize = memory.data<i16>([1, 1, 1, 1, 1, 1, 1, 1], 16);
const WEIGHTS_FROM_END: usize = memory.data<i16>([16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 16);
const BLOCK_16: usize = memory.data<i16>([16, 16, 16, 16, 16, 16, 16, 16], 16);

// @ts-ignore: decorator
@inline
function foldVectors(first: v128, second: v128): i32 {
  const low = i16x8.extend_low_i8x16_u(first);
  const high = i16x8.extend_high_i8x16_u(first);
  const seconds = i16x8.extadd_pairwise_i8x16_u(second);
  const b4 = i32x4.sub(
    i32x4.dot_i16x8_s(seconds, v128.load(BLOCK_16)),
    i32x4.add(i32x4.dot_i16x8_s(low, v128.load(WEIGHTS)), i32x4.dot_i16x8_s(high, v128.load(WEIGHTS, 16))),
  );
  return sumsOf(i16x8.add(low, high), b4);
}

// Adds one block.
// @ts-ignore: decorator
@inline
function foldBlock(block: v128): i32 {
  const low = i16x8.extend_low_i8x16_u(block);
  const high = i16x8.extend_high_i8x16_u(block);
  const b4 = i32x4.add(
    i32x4.dot_i16x8_s(low, v128.load(WEIGHTS_FROM_END)),
    i32x4.dot_i16x8_s(high, v128.load(WEIGHTS_FROM_END, 16)),
  );
  return sumsOf(i16x8.add(low, high), b4);
}

// Returns the checksum of lanes whose sums are a and b.
// @ts-ignore: decorator
@inline
function sumsOf(a8: v128, b4: v128): i32 {
  const a4 = i32x4.dot_i16x8_s(a8, v128.load(ONES_16));
  // a and b in adjacent lanes, so that one move extracts both
  const halves = i32x4.add(v128.shuffle<i32>(a4, b4, 0, 4, 1, 5), v128.shuffle<i32>(a4, b4, 2, 6, 3, 7));
  const sums = i64x2.extract_lane(i32x4.add(halves, v128.shuffle<i32>(halves, halves, 2, 3, 0, 1)), 0);
  return ((sums & 0xff) | ((sums >> 24) & 0xff00)) as i32;
}

const EVEN_BYTES: u64 = 0x00ff00ff00ff00ff;
const ONES: u64 = 0x0001000100010001;

// Without SIMD, a block consists of eight bytes, two in each lane of 16 bits. `pairs` is the sum of the lanes, `odd` the sum
// of their second bytes, whose weight is one less than that of the first, and `second` the sum of successive values of
// `pairs`. A product adds four lanes into its top one; each is at most 255, so no lower lane carries.
// @ts-ignore: decorator
@inline
function foldLanes(pairs: u64, odd: u64, second: u64): i32 {
  pairs &= EVEN_BYTES;
  const a = ((pairs * ONES) >> 48) as i32;
  // weights 0, 2, 4, 6, which the constant contains in reverse, because lane i is multiplied by lane 3 - i
  const weighted = (((pairs * 0x0000000200040006) >> 48) + (((odd & EVEN_BYTES) * ONES) >> 48)) as i32;
  const b = 8 * ((((second & EVEN_BYTES) * ONES) >> 48) as i32) - weighted;
  return (a & 0xff) | ((b & 0xff) << 8);
}

/** Returns the checksum of the 96 bytes from `start`: the span of a NAV-PVT with 92 bytes of payload. */
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
  // 12 blocks: the second sums are below 510 * 78, so no lane overflows
  let pairs: u64 = 0;
  let odd: u64 = 0;
  let second: u64 = 0;
  for (let i = 0; i < 96; i += 32) {
    const block0 = load<u64>(start + i);
    const odd0 = (block0 >> 8) & EVEN_BYTES;
    const pairs0 = pairs + (block0 & EVEN_BYTES) + odd0;
    const block1 = load<u64>(start + i, 8);
    const odd1 = (block1 >> 8) & EVEN_BYTES;
    const pairs1 = pairs0 + (block1 & EVEN_BYTES) + odd1;
    const block2 = load<u64>(start + i, 16);
    const odd2 = (block2 >> 8) & EVEN_BYTES;
    const pairs2 = pairs1 + (block2 & EVEN_BYTES) + odd2;
    const block3 = load<u64>(start + i, 24);
    const odd3 = (block3 >> 8) & EVEN_BYTES;
    pairs = pairs2 + (block3 & EVEN_BYTES) + odd3;
    odd += odd0 + odd1 + odd2 + odd3;
    second += pairs0 + pairs1 + pairs2 + pairs;
  }
  return foldLanes(pairs, odd, second);
}

/** Returns the checksum of the bytes from `start` to `end`, at most 16. */
// @ts-ignore: decorator
@inline
export function shortChecksum(start: usize, end: usize): i32 {
  if (!ASC_FEATURE_SIMD) return checksum(start, (end - start) as i32);
  return foldBlock(v128.and(v128.load(end - 16), v128.load(LAST_LANES + (end - start))));
}

/** Returns the checksum of the `length` bytes from `start`. */
export function checksum(start: usize, length: i32): i32 {
  const end = start + length;
  if (ASC_FEATURE_SIMD) {
    if (length <= 16) return shortChecksum(start, end);
    // The remaining bytes (`length` modulo 16) come first, as a block with zeros at its start.
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
  const rest = length & 7;
  let at = start + rest;
  const head = rest == 0 ? 0 : load<u64>(at - 8) & (-1 << ((8 - rest) << 3));
  let odd = (head >> 8) & EVEN_BYTES;
  let pairs = (head & EVEN_BYTES) + odd;
  let second = pairs;
  while (at < end) {
    // at most 8 blocks between two reductions: 510 + 8 * 510 + 36 * 510 < 65536 holds for every sum
    const stop = min(end, at + 64);
    for (; at < stop; at += 8) {
      const block = load<u64>(at);
      const odds = (block >> 8) & EVEN_BYTES;
      odd += odds;
      pairs += (block & EVEN_BYTES) + odds;
      second += pairs;
    }
    odd &= EVEN_BYTES;
    pairs &= EVEN_BYTES;
    second &= EVEN_BYTES;
  }
  return foldLanes(pairs, odd, second);
}
