// Reads frames: sync, length, checksum and resynchronization (docs/recording-format.md, "Reading").

import {
  countFalse,
  countGnss,
  countHeader,
  countHeartRate,
  countOverrun,
  countUnknown,
  countWaveform,
  noteDamage,
  resetCounters,
} from "./counters";
import { checksum } from "./checksum";
import {
  beginPrefixSums,
  checksumHolds,
  dropPrefixSums,
  extendPrefixSums,
  hasPrefixSums,
  movePrefixSums,
  prefixSumsEnd,
} from "./prefix-sums";
import { isHeartRate, isWaveform, queueHeartRate, readsWaveform, waveformRate } from "./ecg";
import { beginStep, OUTPUT_CSV, OUTPUT_FRAMES, previousMs, readGnss, rows } from "./gnss";
import { ASI_INF, copyHeader, hasGivenSerial, repeatsHeader } from "./header";
import { beginBeats } from "./heart-rate/derived";
import { endWaveform, takeWaveform } from "./heart-rate/waveform";
import { FRAME_OVERHEAD, INPUT, INPUT_END, MAX_PAYLOAD, MIN_GNSS_PAYLOAD, OUTPUT } from "./memory";
import { isShort, passFalseFrames, passOverlongFrames, passShortFrames } from "./passing";
import { canRun, GNSS_92_SIZE, isGnss92, readRun, runCursor } from "./run";
import { nextSync } from "./sync";

/** Reasons why a step returns. src/engine/wasm/core.ts has the same values. */
export const SIGNAL_DRAINED: i32 = 0;
export const SIGNAL_HEADER: i32 = 1;
export const SIGNAL_NOT_RECORDING: i32 = 2;
export const SIGNAL_BAD_CHECKSUM: i32 = 3;
export const SIGNAL_OVERLONG: i32 = 4;
export const SIGNAL_OVERRUN: i32 = 5;

// class and id in memory order; the first constant also includes the sync
const NAV_PVT_HEAD: u32 = 0x070162b5;
const NAV_PVT: u32 = 0x0701;
const ECG_HR: u32 = 0x01a5;
const ECG_RAW: u32 = 0x02a5;

// --- input: [head, tail) is unread ---

let head: usize = INPUT;
let tail: usize = INPUT;
// The required end of an incomplete frame at the head. It is not checked again before the input reaches this end.
let needed: usize = INPUT;
// Offset in the stream of the byte at INPUT.
let passed: i64 = 0;

let needsHeader: bool = false;
let strict: bool = false;

/** End of the output of this step: an address for CSV and frames, an index for columns. */
export let cursor: usize = 0;

/** The frame of a signal: its offset in the stream, its payload, and the length of the payload. */
export let signalOffset: f64 = 0;
export let signalPayload: usize = 0;
export let signalLength: i32 = 0;

export function resetFrames(mustBeginWithHeader: bool, stopAtDamage: bool): void {
  head = tail = needed = INPUT;
  passed = 0;
  needsHeader = mustBeginWithHeader;
  strict = stopAtDamage;
  dropPrefixSums();
  resetCounters();
}

/** Returns the number of bytes of the stream that have been consumed. */
export function readBytes(): i64 {
  return passed + ((head - INPUT) as i64);
}

/** Returns the number of bytes of the stream that have been written. */
export function writtenBytes(): i64 {
  return passed + ((tail - INPUT) as i64);
}

/** Reserves `wanted` bytes, or as many as possible, and returns their address. */
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

/** Marks `length` bytes after the existing ones as written. */
export function commit(length: i32): void {
  tail += length;
}

/** Returns whether the checksum of the frame at `at` is correct. `length` is the length of its payload. */
// @ts-ignore: decorator
@inline
function holds(at: usize, length: i32): bool {
  const end = at + 6 + length;
  if (hasPrefixSums(at)) {
    if (end > prefixSumsEnd()) extendPrefixSums(end, tail);
    return checksumHolds(at, length);
  }
  if (checksum(at + 2, length + 4) == (load<u16>(end) as i32)) return true;
  // False frames may overlap, so the search continues inside this frame.
  beginPrefixSums(at + 2, end, tail);
  return false;
}

/** Stores the position of the first damage, and returns `signal`. */
// @ts-ignore: decorator
@inline
function damaged(signal: i32, at: usize): i32 {
  noteDamage(signal, passed + ((at - INPUT) as i64), rows == 0 ? NaN : (previousMs as f64));
  return signal;
}

// Consecutive frames to output. They are copied together, because a call for each short frame would take longer.
let framesFrom: usize = 0;
let framesEnd: usize = 0;

