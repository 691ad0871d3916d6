import { requireColumns, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import type { SampleQuality } from "../types.js";

const COLUMN_TYPES = {
  satellites: "Uint8Array",
  speedAccuracyMmPerS: "Uint32Array",
  pdopHundredths: "Uint16Array",
} as const satisfies Record<keyof SampleQuality, string>;

/** Throws `BAD_ARGUMENT` unless these are the quality columns of `length` rows. */
export function checkQuality(quality: SampleQuality, length: number): void {
  if (typeof quality !== "object" || quality === null) {
    throw new AsiError(
      "BAD_ARGUMENT",
      `quality is ${shown(quality)}; it must be columns as decode returns them.`,
    );
  }
  requireColumns(quality, COLUMN_TYPES, length);
}

// u32, u16, u8
const BYTES_PER_ROW = 7;

/** Allocates the quality columns for `length` rows, with all values zero. */
export function newQuality(length: number): SampleQuality {
  return qualityIn(new ArrayBuffer(BYTES_PER_ROW * length), 0, length);
}

/** Creates columns in a buffer, starting at a multiple of 4. They have space for `capacity` rows, of which `length` are used. */
export function qualityIn(
  buffer: ArrayBuffer,
  at: number,
  capacity: number,
  length = capacity,
): SampleQuality {
  return {
    satellites: new Uint8Array(buffer, at + 6 * capacity, length),
    speedAccuracyMmPerS: new Uint32Array(buffer, at, length),
    pdopHundredths: new Uint16Array(buffer, at + 4 * capacity, length),
  };
}

/** Returns the quality of the rows `from` to `to` (exclusive), in the same memory. */
export function qualityBetween(quality: SampleQuality, from: number, to: number): SampleQuality {
  return {
    satellites: quality.satellites.subarray(from, to),
    speedAccuracyMmPerS: quality.speedAccuracyMmPerS.subarray(from, to),
    pdopHundredths: quality.pdopHundredths.subarray(from, to),
  };
}

/** Copies all entries to other columns, starting at their row `at`. */
export function copyQuality(quality: SampleQuality, into: SampleQuality, at: number): void {
  into.satellites.set(quality.satellites, at);
  into.speedAccuracyMmPerS.set(quality.speedAccuracyMmPerS, at);
  into.pdopHundredths.set(quality.pdopHundredths, at);
}

/** Returns the quality of the given rows. */
export function qualityAt(quality: SampleQuality, rows: Uint32Array): SampleQuality {
  const chosen = newQuality(rows.length);
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k] ?? 0;
    chosen.satellites[k] = quality.satellites[row] ?? 0;
    chosen.speedAccuracyMmPerS[k] = quality.speedAccuracyMmPerS[row] ?? 0;
    chosen.pdopHundredths[k] = quality.pdopHundredths[row] ?? 0;
  }
  return chosen;
}
