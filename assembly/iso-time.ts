// Writes times in UTC as ISO 8601, with milliseconds. Caches the last second, which contains nine of ten rows at 10 Hz.

import { copy16, threeDigits } from "./digits";

const DAY_MS: i64 = 86400000;
const NONE: i64 = i64.MIN_VALUE;
const ZERO: u8 = 0x30;
const DASH: u8 = 0x2d;
const COLON: u8 = 0x3a;
const DOT: u8 = 0x2e;
const PLUS: u8 = 0x2b;
const T: u8 = 0x54;
const Z: u8 = 0x5a;

// The last second as "2025-05-17T14:30:00."; it has three more characters in the year 10000.
const SECOND: usize = memory.data(48, 16);
let secondMs: i64 = NONE;
let secondLength: usize = 0;
// start of its day, and the number of characters of the date
let midnightMs: i64 = NONE;
let dateLength: usize = 0;

/** Writes a time as `Date.prototype.toISOString` does, such as `2025-05-17T14:30:00.050Z`, for years from 0 to 10000. */
// @ts-ignore: decorator
@inline
export function writeIsoTime(out: usize, ms: i64): usize {
  let fraction = (ms - secondMs) as u64;
  if (fraction >= 1000) {
    fraction = (ms % 1000) as u64;
    if (ms < 0 && fraction != 0) fraction += 1000;
    setSecond(ms - (fraction as i64));
  }
  copy16(out, SECOND);
  copy16(out + 16, SECOND + 16);
  out += secondLength;
  store<u32>(out, threeDigits(fraction as u32));
  store<u8>(out, Z, 3);
  return out + 4;
}

function setSecond(ms: i64): void {
  secondMs = ms;
  if (((ms - midnightMs) as u64) >= (DAY_MS as u64)) {
    let day = ms / DAY_MS;
    if (ms < day * DAY_MS) day--;
    midnightMs = day * DAY_MS;
    writeDate(day as i32);
  }
  const seconds = ((ms - midnightMs) as i32) / 1000;
  const at = SECOND + dateLength;
  store<u8>(at, T);
  writeTwo(at + 1, seconds / 3600);
  store<u8>(at, COLON, 3);
  writeTwo(at + 4, (seconds / 60) % 60);
  store<u8>(at, COLON, 6);
  writeTwo(at + 7, seconds % 60);
  store<u8>(at, DOT, 9);
  secondLength = dateLength + 10;
}

// Writes the date of a day since 1970. Years begin in March here, so that the leap day is the last day of its year. Eras have 400
// years, or 146097 days.
function writeDate(day: i32): void {
  // 719468: days from 0000-03-01 to 1970-01-01; one era is added for the first two months of the year 0
  const days = day + 719468 + 146097;
  const era = days / 146097;
  const dayOfEra = days - era * 146097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const month = (5 * dayOfYear + 2) / 153;
  const dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1;
  const isBehindYearsEnd = month >= 10;
  const year = yearOfEra + (era - 1) * 400 + (isBehindYearsEnd ? 1 : 0);
  let at = SECOND;
  if (year > 9999) {
    // "+010000"
    store<u8>(at, PLUS);
    writeTwo(at + 1, year / 10000);
    at += 3;
  }
  writeTwo(at, (year / 100) % 100);
  writeTwo(at + 2, year % 100);
  store<u8>(at, DASH, 4);
  writeTwo(at + 5, isBehindYearsEnd ? month - 9 : month + 3);
  store<u8>(at, DASH, 7);
  writeTwo(at + 8, dayOfMonth);
  dateLength = at + 10 - SECOND;
}

function writeTwo(at: usize, value: i32): void {
  store<u8>(at, ZERO + ((value / 10) as u8));
  store<u8>(at, ZERO + ((value % 10) as u8), 1);
}
