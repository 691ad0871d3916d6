import type { CsvPeer, Sink } from "./peer.js";

/*
 * The standard CSV in plain TypeScript, as fast as it gets without WebAssembly: bytes are read and written through
 * DataViews four at a time, sums run in 16-bit lanes, the digits of the second and of the whole degrees are kept,
 * all other digits come from tables of three. No string and no object is made per row.
 */

const OUTPUT_BYTES = 256 * 1024;
const LONGEST_ROW = 96;
const WAITING = 16;

/** "ddd," for 0 to 999, as little-endian words: the comma comes along with the digits. */
const padded = new Int32Array(1000);
/** "d.", "dd." or "ddd.". */
const whole = new Int32Array(1000);
/** "\n", "d\n", "dd\n" or "ddd\n" for a heart rate. */
const lineEnd = new Int32Array(256);
for (let v = 0; v < 1000; v++) {
  padded[v] = word(`${String(v).padStart(3, "0")},`);
  whole[v] = word(`${v}.`);
}
for (let bpm = 0; bpm < 256; bpm++) lineEnd[bpm] = word(bpm === 0 ? "\n" : `${bpm}\n`);

/** Up to four characters as a little-endian word. */
function word(text: string, from = 0): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value |= (text.charCodeAt(from + i) & 0xff) << (8 * i);
  return value;
}

export const tuned: CsvPeer = (recording, sink) => new Converter(recording, sink).run();

/** The whole degrees of the last coordinate: consecutive fixes share them. */
class Degrees {
  low = 0;
  negative = false;
  length = 2;
  first = word("0.");
  second = 0;

  show(magnitude: number, negative: boolean): void {
    const degrees = Math.floor(magnitude / 10_000_000);
    const text = `${negative ? "-" : ""}${degrees}.`;
    this.low = degrees * 10_000_000;
    this.negative = negative;
    this.length = text.length;
    this.first = word(text);
    this.second = word(text, 4);
  }
}

class Converter {
  private readonly input: DataView;
  private readonly output = new Uint8Array(OUTPUT_BYTES);
  private readonly out = new DataView(this.output.buffer);
  private readonly sink: Sink;

  // The civil second of the last fix, as two words of the frame, and what came of it.
  private civilLow = 0;
  private civilHigh = 0;
  private civilExists = false;
  private civilSeconds = 0;
  // The second whose digits are kept: the nanoseconds may move a fix across its border.
  private shownSeconds = Number.NaN;
  private shownLength = 0;
  private readonly shownWords = new Int32Array(5);

  private readonly latitude = new Degrees();
  private readonly longitude = new Degrees();
  private readonly readingMs = new Float64Array(WAITING);
  private readonly readingBpm = new Uint8Array(WAITING);
  private waiting = 0;

  constructor(recording: Uint8Array, sink: Sink) {
    this.input = new DataView(recording.buffer, recording.byteOffset, recording.byteLength);
    this.sink = sink;
  }

  run(): void {
    const { input } = this;
    const size = input.byteLength;
    let o = new TextEncoder().encodeInto(
      "timestamp,latitude,longitude,altitude,speed,hr\n",
      this.output,
    ).written;
    let at = 0;
    while (at + 8 <= size) {
      const head = input.getInt32(at, true);
      if ((head & 0xffff) !== 0x62b5) {
        at++;
        continue;
      }
      const length = input.getUint16(at + 4, true);
      const end = at + 6 + length;
      if (length > 8192 || end + 2 > size || checksum(input, at + 2, end) !== input.getUint16(end, true)) {
        at++;
        continue;
      }
      const kind = head >>> 16;
      if (kind === 0x0701 && length >= 84) {
        o = this.putRow(at + 6, o);
        if (o > OUTPUT_BYTES - LONGEST_ROW) {
          this.sink(this.output.subarray(0, o));
          o = 0;
        }
      } else if (kind === 0x01a5 && length >= 12 && length === 12 + 2 * input.getUint8(at + 16)) {
        this.addReading(at + 6);
      }
      at = end + 2;
    }
    if (o > 0) this.sink(this.output.subarray(0, o));
  }

