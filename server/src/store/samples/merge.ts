import { allocateColumns, FIX_2D, FIX_3D, type SampleColumns, sliceColumns } from "./columns.js";

/** Result of adding samples. `stored + known` is the number of input samples. */
export interface MergeCounts {
  /** Number of samples with a new time. */
  stored: number;
  /** Number of samples whose time was already stored, by an earlier load or earlier in the same load. */
  known: number;
  /** Number of known samples that added a missing heart rate to a stored sample. */
  hrFilled: number;
}

/** A bucket after adding samples. */
export interface MergedBucket extends MergeCounts {
  /** All samples of the bucket, times strictly ascending. */
  columns: SampleColumns;
  /** First and last time of the samples that are new or gained a heart rate; null when nothing changed. */
  changed: { startMs: number; stopMs: number } | null;
}

/**
 * Returns the indexes of the samples by ascending time; samples with the same time keep their order.
 *
 * @param timestampMs times of `length` samples in any order
 */
export function orderByTime(timestampMs: Float64Array, length: number): Uint32Array {
  const order = new Uint32Array(length);
  let ascending = true;
  for (let i = 0; i < length; i++) {
    order[i] = i;
    if (i > 0 && (timestampMs[i] ?? 0) < (timestampMs[i - 1] ?? 0)) ascending = false;
  }
  if (ascending) return order;
  // Sorting is stable in ECMAScript, so samples with equal times keep the order of the file.
  return order.sort((a, b) => (timestampMs[a] ?? 0) - (timestampMs[b] ?? 0));
}

/**
 * Adds samples to a bucket. A sample is identified by its time. The sample that was stored first is kept, and within one
 * load the first one; a later heart rate fills in a missing one. The result equals adding the samples one by one, so it does not
 * depend on how the samples are divided into loads.
 *
 * @param present samples of the bucket with strictly ascending times; null for a new bucket
 * @param rows    samples of any buckets in the order of their load
 * @param order   indexes into `rows` by ascending time (`orderByTime`)
 * @param from    first entry of `order` that belongs to this bucket
 * @param to      entry of `order` after the last one that belongs to this bucket
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

/** Copies a sample. A sample without altitude gets the altitude 0. */
export function copySample(source: SampleColumns, index: number, target: SampleColumns, at: number): void {
  const is2d = source.fixType[index] === FIX_2D;
  target.timestampMs[at] = source.timestampMs[index] ?? 0;
  target.latitudeE7[at] = source.latitudeE7[index] ?? 0;
  target.longitudeE7[at] = source.longitudeE7[index] ?? 0;
  target.altitudeMm[at] = is2d ? 0 : (source.altitudeMm[index] ?? 0);
  target.speedMmPerS[at] = source.speedMmPerS[index] ?? 0;
  target.hr[at] = source.hr[index] ?? 0;
  target.fixType[at] = is2d ? FIX_2D : FIX_3D;
}
