// Frames: sync, length, checksum, resynchronisation, and the account of bytes (docs/recording-format.md, "Reading").

import {
  beginPrefixSums,
  checksum,
  dropPrefixSums,
  extendPrefixSums,
  firstByteHolds,
  hasPrefixSums,
  movePrefixSums,
  prefixSumsEnd,
  secondByteHolds,
  shortChecksum,
} from "./checksum";
import { isHeartRate, isWaveform, queueHeartRate, waveformRate } from "./ecg";
import { beginStep, PRODUCT_CSV, PRODUCT_FRAMES, readGnss } from "./gnss";
import { copyHeader, hasGivenSerial, repeatsHeader } from "./header";
import { canRun, GNSS_92_SIZE, isGnss92, readRun, runCursor } from "./run";
import { FRAME_OVERHEAD, INPUT, INPUT_END, MAX_PAYLOAD, MIN_GNSS_PAYLOAD, OUTPUT } from "./memory";

/** Why a step ends. The values are known to src/wasm/core.ts. */
export const SIGNAL_DRAINED: i32 = 0;
export const SIGNAL_HEADER: i32 = 1;
export const SIGNAL_NOT_RECORDING: i32 = 2;
export const SIGNAL_BAD_CHECKSUM: i32 = 3;
export const SIGNAL_OVERLONG: i32 = 4;
export const SIGNAL_OVERRUN: i32 = 5;

const SYNC: u16 = 0x62b5;
// class and id, as they stand in memory behind the sync; and with it
const NAV_PVT_HEAD: u32 = 0x070162b5;
const NAV_PVT: u32 = 0x0701;
const ASI_INF: u32 = 0x00a5;
const ECG_HR: u32 = 0x01a5;
const ECG_RAW: u32 = 0x02a5;

// --- input: [head, tail) waits to be read ---

let head: usize = INPUT;
let tail: usize = INPUT;
// The end that an unfinished frame at the head needs; no use to look again before.
let needed: usize = INPUT;
// Offset in the stream of the byte at INPUT.
let passed: i64 = 0;

let needsHeader: bool = false;
let strict: bool = false;

/** Where the product of this step ends: CSV and frames an address, columns an index. */
export let cursor: usize = 0;

/** Offset in the stream, and payload with its length, of the frame that a signal is about. */
export let signalOffset: f64 = 0;
export let signalPayload: usize = 0;
export let signalLength: i32 = 0;

// --- the account ---

export let knownBytes: i64 = 0;
export let unknownBytes: i64 = 0;
export let headerFrames: i32 = 0;
export let gnssFrames: i32 = 0;
export let ecgHrFrames: i32 = 0;
export let ecgRawFrames: i32 = 0;
export let unknownFrames: i32 = 0;
export let badChecksums: i32 = 0;
export let overlong: i32 = 0;
export let overruns: i32 = 0;
/** Sample rate of the last waveform frame, Hz. */
export let ecgRawHz: i32 = 0;

export function resetFrames(mustBeginWithHeader: bool, stopAtDamage: bool): void {
  head = tail = needed = INPUT;
  passed = knownBytes = unknownBytes = 0;
  headerFrames = gnssFrames = ecgHrFrames = ecgRawFrames = unknownFrames = 0;
  badChecksums = overlong = overruns = ecgRawHz = 0;
  needsHeader = mustBeginWithHeader;
  strict = stopAtDamage;
  dropPrefixSums();
}

/** Bytes of the stream that have been read for good. */
export function readBytes(): i64 {
  return passed + ((head - INPUT) as i64);
}

/** Bytes of the stream that have been written. */
export function writtenBytes(): i64 {
  return passed + ((tail - INPUT) as i64);
}

/** Makes room for `wanted` bytes, or as much as there is, and returns where to write them. */
export function reserve(wanted: i32): usize {
  if (((INPUT_END - tail) as i32) < wanted && head > INPUT) {
    const shift = head - INPUT;
    memory.copy(INPUT, head, tail - head);
    movePrefixSums(head);
    passed += shift as i64;
    head = INPUT;
    tail -= shift;
    needed -= shift;
  }
  return tail;
}

/** `length` bytes have been written behind what was there. */
export function commit(length: i32): void {
  tail += length;
}

// The bytes of a sync, sixteen times each.
const FIRST_BYTES: usize = memory.data<u8>([181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181, 181], 16);
const SECOND_BYTES: usize = memory.data<u8>([98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98], 16);

/** The syncs that begin in the 16 bytes from `at`, a bit for each byte. */
// @ts-ignore: decorator
@inline
function syncsIn(at: usize): i32 {
  const first = i8x16.eq(v128.load(at), v128.load(FIRST_BYTES));
  return i8x16.bitmask(v128.and(first, i8x16.eq(v128.load(at, 1), v128.load(SECOND_BYTES))));
}

