// Converts NAV-PVT to rows, and counts rows and ranges. run.ts and src/engine/plain/gnss-rows.ts read the same fields.

import { HALF_MS_NANO, resetClock, secondKey, secondMs, setSecond, wholeMs } from "./clock";
import { hasQuality, storeQuality, storeRow } from "./columns";
import { writeLine } from "./csv";
import { heartRateAt, isDerived } from "./ecg";
import { CLOSED_RANGES, OUTPUT, RANGE_BREAKS } from "./memory";

/** The kinds of output. */
export const OUTPUT_NONE: i32 = 0;
export const OUTPUT_FRAMES: i32 = 1;
export const OUTPUT_CSV: i32 = 2;
export const OUTPUT_COLUMNS: i32 = 3;

/**
 * Rows that are further apart, in either direction, are in different ranges. MAX_GAP_MS in src/metrics/segments.ts and BUCKET_MS
 * in server/src/store/samples/bucket.ts have the same value.
 */
const MAX_GAP_MS: u64 = 300000;

// --- counters of rows ---

export let rows: i32 = 0;
export let rowsWithHr: i32 = 0;
export let rowsWithDerivedHr: i32 = 0;
export let rowsTwoD: i32 = 0;
/** Rows earlier than the previous row. */
export let rowsBackwards: i32 = 0;
export let withoutDateOrTime: i32 = 0;
export let withoutFixOk: i32 = 0;
export let withoutFixType: i32 = 0;
export let outOfRange: i32 = 0;
export let withBadDate: i32 = 0;
// Earliest and latest row of the ranges that have ended.
let earliestMs: i64 = i64.MAX_VALUE;
let latestMs: i64 = i64.MIN_VALUE;

/** The current range: its first row, the previous row, its earliest and latest row, and the number of rows before the range. */
export let rangeStartMs: i64 = 0;
export let previousMs: i64 = 0;
export let rowsBeforeRange: i32 = 0;
let rangeEarliestMs: i64 = 0;
// Whether no row of the range went back in time. If so, the latest row is the last one, and rangeLatestMs is not updated.
let isAscending: bool = false;
let rangeLatestMs: i64 = 0;
// The earliest and latest row of the previous range.
let lastEarliestMs: i64 = 0;
let lastLatestMs: i64 = 0;

// Rows outside these limits are counted, but not produced.
let limited: bool = false;
let fromMs: i64 = 0;
let toMs: i64 = 0;
// The number of produced rows, and the earliest and latest of those in the current range. They are updated only if there are
// limits.
let producedRows: i32 = 0;
let spanEarliestMs: i64 = 0;
let spanLatestMs: i64 = 0;

/** The number of ranges that ended in this step, and of rows in this step that begin the output of another range. */
export let closedRanges: i32 = 0;
export let rangeBreaks: i32 = 0;
// Whether the next produced row is the first of its range, and whether any has been produced.
let breaksRange: bool = true;
let hasSpan: bool = false;

export function resetRows(from: f64, to: f64): void {
  rows = rowsWithHr = rowsWithDerivedHr = rowsTwoD = rowsBackwards = 0;
  withoutDateOrTime = withoutFixOk = withoutFixType = outOfRange = withBadDate = 0;
  earliestMs = i64.MAX_VALUE;
  latestMs = i64.MIN_VALUE;
  producedRows = 0;
  // limits outside the years 0 to 10000 have no effect, and infinity cannot be converted to an integer
  const no_limit: f64 = 1e15;
  limited = from > -no_limit || to < no_limit;
  fromMs = max(-no_limit, min(no_limit, from)) as i64;
  toMs = max(-no_limit, min(no_limit, to)) as i64;
  rowsBeforeRange = 0;
  isAscending = false;
  breaksRange = true;
  hasSpan = false;
  beginStep();
  resetClock();
}

export function beginStep(): void {
  closedRanges = rangeBreaks = 0;
}

/**
 * Reads a NAV-PVT with at least 84 bytes of payload. `cursor` is the position in the output: an address for CSV, an index for
 * columns. Returns the position after the row, or `cursor` if the frame has no row.
 */
// @ts-ignore: decorator
@inline
export function readGnss(outputKind: i32, payload: usize, cursor: usize): usize {
  // year, month, day, hour, minute, second, valid
  const key = load<u64>(payload, 4);
  // This is checked for every frame, because a key of zero is invalid, but equals the key while no second is cached.
  if (((key >> 56) & 3) != 3) {
    withoutDateOrTime++;
    return cursor;
  }
  const sameSecond = key == secondKey();
  const fix: i32 = load<u16>(payload, 20);
  if ((fix & 0x100) == 0) {
    withoutFixOk++;
    return cursor;
  }
  const fixType = fix & 0xff;
  if ((fixType - 2) as u32 > 2) {
    withoutFixType++;
    return cursor;
  }
  const longitudeE7 = load<i32>(payload, 24);
  const latitudeE7 = load<i32>(payload, 28);
  if ((latitudeE7 + 900000000) as u32 > 1800000000 || ((longitudeE7 as u32) + 1800000000) as u32 > 3600000000) {
    outOfRange++;
    return cursor;
  }
  if (!sameSecond && !setSecond(key)) {
    withBadDate++;
    return cursor;
  }
  return acceptRow(outputKind, payload, cursor, latitudeE7, longitudeE7, fixType);
}