/** Outputs the frames from `from` to `to`, immediately or together with later ones. Returns the current end of the output. */
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

/** Reads the written bytes as far as possible. If `final` is set, no more bytes follow. */
// @ts-ignore: decorator
@inline
export function step(outputKind: i32, final: bool): i32 {
  beginStep();
  // columns are counted, other outputs are written to memory
  let out: usize = outputKind == OUTPUT_CSV || outputKind == OUTPUT_FRAMES ? OUTPUT : 0;
  cursor = out;
  beginBeats();
  let at = head;
  const end = tail;
  if (end < needed && !final) return SIGNAL_DRAINED;
  let signal: i32 = SIGNAL_DRAINED;

  while (true) {
    const from = at;
    if (needsHeader || hasPrefixSums(at)) {
      // the frame is checked below
    } else if (isShort(load<u64>(at))) {
      at = passShortFrames(at, end);
      if (at > from) {
        if (outputKind == OUTPUT_FRAMES) out = addFrames(out, from, at);
        continue;
      }
    } else if (load<u32>(at) == NAV_PVT_HEAD) {
      while (((end - at) as i32) >= GNSS_92_SIZE) {
        // usually, a run of rows is here, followed by the frame that ends the run
        if (canRun(outputKind)) {
          at = readRun(outputKind, at, end, out);
          out = runCursor;
          if (((end - at) as i32) < GNSS_92_SIZE) break;
        }
        if (!isGnss92(at)) break;
        out = readGnss(outputKind, at + 6, out);
        at += GNSS_92_SIZE;
      }
      if (outputKind == OUTPUT_FRAMES) out = addFrames(out, from, at);
      countGnss(((at - from) as i32) / GNSS_92_SIZE, (at - from) as i32);
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
      countOverrun();
      signal = damaged(SIGNAL_OVERRUN, at);
    } else {
      const length: i32 = load<u16>(at, 4);
      const size = length + FRAME_OVERHEAD;
      if (length > MAX_PAYLOAD) {
        countFalse(0, 1);
        signal = damaged(SIGNAL_OVERLONG, at);
        if (ASC_FEATURE_SIMD && !strict) {
          at = passOverlongFrames(at + 1, end);
          signal = SIGNAL_DRAINED;
          continue;
        }
      } else if (available < size) {
        needed = at + size;
        if (!final) break;
        countOverrun();
        signal = damaged(SIGNAL_OVERRUN, at);
      } else if (!holds(at, length)) {
        countFalse(1, 0);
        signal = damaged(SIGNAL_BAD_CHECKSUM, at);
        if (ASC_FEATURE_SIMD && !strict) {
          at = passFalseFrames(at + 1, end, outputKind != OUTPUT_FRAMES && !needsHeader);
          signal = SIGNAL_DRAINED;
          continue;
        }
      } else {
        const kind: u32 = load<u16>(at, 2);
        const payload = at + 6;
        if (needsHeader && kind != ASI_INF) {
          signal = SIGNAL_NOT_RECORDING;
          signalOffset = (passed + ((at - INPUT) as i64)) as f64;
          break;
        }
        if (kind == NAV_PVT && length >= MIN_GNSS_PAYLOAD) {
          countGnss(1, size);
          out = readGnss(outputKind, payload, out);
        } else if (kind == ECG_HR && isHeartRate(payload, length)) {
          countHeartRate(size);
          queueHeartRate(payload);
        } else if (kind == ECG_RAW && isWaveform(payload, length)) {
          countWaveform(size, waveformRate(payload));
          if (readsWaveform) takeWaveform(payload);
        } else if (kind == ASI_INF) {
          countHeader(size);
          needsHeader = false;
          if (repeatsHeader(payload, length)) {
            if (outputKind == OUTPUT_FRAMES) {
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
          countUnknown(1, size);
        }
        if (outputKind == OUTPUT_FRAMES) out = addFrames(out, at, at + size);
        at += size;
        continue;
      }
    }
    // The frame is invalid. Valid frames may be inside its span, so the search continues after its first byte.
    if (strict) {
      signalOffset = (passed + ((at - INPUT) as i64)) as f64;
      break;
    }
    signal = SIGNAL_DRAINED;
    at++;
  }
  if (final && signal == SIGNAL_DRAINED) endWaveform();
  if (outputKind == OUTPUT_FRAMES) out = flushFrames(out);
  if (signal != SIGNAL_DRAINED) needed = at;
  head = at;
  cursor = out;
  return signal;
}
