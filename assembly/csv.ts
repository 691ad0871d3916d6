// Writes lines of the standard CSV. Every function writes at `out` and returns the end of its output; see also digits.ts.

import { LATITUDE, LONGITUDE, writeCoordinate, writeNear } from "./coordinates";
import { COMMA, copy16, DOT, MINUS, NEWLINE, thousands, threeDigits, writeSmall, ZERO } from "./digits";

// --- timestamp ---

// The digits of the last written second and a dot. While the thousands are unchanged, only three digits change.
const SECOND_DIGITS: usize = memory.data(32, 16);
const NONE: i64 = i64.MIN_VALUE;
let cachedSecondMs: i64 = NONE;
let thousandsMs: i64 = NONE;
let secondLength: usize = 0;

/** Writes seconds with three decimals, and a comma. */
// @ts-ignore: decorator
@inline
function writeTimestamp(out: usize, secondMs: i64, ms: i64): usize {
  // The nanoseconds usually belong to the same second; otherwise a division is necessary.
  let fraction = (ms - secondMs) as u64;
  if (fraction >= 1000 || ms < 0) {
    if (ms < 0) return writeNegativeTimestamp(out, ms);
    fraction = (ms % 1000) as u64;
    secondMs = ms - (fraction as i64);
  }
  if (secondMs != cachedSecondMs) cacheSecond(secondMs);
  copy16(out, SECOND_DIGITS);
  out += secondLength;
  store<u32>(out, threeDigits(fraction as u32));
  return out + 4;
}

/** Writes an instant without a cached second. */
// @ts-ignore: decorator
@inline
export function writeSeconds(out: usize, ms: i64): usize {
  return writeTimestamp(out, cachedSecondMs, ms);
}

/** Returns whether a second is the last written one, and not before 1970. */
// @ts-ignore: decorator
@inline
export function canWriteRun(secondMs: i64): bool {
  return secondMs == cachedSecondMs && secondMs >= 0;
}

/** Writes whole milliseconds, and a comma. */
// @ts-ignore: decorator
@inline
export function writeMilliseconds(out: usize, ms: i64): usize {
  let fraction = (ms - cachedSecondMs) as u64;
  // For times since 1970, the digits are those of the second and three more. Times in the first second would begin with zeros.
  if (fraction >= 1000 || ms < 1000) {
    if (ms < 1000) return writeFewMilliseconds(out, ms);
    fraction = (ms % 1000) as u64;
    cacheSecond(ms - (fraction as i64));
  }
  copy16(out, SECOND_DIGITS);
  out += secondLength - 1;
  store<u32>(out, threeDigits(fraction as u32));
  return out + 4;
}

function writeFewMilliseconds(out: usize, ms: i64): usize {
  if (ms < 0) store<u8>(out++, MINUS);
  out = writeWhole(out, (ms < 0 ? -ms : ms) as u64);
  store<u8>(out, COMMA);
  return out + 1;
}

function cacheSecond(secondMs: i64): void {
  const wasMs = thousandsMs;
  cachedSecondMs = secondMs;
  if (secondMs - wasMs >= 1000000 || secondMs < wasMs || wasMs < 1000000) {
    const end = writeWhole(SECOND_DIGITS, (secondMs / 1000) as u64);
    thousandsMs = secondMs - (secondMs % 1000000);
    secondLength = end + 1 - SECOND_DIGITS;
  } else {
    store<u32>(SECOND_DIGITS + secondLength - 4, threeDigits(thousands((secondMs - wasMs) as u32)));
  }
  store<u8>(SECOND_DIGITS + secondLength - 1, DOT);
}

// Writes a time before 1970, whose number is negative: a sign, then the digits of its absolute value.
function writeNegativeTimestamp(out: usize, ms: i64): usize {
  const absolute = -ms;
  store<u8>(out, MINUS);
  out = writeWhole(out + 1, (absolute / 1000) as u64);
  store<u8>(out, DOT);
  store<u32>(out + 1, threeDigits((absolute % 1000) as u32));
  return out + 5;
}

function writeWhole(out: usize, value: u64): usize {
  let length: usize = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) length++;
  let at = out + length;
  do {
    store<u8>(--at, ((value % 10) as i32 + ZERO) as u8);
    value /= 10;
  } while (value > 0);
  return out + length;
}

// --- altitude, speed ---

/** The greatest absolute value with six digits before the dot, in thousandths. */
export const SIX_WHOLE_DIGITS: u32 = 999999999;

// Writes thousandths up to `SIX_WHOLE_DIGITS`, and a comma.
// @ts-ignore: decorator
@inline
function writeSmallThousandths(out: usize, absolute: u32): usize {
  const whole = thousands(absolute);
  if (whole < 1000) {
    out = writeSmall(out, whole) + 1;
  } else {
    const high = thousands(whole);
    out = writeSmall(out, high);
    store<u32>(out, threeDigits(whole - high * 1000));
    store<u8>(out, DOT, 3);
    out += 4;
  }
  store<u32>(out, threeDigits(absolute - whole * 1000));
  return out + 4;
}

function writeGreatThousandths(out: usize, absolute: u32): usize {
  out = writeWhole(out, absolute / 1000);
  store<u8>(out, DOT);
  store<u32>(out, threeDigits(absolute % 1000), 1);
  return out + 5;
}

/** Writes thousandths as a number with three decimals, and a comma. */
// @ts-ignore: decorator
@inline
export function writeThousandths(out: usize, value: i32): usize {
  if (value < 0) store<u8>(out++, MINUS);
  const absolute = (value < 0 ? -value : value) as u32;
  return absolute <= SIX_WHOLE_DIGITS ? writeSmallThousandths(out, absolute) : writeGreatThousandths(out, absolute);
}

/** Writes one line of a run: in the last written second, `fraction` ms after its start, near the last coordinates. */
// @ts-ignore: decorator
@inline
export function writeLineOfRun(
  out: usize,
  fraction: u32,
  latitudeDistance: u32,
  longitudeDistance: u32,
  altitudeMm: i32,
  speedMmPerS: i32,
): usize {
  copy16(out, SECOND_DIGITS);
  out += secondLength;
  store<u32>(out, threeDigits(fraction));
  out = writeNear(out + 4, LATITUDE, latitudeDistance);
  out = writeNear(out, LONGITUDE, longitudeDistance);
  if (altitudeMm < 0) {
    store<u8>(out++, MINUS);
    altitudeMm = -altitudeMm;
  }
  out = writeSmallThousandths(out, altitudeMm);
  out = writeSmallThousandths(out, speedMmPerS);
  store<u8>(out, NEWLINE);
  return out + 1;
}

/** Writes one line. `secondMs` is the whole second of the frame, `ms` the instant of the row; a fix of type 2 has no altitude. */
// @ts-ignore: decorator
@inline
export function writeLine(
  out: usize,
  secondMs: i64,
  ms: i64,
  latitudeE7: i32,
  longitudeE7: i32,
  altitudeMm: i32,
  speedMmPerS: i32,
  hr: i32,
  fixType: i32,
): usize {
  out = writeTimestamp(out, secondMs, ms);
  out = writeCoordinate(out, LATITUDE, latitudeE7);
  out = writeCoordinate(out, LONGITUDE, longitudeE7);
  if (fixType == 2) store<u8>(out++, COMMA);
  else out = writeThousandths(out, altitudeMm);
  out = writeThousandths(out, speedMmPerS);
  if (hr != 0) {
    out = writeSmall(out, hr);
  }
  store<u8>(out, NEWLINE);
  return out + 1;
}
