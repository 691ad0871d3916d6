// Writes integers as digits, for CSV and other texts. Every function writes at `out` and returns the end of its output. Stores
// overlap: they may write a few bytes too many, which the next field overwrites.

export const COMMA: u8 = 0x2c;
const DOT: u8 = 0x2e;
const MINUS: u8 = 0x2d;
const NEWLINE: u8 = 0x0a;
const ZERO: i32 = 0x30;

/** 0 to 999 as three digits and a comma, u32 each. */
const THREE_DIGITS: usize = memory.data(4 * 1000, 16);
// 0 to 999 without leading zeros, followed by a dot, and the number of digits, u32 each.
const WHOLE_NUMBERS: usize = memory.data(8 * 1000, 16);

/** Fills the tables; called once, before the first line. */
export function fillDigitTables(): void {
  for (let i = 0; i < 1000; i++) {
    const ones = i % 10;
    const tens = (i / 10) % 10;
    const hundreds = i / 100;
    const three = (ZERO + hundreds) | ((ZERO + tens) << 8) | ((ZERO + ones) << 16);
    store<u32>(THREE_DIGITS + (i << 2), three | ((COMMA as u32) << 24));
    const length = 1 + i32(i > 9) + i32(i > 99);
    store<u32>(WHOLE_NUMBERS + (i << 3), ((three as u32) | ((DOT as u32) << 24)) >> ((3 - length) << 3));
    store<u32>(WHOLE_NUMBERS + (i << 3), length, 4);
  }
  setPrefix(LATITUDE, 0);
  setPrefix(LONGITUDE, 0);
}

// Writes a number from 0 to 999. Also writes a dot after it, which the caller either includes or overwrites.
// @ts-ignore: decorator
@inline
export function writeSmall(out: usize, value: u32): usize {
  const entry = load<u64>(WHOLE_NUMBERS + ((value as usize) << 3));
  store<u32>(out, entry as u32);
  return out + ((entry >> 32) as usize);
}

// Computes value / 1000 with a multiplication by 2^38 / 1000, rounded up, which is exact for all 32-bit values.
// @ts-ignore: decorator
@inline
function thousands(value: u32): u32 {
  return (((value as u64) * 274877907) >> 38) as u32;
}

// @ts-ignore: decorator
@inline
export function threeDigits(value: u32): u32 {
  return load<u32>(THREE_DIGITS + ((value as usize) << 2));
}

// --- timestamp ---

// The digits of the last written second and a dot. While the thousands are unchanged, only three digits change.
const SECOND_DIGITS: usize = memory.data(32, 16);
const NONE: i64 = i64.MIN_VALUE;
let cachedSecondMs: i64 = NONE;
let thousandsMs: i64 = NONE;
let secondLength: usize = 0;

// @ts-ignore: decorator
@inline
export function copy16(to: usize, from: usize): void {
  if (ASC_FEATURE_SIMD) {
    v128.store(to, v128.load(from));
  } else {
    store<u64>(to, load<u64>(from));
    store<u64>(to, load<u64>(from, 8), 8);
  }
}

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

// --- coordinates ---

// The sign, whole degrees, dot and first decimal of the last latitude and the last longitude. They change every 11 km.
const TENTH_E7: u32 = 1000000;
export const LATITUDE: usize = memory.data(32, 16);
export const LONGITUDE: usize = memory.data(32, 16);
// Each entry contains: u64 characters; u32 their number; u32 the lowest absolute value that begins with them; i32 sign (0, -1).
const PREFIX_LENGTH = 8;
const PREFIX_BASE = 12;
const PREFIX_SIGN = 16;

function setPrefix(prefix: usize, valueE7: i32): void {
  const sign = valueE7 >> 31;
  const tenths = (((valueE7 ^ sign) - sign) as u32) / TENTH_E7;
  const degrees = tenths / 10;
  let out = prefix;
  if (sign != 0) store<u8>(out++, MINUS);
  out = writeSmall(out, degrees) + 1;
  store<u8>(out++, ((tenths - degrees * 10) as i32 + ZERO) as u8);
  store<u32>(prefix, (out - prefix) as u32, PREFIX_LENGTH);
  store<u32>(prefix, tenths * TENTH_E7, PREFIX_BASE);
  store<i32>(prefix, sign, PREFIX_SIGN);
}

/** Exclusive upper limit for the `distance` of a coordinate that is near the last one. */
export const NEAR_E7: u32 = TENTH_E7 - 1;

/**
 * Returns the distance from the lowest absolute value that begins with the cached characters to this coordinate. It is one less
 * in the south and west, so that zero is never near a negative number. It is a large number for distant coordinates, if both are
 * within 180 degrees.
 */
// @ts-ignore: decorator
@inline
export function distance(prefix: usize, valueE7: i32): u32 {
  return ((valueE7 ^ load<i32>(prefix, PREFIX_SIGN)) as u32) - load<u32>(prefix, PREFIX_BASE);
}

// Writes the degrees of a coordinate at this distance with seven decimals, and a comma.
// @ts-ignore: decorator
@inline
function writeNear(out: usize, prefix: usize, distance: u32): usize {
  const decimals = distance - (load<i32>(prefix, PREFIX_SIGN) as u32);
  store<u64>(out, load<u64>(prefix));
  out += load<u32>(prefix, PREFIX_LENGTH);
  const high = thousands(decimals);
  store<u32>(out, threeDigits(high));
  store<u32>(out, threeDigits(decimals - high * 1000), 3);
  return out + 7;
}

/** Writes degrees with seven decimals, and a comma. */
// @ts-ignore: decorator
@inline
export function writeCoordinate(out: usize, prefix: usize, valueE7: i32): usize {
  // rows from the host may contain any coordinate
  const isSameSign = valueE7 >> 31 == load<i32>(prefix, PREFIX_SIGN);
  if (!isSameSign || distance(prefix, valueE7) >= NEAR_E7) setPrefix(prefix, valueE7);
  return writeNear(out, prefix, distance(prefix, valueE7));
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