  private putRow(payload: number, start: number): number {
    const { input, out } = this;
    const low = input.getInt32(payload + 4, true);
    const high = input.getInt32(payload + 8, true);
    if (low !== this.civilLow || high !== this.civilHigh) this.readCivil(low, high);
    const fixType = input.getUint8(payload + 20);
    if (!this.civilExists || fixType < 2 || fixType > 4 || (input.getUint8(payload + 21) & 1) === 0)
      return start;
    const longitude = input.getInt32(payload + 24, true);
    const latitude = input.getInt32(payload + 28, true);
    if (latitude > 900_000_000 || latitude < -900_000_000) return start;
    if (longitude > 1_800_000_000 || longitude < -1_800_000_000) return start;

    const nano = input.getInt32(payload + 16, true);
    let seconds = this.civilSeconds;
    let ms: number;
    if (nano >= -500_000 && nano < 999_500_000) {
      ms = ((nano + 500_000) / 1_000_000) | 0;
    } else {
      const rounded = Math.floor((nano + 500_000) / 1_000_000);
      const carried = Math.floor(rounded / 1000);
      seconds += carried;
      ms = rounded - carried * 1000;
    }
    let o = start;
    if (seconds !== this.shownSeconds) this.showSeconds(seconds);
    if (this.shownLength !== 0) {
      const { shownWords } = this;
      out.setInt32(o, shownWords[0] ?? 0, true);
      out.setInt32(o + 4, shownWords[1] ?? 0, true);
      out.setInt32(o + 8, shownWords[2] ?? 0, true);
      o += this.shownLength;
      out.setInt32(o, padded[ms] ?? 0, true);
      o += 4;
    } else {
      o = this.putText(o, `${((seconds * 1000 + ms) / 1000).toFixed(3)},`);
    }
    o = putDegrees(out, o, this.latitude, latitude);
    o = putDegrees(out, o, this.longitude, longitude);
    if (fixType === 2) this.output[o++] = 0x2c;
    else o = this.putMillimetres(o, input.getInt32(payload + 36, true));
    o = this.putMillimetres(o, input.getInt32(payload + 60, true));
    const bpm = this.waiting === 0 ? 0 : this.takeReading(seconds * 1000 + ms);
    out.setInt32(o, lineEnd[bpm] ?? 0, true);
    return o + (bpm === 0 ? 1 : bpm < 10 ? 2 : bpm < 100 ? 3 : 4);
  }

  private readCivil(low: number, high: number): void {
    this.civilLow = low;
    this.civilHigh = high;
    const year = low & 0xffff;
    const month = (low >>> 16) & 0xff;
    const day = low >>> 24;
    const hour = high & 0xff;
    const minute = (high >>> 8) & 0xff;
    const second = (high >>> 16) & 0xff;
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    this.civilExists =
      ((high >>> 24) & 3) === 3 &&
      year >= 1 &&
      year <= 9999 &&
      date.getUTCMonth() === month - 1 &&
      date.getUTCDate() === day &&
      hour <= 23 &&
      minute <= 59 &&
      second <= 59;
    this.civilSeconds = date.setUTCHours(hour, minute, second) / 1000;
  }

  private showSeconds(seconds: number): void {
    this.shownSeconds = seconds;
    const text = `${seconds}.`;
    // Twelve bytes are written at once: a longer or a negative time takes the slow way.
    this.shownLength = seconds < 0 || text.length > 12 ? 0 : text.length;
    for (let i = 0; i < 3; i++) this.shownWords[i] = word(text, 4 * i);
  }

  private putText(o: number, text: string): number {
    for (let i = 0; i < text.length; i++) this.output[o + i] = text.charCodeAt(i);
    return o + text.length;
  }

  /** "[-]metres.ddd," */
  private putMillimetres(start: number, mm: number): number {
    let o = start;
    let magnitude = mm;
    if (mm < 0) {
      this.output[o++] = 0x2d;
      magnitude = -mm;
    }
    const metres = Math.floor(magnitude / 1000);
    if (metres < 1000) {
      this.out.setInt32(o, whole[metres] ?? 0, true);
      o += metres < 10 ? 2 : metres < 100 ? 3 : 4;
    } else {
      o = this.putText(o, `${metres}.`);
    }
    this.out.setInt32(o, padded[magnitude - metres * 1000] ?? 0, true);
    return o + 4;
  }

