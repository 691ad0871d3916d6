import type { Report } from "../../src/types.js";
import { fields } from "./frame-kind.js";

/** The reason why a NAV-PVT results in no row. */
export type NoRow = keyof Report["gnssWithoutRow"];

/** The values of a row from its NAV-PVT, unchanged. */
export interface Fix {
  timestampMs: number;
  latitudeE7: number;
  longitudeE7: number;
  /** Undefined if `fixType` is 2. */
  altitudeMm: number;
  speedMmPerS: number;
  fixType: number;
}

/** The quality that the receiver reports. */
export interface Quality {
  satellites: number;
  speedAccuracyMmPerS: number;
  pdopHundredths: number;
}

const VALID_DATE_AND_TIME = 0b11;
const GNSS_FIX_OK = 0b1;

/**
 * Reads the payload of a NAV-PVT of at least 84 bytes (u-blox interface description, UBX-NAV-PVT).
 * If there is no row, returns the first applicable reason (recording format, "Rows").
 */
export function readFix(payload: Uint8Array): (Fix & Quality) | NoRow {
  const navPvt = fields(payload);
  if ((navPvt.getUint8(11) & VALID_DATE_AND_TIME) !== VALID_DATE_AND_TIME) return "noDateOrTime";
  if ((navPvt.getUint8(21) & GNSS_FIX_OK) === 0) return "noFixOk";
  const fixType = navPvt.getUint8(20);
  if (fixType < 2 || fixType > 4) return "fixType";
  const longitudeE7 = navPvt.getInt32(24, true);
  const latitudeE7 = navPvt.getInt32(28, true);
  if (Math.abs(latitudeE7) > 90e7 || Math.abs(longitudeE7) > 180e7) return "outOfRange";
  const civilMs = civilTimeMs(
    navPvt.getUint16(4, true),
    navPvt.getUint8(6),
    navPvt.getUint8(7),
    navPvt.getUint8(8),
    navPvt.getUint8(9),
    navPvt.getUint8(10),
  );
  if (civilMs === null) return "badDate";
  const nanoseconds = navPvt.getInt32(16, true);
  return {
    timestampMs: civilMs + Math.floor((nanoseconds + 500_000) / 1_000_000),
    latitudeE7,
    longitudeE7,
    altitudeMm: navPvt.getInt32(36, true),
    speedMmPerS: navPvt.getInt32(60, true),
    fixType,
    satellites: navPvt.getUint8(23),
    speedAccuracyMmPerS: navPvt.getUint32(68, true),
    pdopHundredths: navPvt.getUint16(76, true),
  };
}

/** Milliseconds since 1970 of a UTC date (proleptic Gregorian) and time; null if they do not exist. */
function civilTimeMs(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | null {
  if (year < 1 || year > 9999 || hour > 23 || minute > 59 || second > 59) return null;
  // setUTCFullYear instead of Date.UTC, which takes the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  const midnightMs = date.setUTCFullYear(year, month - 1, day);
  // A month or day that does not exist becomes a different one.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return midnightMs + ((hour * 60 + minute) * 60 + second) * 1000;
}
