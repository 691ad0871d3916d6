// Writes lines of the standard CSV as bytes, without creating a string or object for a row. The digits of the second and of the
// whole degrees are cached; all other digits come from tables, three at a time. Writes overlap: each one writes four bytes, and
// the next one overwrites the excess bytes.

/** "ddd," for 0 to 999, as little-endian words. */
const padded = new Int32Array(1000);
/** "d.", "dd." or "ddd.". */
const whole = new Int32Array(1000);
/** "\n", "d\n", "dd\n" or "ddd\n" for a heart rate. */
const lineEnds = new Int32Array(256);
let areTablesFilled = false;

const DOT = 0x2e;
const COMMA = 0x2c;
const MINUS = 0x2d;

/** Writes lines to `bytes`. A line has at most 71 bytes; up to 16 bytes after it may be overwritten. */
export class CsvLines {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  // The second whose digits and dot are cached. Nanoseconds may move a row to a different second.
  #shownSeconds = Number.NaN;
  #shownLength = 0;
  readonly #shown = new Int32Array(4);
  readonly #latitude = new Degrees();
  readonly #longitude = new Degrees();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
    fillTables();
  }

  /**
   * Writes one line at `start`. Returns its end.
   *
   * @param seconds whole seconds since 1970
   * @param ms milliseconds after that, 0 to 999
   * @param altitudeMm undefined if `fixType` is 2
   */
  write(
    start: number,
    seconds: number,
    ms: number,
    latitudeE7: number,
    longitudeE7: number,
    altitudeMm: number,
    speedMmPerS: number,
    hr: number,
    fixType: number,
  ): number {
    let at = this.#putTimestamp(start, seconds, ms);
    at = this.#latitude.put(this.#view, at, latitudeE7);
    at = this.#longitude.put(this.#view, at, longitudeE7);
    if (fixType === 2) this.#bytes[at++] = COMMA;
    else at = this.#putThousandths(at, altitudeMm);
    at = this.#putThousandths(at, speedMmPerS);
    this.#view.setInt32(at, lineEnds[hr] as number, true);
    return at + (hr === 0 ? 1 : hr < 10 ? 2 : hr < 100 ? 3 : 4);
  }

  #putTimestamp(start: number, seconds: number, ms: number): number {
    if (seconds < 0) return this.#putNegativeTimestamp(start, -(seconds * 1000 + ms));
    if (seconds !== this.#shownSeconds) this.#show(seconds);
    const view = this.#view;
    const shown = this.#shown;
    view.setInt32(start, shown[0] as number, true);
    view.setInt32(start + 4, shown[1] as number, true);
    view.setInt32(start + 8, shown[2] as number, true);
    view.setInt32(start + 12, shown[3] as number, true);
    const at = start + this.#shownLength;
    view.setInt32(at, padded[ms] as number, true);
    return at + 4;
  }

  #show(seconds: number): void {
    const text = `${seconds}.`;
    this.#shownSeconds = seconds;
    this.#shownLength = text.length;
    for (let i = 0; i < 4; i++) this.#shown[i] = word(text, 4 * i);
  }

  #putNegativeTimestamp(start: number, absoluteMs: number): number {
    const seconds = Math.floor(absoluteMs / 1000);
    const at = this.#putText(start, `-${seconds}.`);
    this.#view.setInt32(at, padded[absoluteMs - seconds * 1000] as number, true);
    return at + 4;
  }

  /** Writes a number as "[-]d.ddd,". */
  #putThousandths(start: number, value: number): number {
    const view = this.#view;
    let at = start;
    let absolute = value;
    if (value < 0) {
      this.#bytes[at++] = MINUS;
      absolute = -value;
    }
    const ones = Math.floor(absolute / 1000);
    if (ones < 1000) {
      view.setInt32(at, whole[ones] as number, true);
      at += ones < 10 ? 2 : ones < 100 ? 3 : 4;
    } else if (ones < 1_000_000) {
      const thousands = (ones / 1000) | 0;
      view.setInt32(at, whole[thousands] as number, true);
      at += thousands < 10 ? 1 : thousands < 100 ? 2 : 3;
      view.setInt32(at, padded[ones - thousands * 1000] as number, true);
      this.#bytes[at + 3] = DOT;
      at += 4;
    } else {
      at = this.#putText(at, `${ones}.`);
    }
    view.setInt32(at, padded[absolute - ones * 1000] as number, true);
    return at + 4;
  }

  #putText(at: number, text: string): number {
    for (let i = 0; i < text.length; i++) this.#bytes[at + i] = text.charCodeAt(i);
    return at + text.length;
  }
}

const DEGREE_E7 = 10_000_000;

/** Writes degrees. It caches the whole degrees of the last coordinate, because consecutive rows usually have the same ones. */
class Degrees {
  #lowE7 = 0;
  #isNegative = false;
  #length = 2;
  #first = word("0.");
  #second = 0;

  /** Writes degrees as "[-]d.ddddddd,". */
  put(view: DataView, start: number, e7: number): number {
    const isNegative = e7 < 0;
    const absolute = isNegative ? -e7 : e7;
    let decimals = absolute - this.#lowE7;
    if (isNegative !== this.#isNegative || decimals < 0 || decimals >= DEGREE_E7) {
      this.#show(absolute, isNegative);
      decimals = absolute - this.#lowE7;
    }
    view.setInt32(start, this.#first, true);
    view.setInt32(start + 4, this.#second, true);
    const at = start + this.#length;
    const high = (decimals / 10_000) | 0;
    const low = decimals - high * 10_000;
    const middle = (low / 10) | 0;
    view.setInt32(at, padded[high] as number, true);
    view.setInt32(at + 3, padded[middle] as number, true);
    // the last digit and a comma
    view.setInt16(at + 6, 0x2c30 + low - middle * 10, true);
    return at + 8;
  }

  #show(absoluteE7: number, isNegative: boolean): void {
    const degrees = Math.floor(absoluteE7 / DEGREE_E7);
    const text = `${isNegative ? "-" : ""}${degrees}.`;
    this.#lowE7 = degrees * DEGREE_E7;
    this.#isNegative = isNegative;
    this.#length = text.length;
    this.#first = word(text);
    this.#second = word(text, 4);
  }
}

/** Returns up to four characters as a little-endian word. */
function word(text: string, from = 0): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value |= (text.charCodeAt(from + i) & 0xff) << (8 * i);
  return value;
}

function fillTables(): void {
  if (areTablesFilled) return;
  areTablesFilled = true;
  for (let value = 0; value < 1000; value++) {
    padded[value] = word(`${String(value).padStart(3, "0")},`);
    whole[value] = word(`${value}.`);
  }
  for (let rate = 0; rate < 256; rate++) lineEnds[rate] = word(rate === 0 ? "\n" : `${rate}\n`);
}