// @ts-ignore: decorator
@inline
function acceptRow(outputKind: i32, payload: usize, cursor: usize, latitudeE7: i32, longitudeE7: i32, fixType: i32): usize {
  const second = secondMs();
  const ms = second + roundToMs(load<i32>(payload, 16));
  const hr = heartRateAt(ms);
  countRow(ms);
  if (hr != 0) {
    rowsWithHr++;
    if (isDerived) rowsWithDerivedHr++;
  }
  if (fixType == 2) rowsTwoD++;
  if (limited && (ms < fromMs || ms > toMs)) return cursor;
  if (breaksRange) beginSpan(ms, outputKind == OUTPUT_COLUMNS ? cursor : cursor - OUTPUT);
  if (limited) countProduced(ms);
  const altitudeMm = load<i32>(payload, 36);
  const speedMmPerS = load<i32>(payload, 60);
  if (outputKind == OUTPUT_CSV) {
    return writeLine(cursor, second, ms, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr, fixType);
  }
  if (outputKind == OUTPUT_COLUMNS) {
    storeRow(cursor, ms, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr, fixType);
    if (hasQuality) storeQuality(cursor, payload);
    return cursor + 1;
  }
  return cursor;
}

/** Returns whether later rows within the second of the last row only need to be counted. */
// @ts-ignore: decorator
@inline
export function canCountRun(): bool {
  return isAscending && !limited && !breaksRange;
}

/** Counts rows without further checks. The last of them is at `lastMs`. */
// @ts-ignore: decorator
@inline
export function countRun(count: i32, lastMs: i64): void {
  rows += count;
  previousMs = lastMs;
}

// Converts nanoseconds to milliseconds, rounded half up.
// @ts-ignore: decorator
@inline
function roundToMs(nano: i32): i64 {
  const shifted = (nano + HALF_MS_NANO) as u32;
  if (shifted < 1000500000) return wholeMs(shifted) as i64;
  // floor division; the sum may exceed 32 bits
  const wide = (nano as i64) + HALF_MS_NANO;
  return wide < 0 ? -((999999 - wide) / 1000000) : wide / 1000000;
}

// @ts-ignore: decorator
@inline
function countRow(ms: i64): void {
  // Usually, time advances by at most MAX_GAP_MS, so the row is the latest of its range, and nothing else changes.
  if (((ms - previousMs) as u64) > MAX_GAP_MS || !isAscending) countUnusualRow(ms);
  rows++;
  previousMs = ms;
}

// Counts the first row, rows that go back in time or start another range, and rows after one that went back.
function countUnusualRow(ms: i64): void {
  if (rows > 0 && ms < previousMs) rowsBackwards++;
  if (rows == 0 || ((ms - previousMs + MAX_GAP_MS) as u64) > 2 * MAX_GAP_MS) {
    openRange(ms);
    return;
  }
  if (isAscending) rangeLatestMs = previousMs;
  isAscending = false;
  rangeEarliestMs = min(rangeEarliestMs, ms);
  rangeLatestMs = max(rangeLatestMs, ms);
}

function openRange(ms: i64): void {
  if (rows > 0) {
    const entry = CLOSED_RANGES + 24 * closedRanges;
    store<f64>(entry, rangeStartMs as f64);
    store<f64>(entry, previousMs as f64, 8);
    store<f64>(entry, (rows - rowsBeforeRange) as f64, 16);
    closedRanges++;
    lastEarliestMs = rangeEarliestMs;
    lastLatestMs = rangeLatest();
    earliestMs = min(earliestMs, lastEarliestMs);
    latestMs = max(latestMs, lastLatestMs);
  }
  rangeStartMs = rangeEarliestMs = ms;
  isAscending = true;
  rowsBeforeRange = rows;
  breaksRange = true;
}

function countProduced(ms: i64): void {
  producedRows++;
  spanEarliestMs = min(spanEarliestMs, ms);
  spanLatestMs = max(spanLatestMs, ms);
}

// Records the first produced row of a range: the start of its output, and the earliest and latest produced row of the previous
// range.
function beginSpan(ms: i64, place: usize): void {
  const entry = RANGE_BREAKS + 24 * rangeBreaks;
  store<f64>(entry, place as f64);
  store<f64>(entry, hasSpan ? ((limited ? spanEarliestMs : lastEarliestMs) as f64) : NaN, 8);
  store<f64>(entry, hasSpan ? ((limited ? spanLatestMs : lastLatestMs) as f64) : NaN, 16);
  rangeBreaks++;
  spanEarliestMs = spanLatestMs = ms;
  breaksRange = false;
  hasSpan = true;
}

/** Returns the time of the earliest row in ms. The value is undefined if there are no rows. */
export function earliestRow(): i64 {
  return min(earliestMs, rangeEarliestMs);
}

/** Returns the time of the latest row in ms. The value is undefined if there are no rows. */
export function latestRow(): i64 {
  return max(latestMs, rangeLatest());
}

function rangeLatest(): i64 {
  return isAscending ? previousMs : rangeLatestMs;
}

/** Returns the number of produced rows. */
export function rowsProduced(): i32 {
  return limited ? producedRows : rows;
}

/**
 * Returns the time of the earliest produced row of the last range that has one, in ms. The value is undefined if there are none.
 */
export function spanEarliest(): i64 {
  return limited ? spanEarliestMs : rangeEarliestMs;
}

/**
 * Returns the time of the latest produced row of the last range that has one, in ms. The value is undefined if there are none.
 */
export function spanLatest(): i64 {
  return limited ? spanLatestMs : rangeLatest();
}
