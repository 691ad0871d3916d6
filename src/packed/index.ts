import { shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { checkBatch, joinBatches, newBatch, rowsBetween } from "../rows/sample-batch.js";
import type { SampleBatch } from "../types.js";
import { BitReader, BitWriter } from "./bits.js";
import { fewestBits, readColumn, writeColumn } from "./column.js";

export { fromBase64, toBase64 } from "./base64.js";

const VERSION = 1;
const COUNT_BITS = 32;
const HALF_COUNT = 2 ** 16;
const NO_ALTITUDE = 2;

// the years 0 to 9999
const EARLIEST_MS = -62_167_219_200_000;
const LATEST_MS = 253_402_300_799_999;

/**
 * Packs samples for a file or a response. For recordings at 10 Hz, a row takes about 3 bytes instead of 26. docs/report-file.md
 * describes the layout. Packing is lossless, except for the altitude of two-dimensional fixes, which is undefined. The order of
 * the samples and repeated samples are preserved.
 *
 * @param samples a batch of `decode`, or several
 * @throws AsiError `BAD_ARGUMENT` for invalid samples, and times that are not integers in the years 0 to 9999
 */
export function packSamples(samples: SampleBatch | Iterable<SampleBatch>): Uint8Array {
  const batch = joined(samples);
  checkTimes(batch);
  const heard = rowsWhere(batch.length, (row) => batch.hr[row] !== 0);
  const high = rowsWhere(batch.length, (row) => batch.fixType[row] !== NO_ALTITUDE);
  const bits = new BitWriter();
  bits.write(VERSION, 8);
  writeCount(bits, batch.length);
  writeCount(bits, heard.length);
  writeColumn(bits, batch.timestampMs);
  writeColumn(bits, batch.latitudeE7);
  writeColumn(bits, batch.longitudeE7);
  writeColumn(bits, batch.speedMmPerS);
  writeColumn(bits, batch.fixType);
  writeColumn(
    bits,
    Int32Array.from(high, (row) => batch.altitudeMm[row] ?? 0),
  );
  writeColumn(bits, heard);
  writeColumn(
    bits,
    Uint8Array.from(heard, (row) => batch.hr[row] ?? 0),
  );
  return bits.finish();
}

/**
 * Unpacks the output of {@link packSamples}. Constant rows take a fraction of a byte when packed, so the result can take up to
 * several hundred times as much memory as the input.
 *
 * @returns one batch in newly allocated memory; the altitude of two-dimensional fixes is 0
 * @throws AsiError `BAD_ARGUMENT` for bytes that are truncated, damaged or of a different version
 */
export function unpackSamples(bytes: Uint8Array): SampleBatch {
  if (Object.prototype.toString.call(bytes) !== "[object Uint8Array]") {
    throw new AsiError("BAD_ARGUMENT", `The packed samples are ${shown(bytes)}; pass a Uint8Array.`);
  }
  const bits = new BitReader(bytes);
  const version = bits.read(8);
  if (version !== VERSION) {
    const found = version < 0 ? "no version" : `version ${version}`;
    throw damaged(`they have ${found} instead of version ${VERSION}`);
  }
  const length = readCount(bits);
  const heardLength = readCount(bits);
  // The number of bits limits the number of rows that the header can claim.
  if (length < 0 || heardLength < 0 || heardLength > length || bits.bitsLeft < 5 * fewestBits(length)) {
    throw damaged("they are too short for their number of rows");
  }
  const batch = newBatch(length);
  readInto(bits, "timestampMs", batch.timestampMs, EARLIEST_MS, LATEST_MS);
  readInto(bits, "latitudeE7", batch.latitudeE7, -(2 ** 31), 2 ** 31 - 1);
  readInto(bits, "longitudeE7", batch.longitudeE7, -(2 ** 31), 2 ** 31 - 1);
  readInto(bits, "speedMmPerS", batch.speedMmPerS, -(2 ** 31), 2 ** 31 - 1);
  readInto(bits, "fixType", batch.fixType, 0, 255);
  const high = rowsWhere(length, (row) => batch.fixType[row] !== NO_ALTITUDE);
  const altitudes = new Int32Array(high.length);
  readInto(bits, "altitudeMm", altitudes, -(2 ** 31), 2 ** 31 - 1);
  high.forEach((row, i) => {
    batch.altitudeMm[row] = altitudes[i] ?? 0;
  });
  const heard = new Uint32Array(heardLength);
  readInto(bits, "rows with hr", heard, 0, length - 1);
  const heartRates = new Uint8Array(heardLength);
  readInto(bits, "hr", heartRates, 1, 255);
  let previousRow = -1;
  heard.forEach((row, i) => {
    if (row <= previousRow) throw damaged("the rows with hr are not in ascending order");
    previousRow = row;
    batch.hr[row] = heartRates[i] ?? 0;
  });
  if (bits.bitsLeft >= 8 || bits.read(bits.bitsLeft) !== 0) throw damaged("bytes follow their end");
  return batch;
}

function joined(samples: SampleBatch | Iterable<SampleBatch>): SampleBatch {
  const isIterable = typeof samples === "object" && samples !== null && Symbol.iterator in samples;
  const batches = isIterable ? [...samples] : [samples];
  batches.forEach(checkBatch);
  return joinBatches(batches.map(exactly));
}

// Shortens columns to `length` entries.
const exactly = (batch: SampleBatch): SampleBatch => rowsBetween(batch, 0, batch.length);

function checkTimes({ timestampMs }: SampleBatch): void {
  const bad = timestampMs.findIndex((ms) => !(ms >= EARLIEST_MS && ms <= LATEST_MS && Number.isInteger(ms)));
  if (bad < 0) return;
  throw new AsiError(
    "BAD_ARGUMENT",
    `timestampMs[${bad}] is ${timestampMs[bad]}; it must be an integer, ms since 1970, in the years 0 to 9999.`,
  );
}

function rowsWhere(length: number, holds: (row: number) => boolean): Uint32Array {
  let count = 0;
  for (let row = 0; row < length; row++) if (holds(row)) count++;
  const rows = new Uint32Array(count);
  let at = 0;
  for (let row = 0; row < length; row++) if (holds(row)) rows[at++] = row;
  return rows;
}

function writeCount(bits: BitWriter, count: number): void {
  bits.write(Math.floor(count / HALF_COUNT), COUNT_BITS / 2);
  bits.write(count % HALF_COUNT, COUNT_BITS / 2);
}

// Reads a count. A negative result means that the input has ended.
function readCount(bits: BitReader): number {
  const high = bits.read(COUNT_BITS / 2);
  const low = bits.read(COUNT_BITS / 2);
  return high < 0 || low < 0 ? -1 : high * HALF_COUNT + low;
}

type IntegerColumn = Float64Array | Int32Array | Uint32Array | Uint8Array;

function readInto(bits: BitReader, name: string, column: IntegerColumn, least: number, most: number): void {
  const values = column instanceof Float64Array ? column : new Float64Array(column.length);
  if (!readColumn(bits, values)) throw damaged(`the column ${name} cannot be read`);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? Number.NaN;
    if (value >= least && value <= most && Number.isInteger(value)) continue;
    throw damaged(`${name} of row ${i} is out of range`);
  }
  if (values !== column) column.set(values);
}

function damaged(what: string): AsiError {
  return new AsiError("BAD_ARGUMENT", `The packed samples are damaged: ${what}. Pack the recording again.`);
}