  private addReading(payload: number): void {
    const { input, readingMs, readingBpm } = this;
    const bpm = input.getUint8(payload + 8);
    if (bpm === 0) return;
    if (this.waiting === WAITING) {
      readingMs.copyWithin(0, 1);
      readingBpm.copyWithin(0, 1);
      this.waiting--;
    }
    readingMs[this.waiting] = input.getUint32(payload, true) + input.getUint32(payload + 4, true) * 2 ** 32;
    readingBpm[this.waiting++] = bpm;
  }

  /** The latest reading not after the row, if younger than a second; all not after it go. */
  private takeReading(timestampMs: number): number {
    const { readingMs, readingBpm } = this;
    let latest = Number.NEGATIVE_INFINITY;
    let bpm = 0;
    let kept = 0;
    for (let i = 0; i < this.waiting; i++) {
      const time = readingMs[i] ?? 0;
      if (time > timestampMs) {
        readingMs[kept] = time;
        readingBpm[kept++] = readingBpm[i] ?? 0;
      } else if (time >= latest) {
        latest = time;
        bpm = readingBpm[i] ?? 0;
      }
    }
    this.waiting = kept;
    return timestampMs - latest < 1000 ? bpm : 0;
  }
}

/** "[-]degrees.ddddddd," */
function putDegrees(out: DataView, start: number, degrees: Degrees, e7: number): number {
  const negative = e7 < 0;
  const magnitude = negative ? -e7 : e7;
  let fraction = magnitude - degrees.low;
  if (negative !== degrees.negative || fraction < 0 || fraction >= 10_000_000) {
    degrees.show(magnitude, negative);
    fraction = magnitude - degrees.low;
  }
  out.setInt32(start, degrees.first, true);
  out.setInt32(start + 4, degrees.second, true);
  const o = start + degrees.length;
  const high = (fraction / 10_000) | 0;
  const low = fraction - high * 10_000;
  const middle = (low / 10) | 0;
  out.setInt32(o, padded[high] ?? 0, true);
  out.setInt32(o + 3, padded[middle] ?? 0, true);
  out.setInt16(o + 6, 0x2c30 + low - middle * 10, true);
  return o + 8;
}

/**
 * 8-bit Fletcher checksum (RFC 1145) of [from, to): first sum in the low byte, second in the next. Four bytes a step:
 * `even` and `odd` hold the sums of every fourth byte in 16-bit lanes, `evenSums` and `oddSums` their running sums.
 * Eight steps fit a lane before it must be cut back to its low byte.
 */
function checksum(view: DataView, from: number, to: number): number {
  let even = 0;
  let odd = 0;
  let evenSums = 0;
  let oddSums = 0;
  let at = from;
  while (at + 4 <= to) {
    const stop = Math.min(at + 32, to - 3);
    for (; at < stop; at += 4) {
      const bytes = view.getInt32(at, true);
      even = (even + (bytes & 0xff00ff)) | 0;
      odd = (odd + ((bytes >>> 8) & 0xff00ff)) | 0;
      evenSums = (evenSums + even) | 0;
      oddSums = (oddSums + odd) | 0;
    }
    even &= 0xff00ff;
    odd &= 0xff00ff;
    evenSums &= 0xff00ff;
    oddSums &= 0xff00ff;
  }
  const e0 = even & 0xff;
  const o0 = odd & 0xff;
  const e1 = even >>> 16;
  const o1 = odd >>> 16;
  let a = e0 + o0 + e1 + o1;
  // Byte k of a word counts 4 × (words left, its own included) - k times.
  const sums = (evenSums & 0xff) + (oddSums & 0xff) + (evenSums >>> 16) + (oddSums >>> 16);
  let b = 4 * sums - o0 - 2 * e1 - 3 * o1;
  for (; at < to; at++) {
    a += view.getUint8(at);
    b += a;
  }
  return (a & 0xff) | ((b & 0xff) << 8);
}
