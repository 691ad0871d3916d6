// Writes integers as digits, for CSV and other texts. Every function writes at `out` and returns the end of its output. Stores
// overlap: they may write a few bytes too many, which the next field overwrites.

export const COMMA: u8 = 0x2c;
export const DOT: u8 = 0x2e;
export const MINUS: u8 = 0x2d;
export const NEWLINE: u8 = 0x0a;
export const ZERO: i32 = 0x30;

/** The numbers 0 to 999 as three digits and a comma, u32 each. */
const THREE_DIGITS: usize = memory.data(4 * 1000, 16);
// The numbers 0 to 999 without leading zeros, followed by a dot, and the number of their digits, u32 each.
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
export function thousands(value: u32): u32 {
  return (((value as u64) * 274877907) >> 38) as u32;
}

// @ts-ignore: decorator
@inline
export function threeDigits(value: u32): u32 {
  return load<u32>(THREE_DIGITS + ((value as usize) << 2));
}

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
