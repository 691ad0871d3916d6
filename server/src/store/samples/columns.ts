/**
 * Samples as columns of integers. Each column has at least `length` entries; further entries have no meaning.
 *
 * Compatible with `SampleBatch` of `asi-convert`, so that its batches can be stored, and stored samples can be formatted by it,
 * without a conversion.
 */
export interface SampleColumns {
  /** Number of samples. */
  length: number;
  /** ms since 1970 UTC, integers; negative before 1970. */
  timestampMs: Float64Array;
  /** 1e-7 degrees. */
  latitudeE7: Int32Array;
  /** 1e-7 degrees. */
  longitudeE7: Int32Array;
  /** mm above mean sea level; undefined if `fixType` is 2 (0 when read from the store). */
  altitudeMm: Int32Array;
  /** Speed over ground, mm/s. */
  speedMmPerS: Int32Array;
  /** Beats per minute, 1 to 255; 0 for none. */
  hr: Uint8Array;
  /** 2 if there is no altitude. The store returns 3 for all other values. */
  fixType: Uint8Array;
}

/** `fixType` of a sample without altitude. */
export const FIX_2D = 2;
/** `fixType` of a sample with altitude, as returned by the store. */
export const FIX_3D = 3;

/**
 * Creates columns of `length` samples, all zero. They share one buffer, because seven buffers per chunk cause five
 * times as many full garbage collections.
 */
export function allocateColumns(length: number): SampleColumns {
  const memory = new ArrayBuffer(26 * length);
  return {
    length,
    timestampMs: new Float64Array(memory, 0, length),
    latitudeE7: new Int32Array(memory, 8 * length, length),
    longitudeE7: new Int32Array(memory, 12 * length, length),
    altitudeMm: new Int32Array(memory, 16 * length, length),
    speedMmPerS: new Int32Array(memory, 20 * length, length),
    hr: new Uint8Array(memory, 24 * length, length),
    fixType: new Uint8Array(memory, 25 * length, length),
  };
}

/** Copies samples `[from, to)` of `source` into `target` from index `at`. `target` must have room for them. */
export function copyColumns(
  source: SampleColumns,
  from: number,
  to: number,
  target: SampleColumns,
  at: number,
): void {
  target.timestampMs.set(source.timestampMs.subarray(from, to), at);
  target.latitudeE7.set(source.latitudeE7.subarray(from, to), at);
  target.longitudeE7.set(source.longitudeE7.subarray(from, to), at);
  target.altitudeMm.set(source.altitudeMm.subarray(from, to), at);
  target.speedMmPerS.set(source.speedMmPerS.subarray(from, to), at);
  target.hr.set(source.hr.subarray(from, to), at);
  target.fixType.set(source.fixType.subarray(from, to), at);
}

/** Returns a view of samples `[from, to)` that shares memory with `columns`. */
export function sliceColumns(columns: SampleColumns, from: number, to: number): SampleColumns {
  return {
    length: to - from,
    timestampMs: columns.timestampMs.subarray(from, to),
    latitudeE7: columns.latitudeE7.subarray(from, to),
    longitudeE7: columns.longitudeE7.subarray(from, to),
    altitudeMm: columns.altitudeMm.subarray(from, to),
    speedMmPerS: columns.speedMmPerS.subarray(from, to),
    hr: columns.hr.subarray(from, to),
    fixType: columns.fixType.subarray(from, to),
  };
}

/** Reverses the order of the samples in place. Each column must have exactly `length` entries. */
export function reverseColumns(columns: SampleColumns): SampleColumns {
  columns.timestampMs.reverse();
  columns.latitudeE7.reverse();
  columns.longitudeE7.reverse();
  columns.altitudeMm.reverse();
  columns.speedMmPerS.reverse();
  columns.hr.reverse();
  columns.fixType.reverse();
  return columns;
}

/** Returns new columns with the samples of all `parts`, in order. */
export function concatColumns(parts: readonly SampleColumns[]): SampleColumns {
  const all = allocateColumns(parts.reduce((sum, part) => sum + part.length, 0));
  copyAllColumns(parts, all);
  return all;
}

/** Copies the samples of all `parts`, in order, to the start of `target`, which must have room for them. */
export function copyAllColumns(parts: readonly SampleColumns[], target: SampleColumns): void {
  let at = 0;
  for (const part of parts) {
    copyColumns(part, 0, part.length, target, at);
    at += part.length;
  }
}

/** Returns the index of the first of `length` ascending values that is at least `value`; `length` if there is none. */
export function lowerBound(ascending: Float64Array, length: number, value: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
