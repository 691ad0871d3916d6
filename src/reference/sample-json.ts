import type { SampleBatch } from "../types.js";
import { decimal } from "./csv-line.js";

/** Sample `i` as a JSON object, with the keys of the service's raw data samples. ASCII. */
export function sampleJson(samples: SampleBatch, i: number): string {
  const altitude = samples.fixType[i] === 2 ? "null" : decimal(samples.altitudeMm[i] ?? 0, 3);
  const latitude = decimal(samples.latitudeE7[i] ?? 0, 7);
  const longitude = decimal(samples.longitudeE7[i] ?? 0, 7);
  const speed = decimal(samples.speedMmPerS[i] ?? 0, 3);
  const hr = samples.hr[i] || null;
  return `{"gnss.altitude":${altitude},"gnss.latitude":${latitude},"gnss.longitude":${longitude},"gnss.speed":${speed},"gnss.timestamp":${samples.timestampMs[i]},"ecg.hr":${hr}}`;
}
