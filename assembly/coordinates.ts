// Writes coordinates. The first characters of the last latitude and the last longitude are cached.

import { MINUS, thousands, threeDigits, writeSmall, ZERO } from "./digits";

// The sign, whole degrees, dot and first decimal of the last latitude and the last longitude. They change every 11 km.
const TENTH_E7: u32 = 1000000;
export const LATITUDE: usize = memory.data(32, 16);
export const LONGITUDE: usize = memory.data(32, 16);
// Each entry contains: u64 characters; u32 their number; u32 the lowest absolute value that begins with them; i32 sign (0, -1).
const PREFIX_LENGTH = 8;
const PREFIX_BASE = 12;
const PREFIX_SIGN = 16;

/** Fills the cache; called once, before the first coordinate. */
export function fillCoordinates(): void {
  setPrefix(LATITUDE, 0);
  setPrefix(LONGITUDE, 0);
}

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
export function writeNear(out: usize, prefix: usize, distance: u32): usize {
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
