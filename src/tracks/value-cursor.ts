// An integer with up to this many digits is exact. Divided by a power of ten, it is the double nearest to the decimal number,
// which `Number` also returns.
const MAX_DIGITS = 15;
const POWERS_OF_10 = Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
/** `Date.UTC` treats some earlier years as years of the 20th century. */
const MIN_YEAR = 100;
const MS_PER_HOUR = 3_600_000;
const MS_PER_MINUTE = 60_000;

/**
 * Reads known texts, numbers and times one after another. It reads only numbers without an exponent, and times in UTC, with the
 * same results as `numberOf` and `instantOf`.
 */
export class ValueCursor {
  at = 0;
  #text = "";
  /** Number of digits of the last integer. */
  #digits = 0;
  /** The last day, such as 20240511, and its start, ms since 1970 UTC. */
  #day = Number.NaN;
  #dayMs = 0;

  moveTo(text: string, at: number): void {
    this.#text = text;
    this.at = at;
  }

  /** Moves past `known`. Returns false if a different text follows. */
  skip(known: string): boolean {
    const from = this.at;
    this.at += known.length;
    // this takes a fifth of the time that `startsWith` takes, which compares character by character
    return this.#text.slice(from, this.at) === known;
  }

  /** Moves past a number, and returns it; NaN for any other text. */
  number(): number {
    const isNegative = this.#isNext(MINUS);
    const from = this.at;
    let value = this.#integer();
    let digits = this.#digits;
    if (digits === 0) return Number.NaN;
    if (this.#isNext(POINT)) {
      const fraction = this.#integer();
      const scale = POWERS_OF_10[this.#digits];
      if (this.#digits === 0) return Number.NaN;
      digits += this.#digits;
      if (scale !== undefined) value = (value * scale + fraction) / scale;
    }
    if (digits > MAX_DIGITS) value = Number(this.#text.slice(from, this.at));
    return isNegative ? -value : value;
  }

  /** Moves past a time such as 2024-05-11T09:30:00.100Z, and returns it in ms since 1970 UTC; NaN for any other text. */
  time(): number {
    const year = this.#part(4, MINUS);
    const month = this.#part(2, MINUS);
    const day = this.#part(2, LETTER_T);
    const hour = this.#part(2, COLON);
    const minute = this.#part(2, COLON);
    const second = this.#integer();
    if (this.#digits !== 2 || !(hour <= 24 && minute <= 59 && second <= 60)) return Number.NaN;
    const fraction = this.#isNext(POINT) ? this.#fraction() : 0;
    if (!this.#isNext(LETTER_Z)) return Number.NaN;
    const secondMs = 1000 * second + Math.round(fraction * 1000);
    return this.#dayStart(year, month, day) + hour * MS_PER_HOUR + minute * MS_PER_MINUTE + secondMs;
  }

  /** Moves past the digits after a decimal point, and returns them as a number less than 1; NaN if there are none or too many. */
  #fraction(): number {
    const value = this.#integer();
    return this.#digits === 0 ? Number.NaN : value / (POWERS_OF_10[this.#digits] ?? Number.NaN);
  }

  #dayStart(year: number, month: number, day: number): number {
    const number = (year * 100 + month) * 100 + day;
    if (number !== this.#day) {
      const date = new Date(Date.UTC(year, month - 1, day));
      const exists = year >= MIN_YEAR && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
      this.#day = number;
      this.#dayMs = exists ? date.getTime() : Number.NaN;
    }
    return this.#dayMs;
  }

  /**
   * Moves past an integer with `digits` digits and the character `sign` after it, and returns the integer; NaN for any other
   * text.
   */
  #part(digits: number, sign: number): number {
    const value = this.#integer();
    return this.#digits === digits && this.#isNext(sign) ? value : Number.NaN;
  }

  /** Moves past a sequence of digits, which may be empty, and returns its value, which is exact for up to `MAX_DIGITS` digits. */
  #integer(): number {
    const text = this.#text;
    const from = this.at;
    let at = from;
    let value = 0;
    for (;;) {
      const digit = text.charCodeAt(at) - ZERO;
      // the comparison is also false at the end of the text, where the code is NaN
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
      at += 1;
    }
    this.at = at;
    this.#digits = at - from;
    return value;
  }

  #isNext(sign: number): boolean {
    const isNext = this.#text.charCodeAt(this.at) === sign;
    if (isNext) this.at += 1;
    return isNext;
  }
}
