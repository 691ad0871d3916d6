// Reads runs of rows. Most rows are 3D, have no heart rate, and are close to the previous row, in the same second and not
// earlier. A loop without other checks and without calls reads these rows; readGnss reads all others.

import { checksum96 } from "./checksum";
import { HALF_MS_NANO, secondKey, secondMs, wholeMs } from "./clock";
import { hasQuality, storeRow } from "./columns";
import { distance, LATITUDE, LONGITUDE, NEAR_E7 } from "./coordinates";
import { canWriteRun, SIX_WHOLE_DIGITS, writeLineOfRun } from "./csv";
import { isWithoutHeartRate } from "./ecg";
import { canCountRun, countRun, OUTPUT_COLUMNS, OUTPUT_CSV, previousMs } from "./gnss";

/** A NAV-PVT with 92 bytes of payload, the most frequent frame. */
export const GNSS_92_SIZE: i32 = 100;
// The first six bytes of this frame.
const GNSS_92_HEAD: u64 = 0x005c_0701_62b5;
const SIX_BYTES: u64 = 0xffff_ffff_ffff;

// fixType 3 and gnssFixOK, in the two bytes fixType and flags
const FIX_MASK: i32 = 0x1ff;
const FIX_OK_3D: i32 = 0x103;

/** End of the output of the last run. */
export let runCursor: usize = 0;

/**
 * Returns whether there is a complete and valid NAV-PVT with 92 bytes of payload at `at`, from which at least 100 bytes of input
 * are available.
 */
// @ts-ignore: decorator
@inline
export function isGnss92(at: usize): bool {
  return (load<u64>(at) & SIX_BYTES) == GNSS_92_HEAD && checksum96(at + 2) == (load<u16>(at, 98) as i32);
}

/**
 * Returns whether the next rows can be a run, according to conditions that do not depend on these rows. Rows whose quality is
 * required are not read as runs.
 */
// @ts-ignore: decorator
@inline
export function canRun(outputKind: i32): bool {
  if (outputKind == OUTPUT_COLUMNS && hasQuality) return false;
  return canCountRun() && isWithoutHeartRate() && (outputKind != OUTPUT_CSV || canWriteRun(secondMs()));
}

/** Reads a run of rows from `at`, and returns the position after the last one. */
// @ts-ignore: decorator
@inline
export function readRun(outputKind: i32, at: usize, end: usize, out: usize): usize {
  const key = secondKey();
  const second = secondMs();
  const last = end - GNSS_92_SIZE;
  let lastMs = previousMs;
  const from = at;
  while (at <= last) {
    if ((load<u64>(at) & SIX_BYTES) != GNSS_92_HEAD) break;
    if (load<u64>(at, 10) != key) break;
    if (((load<u16>(at, 26) as i32) & FIX_MASK) != FIX_OK_3D) break;
    const nano = (load<i32>(at, 22) + HALF_MS_NANO) as u32;
    if (nano >= 1000000000) break;
    const fraction = wholeMs(nano);
    const ms = second + (fraction as i64);
    if (ms < lastMs) break;
    const longitudeE7 = load<i32>(at, 30);
    const latitudeE7 = load<i32>(at, 34);
    const altitudeMm = load<i32>(at, 42);
    const speedMmPerS = load<i32>(at, 66);
    if (((latitudeE7 + 900000000) as u32) > 1800000000) break;
    if (((longitudeE7 as u32) + 1800000000) as u32 > 3600000000) break;
    let latitudeDistance: u32 = 0;
    let longitudeDistance: u32 = 0;
    if (outputKind == OUTPUT_CSV) {
      latitudeDistance = distance(LATITUDE, latitudeE7);
      if (latitudeDistance >= NEAR_E7) break;
      longitudeDistance = distance(LONGITUDE, longitudeE7);
      if (longitudeDistance >= NEAR_E7) break;
      if (((altitudeMm as u32) + SIX_WHOLE_DIGITS) > 2 * SIX_WHOLE_DIGITS) break;
      if ((speedMmPerS as u32) > SIX_WHOLE_DIGITS) break;
    }
    if (checksum96(at + 2) != (load<u16>(at, 98) as i32)) break;
    if (outputKind == OUTPUT_CSV) {
      out = writeLineOfRun(out, fraction, latitudeDistance, longitudeDistance, altitudeMm, speedMmPerS);
    } else if (outputKind == OUTPUT_COLUMNS) {
      storeRow(out, ms, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, 0, 3);
      out++;
    }
    lastMs = ms;
    at += GNSS_92_SIZE;
  }
  countRun(((at - from) as i32) / GNSS_92_SIZE, lastMs);
  runCursor = out;
  return at;
}
