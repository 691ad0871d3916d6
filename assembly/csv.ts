// Digits of the CSV and of JSON, from integers to bytes. Every function writes at `out` and returns the place behind what it wrote.
// Stores overlap: they may write a few bytes too many, which the next field covers.

export const COMMA: u8 = 0x2c;
const DOT: u8 = 0x2e;
const MINUS: u8 = 0x2d;
const NEWLINE: u8 = 0x0a;
const ZERO: i32 = 0x30;

/** 0 to 999 as three digits and a comma, u32 each. */
const THREE_DIGITS: usize = memory.data(4 * 1000, 16);
/** 0 to 999 without leading zeros and a dot behind, u32 each. */
export const WHOLE_DIGITS: usize = memory.data(4 * 1000, 16);

/** Fills the tables; once, before the first line. */
export function fillDigitTables(): void {
  for (let i = 0; i < 1000; i++) {
    const ones = i % 10;
    const tens = (i / 10) % 10;
    const hundreds = i / 100;
    const three = (ZERO + hundreds) | ((ZERO + tens) << 8) | ((ZERO + ones) << 16);
    store<u32>(THREE_DIGITS + (i << 2), three | ((COMMA as u32) << 24));
    const shift = (3 - wholeLength(i)) << 3;
    store<u32>(WHOLE_DIGITS + (i << 2), ((three as u32) | ((DOT as u32) << 24)) >> shift);
  }
  setPrefix(LATITUDE, 0, 0);
  setPrefix(LONGITUDE, 0, 0);
}

// Digits of 0 to 999.
// @ts-ignore: decorator
@inline
export function wholeLength(value: i32): i32 {
  return 1 + i32(value > 9) + i32(value > 99);
}

// value / 1000, by a multiplication: 2^38 / 1000 rounded up is exact for all 32 bits.
// @ts-ignore: decorator
@inline
function thousands(value: u32): u32 {
  return (((value as u64) * 274877907) >> 38) as u32;
}

// @ts-ignore: decorator
@inline
function threeDigits(value: u32): u32 {
  return load<u32>(THREE_DIGITS + ((value as usize) << 2));
}

// --- timestamp ---

// The last whole second written: its digits and a dot. While the thousands stay, only three digits change.
const SECOND_DIGITS: usize = memory.data(32, 16);
const NONE: i64 = i64.MIN_VALUE;
let cachedSecondMs: i64 = NONE;
let thousandsMs: i64 = NONE;
let secondLength: usize = 0;

/** Seconds with three decimals, and a comma. */
// @ts-ignore: decorator
@inline
function writeTimestamp(out: usize, secondMs: i64, ms: i64): usize {
  // Nanoseconds mostly stay within their second; those that leave it take the division.
  let fraction = (ms - secondMs) as u64;
  if (fraction >= 1000 || ms < 0) {
    if (ms < 0) return writeNegativeTimestamp(out, ms);
    fraction = (ms % 1000) as u64;
    secondMs = ms - (fraction as i64);
  }
  if (secondMs != cachedSecondMs) cacheSecond(secondMs);
  store<u64>(out, load<u64>(SECOND_DIGITS));
  store<u64>(out, load<u64>(SECOND_DIGITS, 8), 8);
  out += secondLength;
  store<u32>(out, threeDigits(fraction as u32));
  return out + 4;
}

/** Whole milliseconds, and a comma. */
// @ts-ignore: decorator
@inline
export function writeMilliseconds(out: usize, ms: i64): usize {
  let fraction = (ms - cachedSecondMs) as u64;
  // From 1970 on the digits are those of the second and three more; the first second would begin with zeros.
  if (fraction >= 1000 || ms < 1000) {
    if (ms < 1000) return writeFewMilliseconds(out, ms);
    fraction = (ms % 1000) as u64;
    cacheSecond(ms - (fraction as i64));
  }
  store<u64>(out, load<u64>(SECOND_DIGITS));
  store<u64>(out, load<u64>(SECOND_DIGITS, 8), 8);
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

// Before 1970 the number is negative: a sign, then the digits of its absolute value.
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

// Sign, whole degrees, dot and first decimal of the last latitude and of the last longitude: they change every 11 km.
const TENTH_E7: u32 = 1000000;
export const LATITUDE: usize = memory.data(32, 16);
export const LONGITUDE: usize = memory.data(32, 16);
// Within each: u64 characters; u32 their number; u32 the lowest absolute value that begins with them; i32 sign (0, -1).
const PREFIX_LENGTH = 8;
const PREFIX_BASE = 12;
const PREFIX_SIGN = 16;

function setPrefix(prefix: usize, absoluteE7: u32, sign: i32): void {
  let out = prefix;
  if (sign != 0) store<u8>(out++, MINUS);
  const tenths = absoluteE7 / TENTH_E7;
  const degrees = tenths / 10;
  store<u32>(out, load<u32>(WHOLE_DIGITS + ((degrees as usize) << 2)));
  out += wholeLength(degrees as i32) + 1;
  store<u8>(out++, ((tenths - degrees * 10) as i32 + ZERO) as u8);
  store<u32>(prefix, (out - prefix) as u32, PREFIX_LENGTH);
  store<u32>(prefix, tenths * TENTH_E7, PREFIX_BASE);
  store<i32>(prefix, sign, PREFIX_SIGN);
}

/** Degrees with seven decimals and a comma. */
// @ts-ignore: decorator
@inline
export function writeCoordinate(out: usize, prefix: usize, valueE7: i32): usize {
  const sign = valueE7 >> 31;
  const absoluteE7 = ((valueE7 ^ sign) - sign) as u32;
  let decimals = absoluteE7 - load<u32>(prefix, PREFIX_BASE);
  if (decimals >= TENTH_E7 || sign != load<i32>(prefix, PREFIX_SIGN)) {
    setPrefix(prefix, absoluteE7, sign);
    decimals = absoluteE7 - load<u32>(prefix, PREFIX_BASE);
  }
  store<u64>(out, load<u64>(prefix));
  out += load<u32>(prefix, PREFIX_LENGTH);
  const high = thousands(decimals);
  store<u32>(out, threeDigits(high));
  store<u32>(out, threeDigits(decimals - high * 1000), 3);
  return out + 7;
}

// --- altitude, speed ---

/** Thousandths as a number with three decimals, and a comma. */
// @ts-ignore: decorator
@inline
export function writeThousandths(out: usize, value: i32): usize {
  if (value < 0) store<u8>(out++, MINUS);
  const absolute = (value < 0 ? -value : value) as u32;
  const whole = thousands(absolute);
  if (whole < 1000) {
    store<u32>(out, load<u32>(WHOLE_DIGITS + ((whole as usize) << 2)));
    out += wholeLength(whole as i32) + 1;
  } else {
    out = writeWhole(out, whole);
    store<u8>(out++, DOT);
  }
  store<u32>(out, threeDigits(absolute - whole * 1000));
  return out + 4;
}

/** One line. `secondMs` is the whole second of the frame, `ms` the instant of the row; a fix of type 2 has no altitude. */
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
    store<u32>(out, load<u32>(WHOLE_DIGITS + ((hr as usize) << 2)));
    out += wholeLength(hr);
  }
  store<u8>(out, NEWLINE);
  return out + 1;
}
