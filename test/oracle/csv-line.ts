import type { Sample } from "./sample.js";

/** The line of one row in the standard CSV, with its line end (recording format, "CSV"). ASCII. */
export function csvLine(sample: Sample): string {
  const timestamp = decimal(sample.timestampMs, 3);
  const latitude = decimal(sample.latitudeE7, 7);
  const longitude = decimal(sample.longitudeE7, 7);
  const altitude = sample.fixType === 2 ? "" : decimal(sample.altitudeMm, 3);
  const speed = decimal(sample.speedMmPerS, 3);
  const hr = sample.hr === 0 ? "" : String(sample.hr);
  return `${timestamp},${latitude},${longitude},${altitude},${speed},${hr}\n`;
}

/** An integer with its decimal point moved `decimals` places to the left: decimal(-500, 3) is "-0.500". */
export function decimal(value: number, decimals: number): string {
  const digits = String(Math.abs(value)).padStart(decimals + 1, "0");
  const sign = value < 0 ? "-" : "";
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
