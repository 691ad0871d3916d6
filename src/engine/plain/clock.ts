const MS_PER_DAY = 86_400_000;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Converts civil UTC to seconds since 1970. Caches the last second, which contains nine of ten rows at 10 Hz. */
export class Clock {
  /** The last second, s since 1970. */
  seconds = 0;
  // The year, month and day of this second, and its hour, minute, second and `valid`, as in the frame. Neither number is zero in
  // a frame with a valid date and time.
  #low = 0;
  #high = 0;

  reset(): void {
    this.#low = 0;
    this.#high = 0;
  }

  /**
   * Reads the eight bytes from year to `valid` of a NAV-PVT. Returns false if the date or time does not exist. Years are 1 to
   * 9999, proleptic Gregorian; there are no leap seconds.
   */
  read(low: number, high: number): boolean {
    return (low === this.#low && high === this.#high) || this.#readOther(low, high);
  }

  #readOther(low: number, high: number): boolean {
    const year = low & 0xffff;
    const month = (low >>> 16) & 0xff;
    const day = low >>> 24;
    const hour = high & 0xff;
    const minute = (high >>> 8) & 0xff;
    const second = (high >>> 16) & 0xff;
    if (hour > 23 || minute > 59 || second > 59) return false;
    if (year < 1 || year > 9999 || day < 1 || day > daysInMonth(year, month)) return false;
    this.#low = low;
    this.#high = high;
    // Date.UTC maps the years 0 to 99 to 1900 to 1999; the calendar repeats every 400 years
    const days = Date.UTC(year + 400, month - 1, day) / MS_PER_DAY - DAYS_IN_400_YEARS;
    this.seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    return true;
  }
}

const DAYS_IN_400_YEARS = 146_097;

// returns 0 if the month does not exist
function daysInMonth(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeapYear ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}
