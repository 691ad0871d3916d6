// Finds syncs, the two bytes at the start of every frame.

export const SYNC: u16 = 0x62b5;

// The bytes of a sync, sixteen times each.
const FIRST_BYTES: usize = memory.data<u8>([181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181], 16);
const SECOND_BYTES: usize = memory.data<u8>([98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98], 16);

/** Returns the syncs that begin in the 16 bytes from `at`, as one bit for each byte. */
// @ts-ignore: decorator
@inline
export function syncsIn(at: usize): i32 {
  const first = i8x16.eq(v128.load(at), v128.load(FIRST_BYTES));
  return i8x16.bitmask(v128.and(first, i8x16.eq(v128.load(at, 1), v128.load(SECOND_BYTES))));
}

/**
 * Returns the position of the next sync at or after `from`. If there is none, returns the position from which to search again.
 */
// @ts-ignore: decorator
@inline
export function nextSync(from: usize, end: usize): usize {
  let at = from;
  if (at + 1 < end && load<u16>(at) == SYNC) return at;
  if (ASC_FEATURE_SIMD) {
    // Searches for both bytes of a sync at once, so that many first bytes do not slow down the search.
    for (; at + 1 < end; at += 16) {
      const hits = syncsIn(at);
      if (hits == 0) continue;
      at += ctz(hits);
      if (at + 1 < end) return at;
      break;
    }
  } else {
    for (; at + 1 < end; at++) {
      if (load<u8>(at) == 0xb5 && load<u8>(at, 1) == 0x62) return at;
    }
  }
  // the last byte may be the first half of a sync
  return from < end && load<u8>(end - 1) == 0xb5 ? end - 1 : end;
}
