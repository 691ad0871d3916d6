// Skips many false frames, or many short frames of unknown type, at once.

import { countFalse, countUnknown } from "./counters";
import { shortChecksum } from "./checksum";
import {
  checksumHolds,
  extendPrefixSums,
  firstByteHolds,
  prefixSumsEnd,
  secondByteHolds,
  secondSumsEnd,
} from "./prefix-sums";
import { MIN_HEART_RATE_PAYLOAD } from "./ecg";
import { ASI_INF } from "./header";
import { FRAME_OVERHEAD, MAX_PAYLOAD } from "./memory";
import { SYNC, syncsIn } from "./sync";

/**
 * Skips invalid frames within the table of prefix sums. Returns the first frame that may be valid or that the table cannot
 * verify, or, if there is none, the position from which to continue the search. If `passesShort` is set, it also skips short
 * unknown frames with valid checksums.
 */
export function passFalseFrames(from: usize, end: usize, passesShort: bool): usize {
  let at = from;
  while (true) {
    at = passCheckedFrames(at, min(prefixSumsEnd(), end - 2));
    if (load<u16>(at) != SYNC) return at;
    // the frame may be valid, or extend beyond the table
    const length: i32 = load<u16>(at, 4);
    const spanEnd = at + 6 + length;
    if (passesShort && isShortUnknown(load<u64>(at)) && spanEnd <= prefixSumsEnd() && spanEnd + 2 <= end) {
      if (!checksumHolds(at, length)) return at;
      countUnknown(1, length + FRAME_OVERHEAD);
      at = spanEnd + 2;
      continue;
    }
    if (length > MAX_PAYLOAD || spanEnd + 2 > end || spanEnd + LAST_HEAD <= prefixSumsEnd()) return at;
    if (prefixSumsEnd() >= end) return at;
    extendPrefixSums(spanEnd, end);
  }
}

/**
 * Skips frames that are too long. Returns the first other frame, or, if there is none, the
 * position from which to continue the search.
 */
export function passOverlongFrames(from: usize, end: usize): usize {
  let at = from;
  let long = 0;
  for (; at + LAST_HEAD <= end; at += 16) {
    let hits = syncsIn(at);
    if (hits == 0) continue;
    long += popcnt(hits);
    while ((load<u16>(at + ctz(hits), 4) as i32) > MAX_PAYLOAD) {
      hits &= hits - 1;
      if (hits == 0) break;
    }
    if (hits != 0) {
      countFalse(0, long - popcnt(hits));
      return at + ctz(hits);
    }
  }
  countFalse(0, long);
  return at;
}

// Distance from the first byte of a vector to the end of the head of a frame that begins at the last byte of the vector.
const LAST_HEAD: usize = 21;

/**
 * Works like `passFalseFrames` where the table covers whole spans (up to `known`). It finds all syncs in a vector at once,
 * because searching for each one would be slowest when false frames are close together. It calls no function, so the loop keeps
 * its values in registers.
 */
function passCheckedFrames(from: usize, known: usize): usize {
  const secondKnown = secondSumsEnd();
  let at = from;
  let bad = 0;
  for (; at + LAST_HEAD <= known; at += 16) {
    let hits = syncsIn(at);
    if (hits == 0) continue;
    bad += popcnt(hits);
    // a frame with at most this payload ends within the table, wherever it begins in the vector
    const longest = min(MAX_PAYLOAD, (known - at - LAST_HEAD) as i32);
    while (true) {
      const sync = at + ctz(hits);
      const length: i32 = load<u16>(sync, 4);
      if (length <= longest) {
        // usually, the first byte is sufficient
        if (firstByteHolds(sync, length)) {
          if (sync + 6 + length > secondKnown || secondByteHolds(sync, length)) break;
        }
      } else if (length > MAX_PAYLOAD) {
        countFalse(-1, 1);
      } else {
        break;
      }
      hits &= hits - 1;
      if (hits == 0) break;
    }
    if (hits != 0) {
      countFalse(bad - popcnt(hits), 0);
      return at + ctz(hits);
    }
  }
  countFalse(bad, 0);
  return at;
}

/** The shortest known payload, that of an ECG-HR. A header of any length is recognized. */
const MIN_KNOWN_PAYLOAD: u64 = MIN_HEART_RATE_PAYLOAD;

// Returns whether these eight bytes may begin a short frame.
// @ts-ignore: decorator
@inline
export function isShort(head: u64): bool {
  return (head & 0xffff) == SYNC && ((head >> 32) & 0xffff) < MIN_KNOWN_PAYLOAD;
}

// Returns whether these eight bytes may begin a short frame that is not a header.
// @ts-ignore: decorator
@inline
function isShortUnknown(head: u64): bool {
  return isShort(head) && ((head >> 16) & 0xffff) != ASI_INF;
}

/**
 * Skips consecutive short unknown frames with valid checksums. A chunk can contain more of these than of other frames, so they
 * have their own loop.
 */
export function passShortFrames(from: usize, end: usize): usize {
  let at = from;
  let count = 0;
  while (true) {
    const head = load<u64>(at);
    if (!isShortUnknown(head)) break;
    const length = ((head >> 32) & 0xffff) as usize;
    const spanEnd = at + 6 + length;
    if (spanEnd + 2 > end || shortChecksum(at + 2, spanEnd) != (load<u16>(spanEnd) as i32)) break;
    count++;
    at = spanEnd + 2;
  }
  countUnknown(count, (at - from) as i32);
  return at;
}
