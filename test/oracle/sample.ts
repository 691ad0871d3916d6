import type { SampleBatch, SampleQuality } from "../../src/types.js";
import type { Fix, Quality } from "./gnss-fix.js";

/** One row in integers. */
export interface Sample extends Fix {
  /** Beats per minute; 0 if there is none. */
  hr: number;
}

/** Rows as columns. */
export function toColumns(samples: readonly Sample[]): SampleBatch {
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

/** Their quality as columns. */
export function toQuality(samples: readonly Quality[]): SampleQuality {
  return {
    satellites: Uint8Array.from(samples, (sample) => sample.satellites),
    speedAccuracyMmPerS: Uint32Array.from(samples, (sample) => sample.speedAccuracyMmPerS),
    pdopHundredths: Uint16Array.from(samples, (sample) => sample.pdopHundredths),
  };
}
