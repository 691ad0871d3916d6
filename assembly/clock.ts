// Converts civil UTC to milliseconds since 1970. Caches the last second, which contains nine of ten rows at 10 Hz.

let cachedKey: u64 = 0;
let cachedSecondMs: i64 = 0;
// The date of the cached second (year, month, day as in the frame), and the start of that day.
let cachedDate: u32 = 0;
let midnightMs: i64 = 0;

/** Returns the cached second as in its frame: the eight bytes from year to valid of NAV-PVT. */
// @ts-ignore: decorator
@inline
export function secondKey(): u64 {
  return cachedKey;
}

/** Returns the cached second, ms since 1970. */
// @ts-ignore: decorator
@inline
export function secondMs(): i64 {
  return cachedSecondMs;
}

/** This is added to nanoseconds before they are converted to milliseconds, to round half up. */
export const HALF_MS_NANO: i32 = 500000;

/**
 * Converts nanoseconds to whole milliseconds with a multiplication, which is exact below 1000500000 (a second plus the rounding).
 */
// @ts-ignore: decorator
@inline
export function wholeMs(nano: u32): u32 {
  return (((nano as u64) * 1125899907) >> 50) as u32;
}

/** Clears the cached second by setting its key to zero. Frames with a valid date and time never have this key. */
export function resetClock(): void {
  cachedKey = 0;
  cachedDate = 0;
}

/** Caches another second. Returns false if the date or time does not exist; years are 1 to 9999, proleptic Gregorian,
 * without leap seconds. */
export function setSecond(key: u64): bool {
  const hour = ((key >> 32) & 0xff) as i32;
  const minute = ((key >> 40) & 0xff) as i32;
  const second = ((key >> 48) & 0xff) as i32;
  if (hour > 23 || minute > 59 || second > 59) return false;
  const date = key as u32;
  if ((date != cachedDate || date == 0) && !setDate(date)) return false;
  cachedKey = key;
  cachedSecondMs = midnightMs + (((hour * 3600 + minute * 60 + second) * 1000) as i64);
  return true;
}

function setDate(date: u32): bool {
  const year = (date & 0xffff) as i32;
  const month = ((date >> 16) & 0xff) as i32;
  const day = (date >> 24) as i32;
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return false;
  cachedDate = date;
  midnightMs = (daysSince1970(year, month, day) as i64) * 86400000;
  return true;
}

function daysInMonth(year: i32, month: i32): i32 {
  if (month == 2) return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Returns the number of a day since 1970. Years begin in March here, so that the leap day is the last day of its year. 1 January
// is 306 days after 1 March.
function daysSince1970(year: i32, month: i32, day: i32): i32 {
  const y = month > 2 ? year : year - 1;
  const m = month > 2 ? month - 3 : month + 9;
  const leapDays = y / 4 - y / 100 + y / 400;
  const daysBeforeMonth = (153 * m + 2) / 5;
  // 719468: days from 0000-03-01 to 1970-01-01
  return 365 * y + leapDays + daysBeforeMonth + day - 1 - 719468;
}
