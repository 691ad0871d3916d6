import { allocateColumns, FIX_2D, FIX_3D, type SampleColumns, sliceColumns } from "./columns.js";

/** What became of rows that were added. `stored + known` is the number of rows. */
export interface MergeCounts {
  /** Rows whose time was not there yet. */
  stored: number;
  /** Rows whose time was there already, from an earlier load or an earlier row of the same one. */
  known: number;
  /** Of the known rows, those that gave their sample the heart rate that it lacked. */
  hrFilled: number;
}

/** A bucket after rows were added to it. */
export interface MergedBucket extends MergeCounts {
  /** All samples of the bucket, times strictly ascending. */
  columns: SampleColumns;
  /** First and last time of the samples that are new or gained a heart rate; null when nothing changed. */
  changed: { startMs: number; stopMs: number } | null;
}

/**
 * Indexes of the rows by ascending time; rows of one time stay in their order.
 *
 * @param timestampMs times of `length` rows in any order
 */
export function orderByTime(timestampMs: Float64Array, length: number): Uint32Array {
  const order = new Uint32Array(length);
  let ascending = true;
  for (let i = 0; i < length; i++) {
    order[i] = i;
    if (i > 0 && (timestampMs[i] ?? 0) < (timestampMs[i - 1] ?? 0)) ascending = false;
  }
  if (ascending) return order;
  // ECMAScript sorts are stable: equal times stay in file order.
  return order.sort((a, b) => (timestampMs[a] ?? 0) - (timestampMs[b] ?? 0));
}

/**
 * Adds rows to the samples of a bucket by this rule: a sample is known by its time; the first
 * one stored wins, within one load the first row; a later heart rate fills one that is missing. The outcome is that of
 * adding the rows one by one, so it does not matter into how many loads they are cut.
 *
 * @param present the bucket's samples, times strictly ascending; null when the bucket is new
 * @param rows    rows of any buckets in the order of their load
 * @param order   indexes into `rows` by ascending time (`orderByTime`)
 * @param from    first entry of `order` that belongs to this bucket
 * @param to      entry of `order` behind the last that belongs to this bucket
 */
export function mergeIntoBucket(
  present: SampleColumns | null,
  rows: SampleColumns,
  order: Uint32Array,
  from: number,
  to: number,
): MergedBucket {
  const presentLength = present?.length ?? 0;
  const merged = allocateColumns(presentLength + to - from);
  let size = 0;
  let stored = 0;
  let hrFilled = 0;
  let firstChangeMs = Number.NaN;
  let lastChangeMs = Number.NaN;
  let nextPresent = 0;
  let next = from;

  while (nextPresent < presentLength || next < to) {
    const presentMs = timeAt(present, nextPresent);
    const rowMs = next < to ? (rows.timestampMs[order[next] ?? 0] ?? 0) : Number.POSITIVE_INFINITY;
    const timestampMs = Math.min(presentMs, rowMs);
    let changed = false;
    if (present !== null && presentMs <= rowMs) {
      copySample(present, nextPresent++, merged, size);
    } else {
      copySample(rows, order[next++] ?? 0, merged, size);
      stored++;
      changed = true;
    }
    while (next < to) {
      const row = order[next] ?? 0;
      if (rows.timestampMs[row] !== timestampMs) break;
      next++;
      const hr = rows.hr[row] ?? 0;
      if (merged.hr[size] === 0 && hr !== 0) {
        merged.hr[size] = hr;
        hrFilled++;
        changed = true;
      }
    }
    if (changed) {
      if (Number.isNaN(firstChangeMs)) firstChangeMs = timestampMs;
      lastChangeMs = timestampMs;
    }
    size++;
  }

  return {
    columns: sliceColumns(merged, 0, size),
    stored,
    known: to - from - stored,
    hrFilled,
    changed: stored + hrFilled === 0 ? null : { startMs: firstChangeMs, stopMs: lastChangeMs },
  };
}

function timeAt(columns: SampleColumns | null, index: number): number {
  if (columns === null || index >= columns.length) return Number.POSITIVE_INFINITY;
  return columns.timestampMs[index] ?? 0;
}

function copySample(source: SampleColumns, index: number, target: SampleColumns, at: number): void {
  const is2d = source.fixType[index] === FIX_2D;
  target.timestampMs[at] = source.timestampMs[index] ?? 0;
  target.latitudeE7[at] = source.latitudeE7[index] ?? 0;
  target.longitudeE7[at] = source.longitudeE7[index] ?? 0;
  target.altitudeMm[at] = is2d ? 0 : (source.altitudeMm[index] ?? 0);
  target.speedMmPerS[at] = source.speedMmPerS[index] ?? 0;
  target.hr[at] = source.hr[index] ?? 0;
  target.fixType[at] = is2d ? FIX_2D : FIX_3D;
}
