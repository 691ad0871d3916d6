import fc from "fast-check";
import { allocateColumns, FIX_2D, FIX_3D, type SampleColumns } from "../columns.js";

/** One sample in a test: ms, 1e-7 degrees, mm, mm/s, bpm. */
export interface Sample {
  ms: number;
  latitude: number;
  longitude: number;
  altitude: number | null;
  speed: number;
  hr: number | null;
}

/** Generates any value of a 32-bit column. */
export const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

/** Creates a sample for tests in which only the time matters. */
export function sampleAt(ms: number, hr: number | null = null): Sample {
  return { ms, latitude: ms % 1000, longitude: 2, altitude: 3, speed: 4, hr };
}

export function columnsOf(samples: readonly Sample[]): SampleColumns {
  const columns = allocateColumns(samples.length);
  samples.forEach((sample, i) => {
    columns.timestampMs[i] = sample.ms;
    columns.latitudeE7[i] = sample.latitude;
    columns.longitudeE7[i] = sample.longitude;
    columns.altitudeMm[i] = sample.altitude ?? 0;
    columns.speedMmPerS[i] = sample.speed;
    columns.hr[i] = sample.hr ?? 0;
    columns.fixType[i] = sample.altitude === null ? FIX_2D : FIX_3D;
  });
  return columns;
}

export function samplesOf(columns: SampleColumns): Sample[] {
  return Array.from({ length: columns.length }, (_, i) => ({
    ms: columns.timestampMs[i] ?? Number.NaN,
    latitude: columns.latitudeE7[i] ?? Number.NaN,
    longitude: columns.longitudeE7[i] ?? Number.NaN,
    altitude: columns.fixType[i] === FIX_2D ? null : (columns.altitudeMm[i] ?? Number.NaN),
    speed: columns.speedMmPerS[i] ?? Number.NaN,
    hr: columns.hr[i] || null,
  }));
}
