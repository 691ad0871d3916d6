import fc from "fast-check";
import type { SampleBatch } from "../src/index.js";

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
// the years 0 to 9999
const instant = fc.oneof(
  fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  fc.integer({ min: -3_000, max: 3_000 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_003_000 }),
);
/** Any sample that a recording can hold. */
export const anySample = fc.record({
  timestampMs: instant,
  latitudeE7: fc.oneof(
    int32,
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: 99_999_990, max: 100_000_010 }),
  ),
  longitudeE7: int32,
  altitudeMm: fc.oneof(int32, fc.integer({ min: -1001, max: 1001 })),
  speedMmPerS: int32,
  hr: fc.integer({ min: 0, max: 255 }),
  fixType: fc.constantFrom(2, 3, 4),
});
export type Sample = { [Column in Exclude<keyof SampleBatch, "length">]: number };

/** The samples in columns. */
export function batchOf(samples: readonly Sample[]): SampleBatch {
  return {
    length: samples.length,
    timestampMs: Float64Array.from(samples, (sample) => sample.timestampMs),
    latitudeE7: Int32Array.from(samples, (sample) => sample.latitudeE7),
    longitudeE7: Int32Array.from(samples, (sample) => sample.longitudeE7),
    altitudeMm: Int32Array.from(samples, (sample) => sample.altitudeMm),
    speedMmPerS: Int32Array.from(samples, (sample) => sample.speedMmPerS),
    hr: Uint8Array.from(samples, (sample) => sample.hr),
    fixType: Uint8Array.from(samples, (sample) => sample.fixType),
  };
}