/** The next sync at or behind `from`; if there is none, the place from which to look again. */
// @ts-ignore: decorator
@inline
function nextSync(from: usize, end: usize): usize {
  let at = from;
  if (at + 1 < end && load<u16>(at) == SYNC) return at;
  if (ASC_FEATURE_SIMD) {
    // Both bytes of a sync are looked for at once, so that many first ones alone do not slow the search down.
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
  // a sync byte at the very end may be the first half of a sync
  return from < end && load<u8>(end - 1) == 0xb5 ? end - 1 : end;
}

/** Whether the checksum of the frame at `at` holds, `end` being the end of its payload. */
// @ts-ignore: decorator
@inline
function holds(at: usize, end: usize): bool {
  if (hasPrefixSums(at)) {
    if (end > prefixSumsEnd()) extendPrefixSums(end, tail);
    return firstByteHolds(at + 2, end) && secondByteHolds(at + 2, end);
  }
  if (checksum(at + 2, (end - at - 2) as i32) == (load<u16>(end) as i32)) return true;
  // From here on false frames may overlap: the search goes on inside this one.
  beginPrefixSums(at + 2, end);
  return false;
}

// Frames that are to be put out and stand one behind the other: copied together, since many are shorter than a call is.
let framesFrom: usize = 0;
let framesEnd: usize = 0;

/** Puts the frames from `from` to `to` out, now or with those behind them; returns where the output ends by now. */
// @ts-ignore: decorator
@inline
function addFrames(out: usize, from: usize, to: usize): usize {
  if (from != framesEnd) {
    out = flushFrames(out);
    framesFrom = from;
  }
  framesEnd = to;
  return out;
}

function flushFrames(out: usize): usize {
  const length = framesEnd - framesFrom;
  memory.copy(out, framesFrom, length);
  framesFrom = framesEnd = 0;
  return out + length;
}

/**
 * Passes by frames that do not hold, as long as the table of prefix sums reaches, and returns the first that may hold or
 * that it cannot judge, or a place behind which there is none to that point.
 */
function passFalseFrames(from: usize, end: usize): usize {
  let at = from;
  while (true) {
    at = passJudgedFrames(at, min(prefixSumsEnd(), end - 2));
    if (load<u16>(at) != SYNC) return at;
    // the frame may hold, or the table not reach to its end
    const length: i32 = load<u16>(at, 4);
    const spanEnd = at + 6 + length;
    if (length > MAX_PAYLOAD || spanEnd + 2 > end || spanEnd <= prefixSumsEnd()) return at;
    extendPrefixSums(spanEnd, end);
  }
}

/**
 * The same of frames whose spans end at `known` or before, all of which the table knows. It finds the syncs of a whole vector
 * at once: where false frames stand close, to look for each anew would take longest. Calls nothing, so that all that the loop
 * needs stays in registers.
 */
function passJudgedFrames(from: usize, known: usize): usize {
  let at = from;
  let bad = 0;
  let long = 0;
  // a vector, and the length of a sync that begins with its last byte
  while (at + 21 <= known) {
    for (let hits = syncsIn(at); hits != 0; hits &= hits - 1) {
      const sync = at + ctz(hits);
      const length: i32 = load<u16>(sync, 4);
      if (length > MAX_PAYLOAD) {
        long++;
        continue;
      }
      const spanEnd = sync + 6 + length;
      // mostly the first byte decides
      if (spanEnd <= known && !firstByteHolds(sync + 2, spanEnd)) {
        bad++;
        continue;
      }
      if (spanEnd > known || secondByteHolds(sync + 2, spanEnd)) {
        badChecksums += bad;
        overlong += long;
        return sync;
      }
      bad++;
    }
    at += 16;
  }
  badChecksums += bad;
  overlong += long;
  return at;
}

/** Payloads shorter than this hold nothing that is known; only a header is looked at however short it is. */
const KNOWN_PAYLOAD: u64 = 12;

// Whether a short frame may begin with these eight bytes.
// @ts-ignore: decorator
@inline
function isShort(head: u64): bool {
  return (head & 0xffff) == SYNC && ((head >> 32) & 0xffff) < KNOWN_PAYLOAD;
}

/**
 * Passes by short unknown frames, as long as one stands behind the other and their checksums hold. No others come in such
 * numbers from the same bytes.
 */
function passShortFrames(from: usize, end: usize): usize {
  let at = from;
  let count = 0;
  while (true) {
    const head = load<u64>(at);
    if (!isShort(head) || ((head >> 16) & 0xffff) == ASI_INF) break;
    const length = ((head >> 32) & 0xffff) as usize;
    const spanEnd = at + 6 + length;
    if (spanEnd + 2 > end || shortChecksum(at + 2, spanEnd) != (load<u16>(spanEnd) as i32)) break;
    count++;
    at = spanEnd + 2;
  }
  unknownFrames += count;
  unknownBytes += at - from;
  return at;
}

/** Reads what has been written, as far as it goes. `final`: nothing more will come. */
// @ts-ignore: decorator
@inline
export function step(product: i32, final: bool): i32 {
  beginStep();
  // columns are counted, all else is written to the output
  let out: usize = product == PRODUCT_CSV || product == PRODUCT_FRAMES ? OUTPUT : 0;
  cursor = out;
  let at = head;
  const end = tail;
  if (end < needed && !final) return SIGNAL_DRAINED;
  let signal: i32 = SIGNAL_DRAINED;

  while (true) {
    const from = at;
    if (hasPrefixSums(at)) {
      if (ASC_FEATURE_SIMD && !strict) at = passFalseFrames(at, end);
    } else if (needsHeader) {
      // the first frame is judged below
    } else if (isShort(load<u64>(at))) {
      at = passShortFrames(at, end);
      if (at > from) {
        if (product == PRODUCT_FRAMES) out = addFrames(out, from, at);
        continue;
      }
    } else if (load<u32>(at) == NAV_PVT_HEAD) {
      while (((end - at) as i32) >= GNSS_92_SIZE) {
        // a run of rows, mostly; then the frame that ended it
        if (canRun(product)) {
          at = readRun(product, at, end, out);
          out = runCursor;
          if (((end - at) as i32) < GNSS_92_SIZE) break;
        }
        if (!isGnss92(at)) break;
        out = readGnss(product, at + 6, out);
        at += GNSS_92_SIZE;
      }
      if (product == PRODUCT_FRAMES) out = addFrames(out, from, at);
      gnssFrames += ((at - from) as i32) / GNSS_92_SIZE;
      knownBytes += at - from;
    }

    at = nextSync(at, end);
    needed = at + FRAME_OVERHEAD;
    const available = (end - at) as i32;
    if (available < 2) {
      if (final) at = end;
      break;
    }
    if (available < 6) {
      if (!final) break;
      overruns++;
      signal = SIGNAL_OVERRUN;
    } else {
      const length: i32 = load<u16>(at, 4);
      const size = length + FRAME_OVERHEAD;
      if (length > MAX_PAYLOAD) {
        overlong++;
        signal = SIGNAL_OVERLONG;
      } else if (available < size) {
        needed = at + size;
        if (!final) break;
        overruns++;
        signal = SIGNAL_OVERRUN;
      } else if (!holds(at, at + 6 + length)) {
        badChecksums++;
        signal = SIGNAL_BAD_CHECKSUM;
      } else {
        const kind: u32 = load<u16>(at, 2);
        const payload = at + 6;
        if (needsHeader && kind != ASI_INF) {
          signal = SIGNAL_NOT_RECORDING;
          signalOffset = (passed + ((at - INPUT) as i64)) as f64;
          break;
        }
        let known = true;
        if (kind == NAV_PVT && length >= MIN_GNSS_PAYLOAD) {
          gnssFrames++;
          out = readGnss(product, payload, out);
        } else if (kind == ECG_HR && isHeartRate(payload, length)) {
          ecgHrFrames++;
          queueHeartRate(payload);
        } else if (kind == ECG_RAW && isWaveform(payload, length)) {
          ecgRawFrames++;
          ecgRawHz = waveformRate(payload);
        } else if (kind == ASI_INF) {
          headerFrames++;
          needsHeader = false;
          knownBytes += size;
          if (repeatsHeader(payload, length)) {
            if (product == PRODUCT_FRAMES) {
              out = hasGivenSerial ? copyHeader(flushFrames(out), at) : addFrames(out, at, at + size);
            }
            at += size;
            continue;
          }
          signalOffset = (passed + ((at - INPUT) as i64)) as f64;
          signalPayload = payload;
          signalLength = length;
          at += size;
          signal = SIGNAL_HEADER;
          break;
        } else {
          unknownFrames++;
          known = false;
        }
        if (known) knownBytes += size;
        else unknownBytes += size;
        if (product == PRODUCT_FRAMES) out = addFrames(out, at, at + size);
        at += size;
        continue;
      }
    }
    // The frame did not hold. Genuine frames may stand inside the span it claims, so the search goes on behind its sync byte.
    if (strict) {
      signalOffset = (passed + ((at - INPUT) as i64)) as f64;
      break;
    }
    signal = SIGNAL_DRAINED;
    at++;
  }
  if (product == PRODUCT_FRAMES) out = flushFrames(out);
  if (signal != SIGNAL_DRAINED) needed = at;
  head = at;
  cursor = out;
  return signal;
}
