import { requireColumns, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { checkQuality, copyQuality, newQuality, qualityBetween } from "../metrics/quality.js";
import type { SampleBatch } from "../types.js";

const COLUMN_TYPES = {
  timestampMs: "Float64Array",
  latitudeE7: "Int32Array",
  longitudeE7: "Int32Array",
  altitudeMm: "Int32Array",
  speedMmPerS: "Int32Array",
  hr: "Uint8Array",
  fixType: "Uint8Array",
} as const satisfies Record<Exclude<keyof SampleBatch, "length" | "quality">, string>;

/** Throws `BAD_ARGUMENT` unless every column has the correct type and at least `length` entries. */
export function checkBatch(batch: SampleBatch): void {
  if (typeof batch !== "object" || batch === null) {
    throw bad(`The samples are ${shown(batch)}; pass columns as decode returns them.`);
  }
  const { length } = batch;
  if (!Number.isSafeInteger(length) || length < 0) {
    throw bad(`length is ${shown(length)}; it must be the number of samples.`);
  }
  requireColumns(batch, COLUMN_TYPES, length);
  if (batch.quality !== undefined) checkQuality(batch.quality, length);
}

/**
 * Concatenates the rows of all batches, in their order, in newly allocated memory.
 * @throws AsiError `BAD_ARGUMENT`
 */
export function joinBatches(batches: readonly SampleBatch[]): SampleBatch {
  if (!Array.isArray(batches)) throw bad(`The batches are ${shown(batches)}; pass an array of columns.`);
  for (const batch of batches) checkBatch(batch);
  const hasQuality = batches[0]?.quality !== undefined;
  if (batches.some(({ quality }) => (quality !== undefined) !== hasQuality)) {
    throw bad(
      "Some batches have the columns of quality, and others do not; decode all of them with quality.",
    );
  }
  const joined = newBatch(
    batches.reduce((sum, batch) => sum + batch.length, 0),
    hasQuality,
  );
  let at = 0;
  for (const batch of batches) {
    copyRows(batch, 0, batch.length, joined, at);
    at += batch.length;
  }
  return joined;
}

/**
 * Returns the rows `from` to `to` (exclusive) of a batch, in the same memory.
 * @throws AsiError `BAD_ARGUMENT`
 */
export function rowsBetween(batch: SampleBatch, from: number, to: number): SampleBatch {
  checkBatch(batch);
  if (
    !Number.isSafeInteger(from) ||
    !Number.isSafeInteger(to) ||
    !(from >= 0 && from <= to && to <= batch.length)
  ) {
    throw bad(
      `The rows are ${shown(from)} to ${shown(to)}; they must be numbers of rows from 0 to ${batch.length}.`,
    );
  }
  return {
    length: to - from,
    timestampMs: batch.timestampMs.subarray(from, to),
    latitudeE7: batch.latitudeE7.subarray(from, to),
    longitudeE7: batch.longitudeE7.subarray(from, to),
    altitudeMm: batch.altitudeMm.subarray(from, to),
    speedMmPerS: batch.speedMmPerS.subarray(from, to),
    hr: batch.hr.subarray(from, to),
    fixType: batch.fixType.subarray(from, to),
    ...(batch.quality !== undefined && { quality: qualityBetween(batch.quality, from, to) }),
  };
}

/** Returns a copy of a batch in newly allocated memory. */
export function copyBatch(batch: SampleBatch): SampleBatch {
  return joinBatches([batch]);
}

/** Copies the rows from `from` to `to` (exclusive) to another batch, starting at its row `at`. */
export function copyRows(batch: SampleBatch, from: number, to: number, into: SampleBatch, at: number): void {
  into.timestampMs.set(batch.timestampMs.subarray(from, to), at);
  into.latitudeE7.set(batch.latitudeE7.subarray(from, to), at);
  into.longitudeE7.set(batch.longitudeE7.subarray(from, to), at);
  into.altitudeMm.set(batch.altitudeMm.subarray(from, to), at);
  into.speedMmPerS.set(batch.speedMmPerS.subarray(from, to), at);
  into.hr.set(batch.hr.subarray(from, to), at);
  into.fixType.set(batch.fixType.subarray(from, to), at);
  if (batch.quality !== undefined && into.quality !== undefined) {
    copyQuality(qualityBetween(batch.quality, from, to), into.quality, at);
  }
}

/** Returns the rows from one time (inclusive) to another (exclusive), in order; the batch itself if it contains no others. */
export function rowsOfTime(batch: SampleBatch, startMs: number, endMs: number): SampleBatch {
  const isOf = (ms: number) => ms >= startMs && ms < endMs;
  const times = batch.timestampMs.subarray(0, batch.length);
  if (times.every(isOf)) return batch;
  const found = newBatch(times.filter(isOf).length);
  let at = 0;
  times.forEach((ms, row) => {
    if (isOf(ms)) copyRow(batch, row, found, at++);
  });
  return found;
}

/** Copies one row to the row `at` of another batch. It is much faster than `copyRows` for a single row. */
export function copyRow(batch: SampleBatch, row: number, into: SampleBatch, at: number): void {
  into.timestampMs[at] = batch.timestampMs[row] as number;
  into.latitudeE7[at] = batch.latitudeE7[row] as number;
  into.longitudeE7[at] = batch.longitudeE7[row] as number;
  into.altitudeMm[at] = batch.altitudeMm[row] as number;
  into.speedMmPerS[at] = batch.speedMmPerS[row] as number;
  into.hr[at] = batch.hr[row] as number;
  into.fixType[at] = batch.fixType[row] as number;
  if (batch.quality !== undefined && into.quality !== undefined) {
    into.quality.satellites[at] = batch.quality.satellites[row] as number;
    into.quality.speedAccuracyMmPerS[at] = batch.quality.speedAccuracyMmPerS[row] as number;
    into.quality.pdopHundredths[at] = batch.quality.pdopHundredths[row] as number;
  }
}

// f64, four i32, two u8
const BYTES_PER_ROW = 26;

/** 155 days at 10 rows per second, which take 3.5 GB. */
const MAX_ROWS = 2 ** 27;

/**
 * Allocates a batch of `length` rows, at most 134,217,728, with all values zero. All columns share one buffer, because
 * allocations dominate the cost of a small batch.
 *
 * @param hasQuality whether the batch has the columns of `quality`, in separate memory; default false
 * @throws AsiError `BAD_ARGUMENT`
 */
export function newBatch(length: number, hasQuality = false): SampleBatch {
  if (!Number.isSafeInteger(length) || length < 0 || length > MAX_ROWS) {
    throw bad(`The length is ${shown(length)}; it must be a number of rows from 0 to ${MAX_ROWS}.`);
  }
  const batch = batchIn(new ArrayBuffer(BYTES_PER_ROW * length), 0, length);
  if (hasQuality) batch.quality = newQuality(length);
  return batch;
}

/**
 * Creates consecutive columns in a buffer, with space for `capacity` rows, of which `length` are used. The widest column is
 * first, so all columns are aligned if the first one is.
 */
export function batchIn(buffer: ArrayBuffer, at: number, capacity: number, length = capacity): SampleBatch {
  return {
    length,
    timestampMs: new Float64Array(buffer, at, length),
    latitudeE7: new Int32Array(buffer, at + 8 * capacity, length),
    longitudeE7: new Int32Array(buffer, at + 12 * capacity, length),
    altitudeMm: new Int32Array(buffer, at + 16 * capacity, length),
    speedMmPerS: new Int32Array(buffer, at + 20 * capacity, length),
    hr: new Uint8Array(buffer, at + 24 * capacity, length),
    fixType: new Uint8Array(buffer, at + 25 * capacity, length),
  };
}

function bad(message: string): AsiError {
  return new AsiError("BAD_ARGUMENT", message);
}
