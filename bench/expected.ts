import { walk } from "./data.js";

/** A row at the beginning of the session. The values are from the generator and not from a decoder. */
export interface ExpectedRow {
  timestampMs: number;
  latitudeE7: number;
  longitudeE7: number;
  altitudeMm: number;
  speedMmPerS: number;
  hr: number | null;
}

export function* expectedRows(rows: number): Generator<ExpectedRow, void> {
  let made = 0;
  for (const epoch of walk()) {
    if (made++ === rows) return;
    yield {
      timestampMs: epoch.secondMs + Math.round(epoch.nano / 1e6),
      latitudeE7: epoch.latitudeE7,
      longitudeE7: epoch.longitudeE7,
      altitudeMm: epoch.altitudeMm,
      speedMmPerS: epoch.speedMmPerS,
      // the reading is always slightly older than the epoch that follows it
      hr: epoch.reading === null ? null : epoch.reading.bpm,
    };
  }
}

export function expectedCsv(rows: number): string {
  const lines = ["timestamp,latitude,longitude,altitude,speed,hr"];
  for (const row of expectedRows(rows)) {
    const numbers = [
      (row.timestampMs / 1000).toFixed(3),
      (row.latitudeE7 / 1e7).toFixed(7),
      (row.longitudeE7 / 1e7).toFixed(7),
      (row.altitudeMm / 1000).toFixed(3),
      (row.speedMmPerS / 1000).toFixed(3),
    ];
    lines.push(`${numbers.join(",")},${row.hr ?? ""}`);
  }
  return `${lines.join("\n")}\n`;
}
