/**
 * Reads recordings for the two simple peers. It uses DataView, objects and strings, like ordinary code that is reasonably fast but not
 * optimized.
 */

/** A row with the integers of its frame. */
export interface PlainRow {
  timestampMs: number;
  latitudeE7: number;
  longitudeE7: number;
  altitudeMm: number | null;
  speedMmPerS: number;
  hr: number | null;
}

interface Reading {
  timeMs: number;
  bpm: number;
}

/** Returns the six fields of a row's CSV line. */
export function fieldsOf(row: PlainRow): [string, string, string, string, string, string] {
  return [
    decimal(row.timestampMs, 1000, 3),
    decimal(row.latitudeE7, 1e7, 7),
    decimal(row.longitudeE7, 1e7, 7),
    row.altitudeMm === null ? "" : decimal(row.altitudeMm, 1000, 3),
    decimal(row.speedMmPerS, 1000, 3),
    row.hr === null ? "" : String(row.hr),
  ];
}

/** Formats a scaled integer. This is faster than `toFixed` of the quotient, which takes half of the time for a line. */
function decimal(scaled: number, scale: number, digits: number): string {
  const magnitude = Math.abs(scaled);
  const whole = Math.floor(magnitude / scale);
  return `${scaled < 0 ? "-" : ""}${whole}.${String(magnitude - whole * scale).padStart(digits, "0")}`;
}

/** Yields the rows of a recording according to the recording format, without a report of damage. */
export function* readRows(recording: Uint8Array): Generator<PlainRow> {
  const view = new DataView(recording.buffer, recording.byteOffset, recording.byteLength);
  const waiting: Reading[] = [];
  let at = 0;
  while (at + 8 <= view.byteLength) {
    const length = frameLength(view, at);
    if (length === null) {
      at++;
      continue;
    }
    const kind = view.getUint16(at + 2);
    const payload = at + 6;
    if (kind === 0x0107 && length >= 84) {
      const row = readFix(view, payload);
      if (row !== null) {
        if (waiting.length > 0) row.hr = takeReading(waiting, row.timestampMs);
        yield row;
      }
    } else if (kind === 0xa501 && length >= 12 && length === 12 + 2 * view.getUint8(payload + 10)) {
      const bpm = view.getUint8(payload + 8);
      if (bpm > 0) waiting.push({ timeMs: Number(view.getBigUint64(payload, true)), bpm });
      if (waiting.length > 16) waiting.shift();
    }
    at += length + 8;
  }
}

/** Returns the latest reading that is not later than the row, if it is less than a second old. Removes all readings that are
 * not later than the row. */
function takeReading(waiting: Reading[], timestampMs: number): number | null {
  let latest: Reading | null = null;
  for (let i = 0; i < waiting.length; ) {
    const reading = waiting[i];
    if (reading === undefined || reading.timeMs > timestampMs) {
      i++;
      continue;
    }
    if (latest === null || reading.timeMs >= latest.timeMs) latest = reading;
    waiting.splice(i, 1);
  }
  return latest !== null && timestampMs - latest.timeMs < 1000 ? latest.bpm : null;
}

/** Returns the length of the payload of the frame at `at`; null if there is no valid frame. */
function frameLength(view: DataView, at: number): number | null {
  if (view.getUint16(at) !== 0xb562) return null;
  const length = view.getUint16(at + 4, true);
  const end = at + 6 + length;
  if (length > 8192 || end + 2 > view.byteLength) return null;
  let a = 0;
  let b = 0;
  for (let i = at + 2; i < end; i++) {
    a = (a + view.getUint8(i)) & 0xff;
    b = (b + a) & 0xff;
  }
  return a === view.getUint8(end) && b === view.getUint8(end + 1) ? length : null;
}

function readFix(view: DataView, payload: number): PlainRow | null {
  const year = view.getUint16(payload + 4, true);
  const month = view.getUint8(payload + 6);
  const day = view.getUint8(payload + 7);
  const hour = view.getUint8(payload + 8);
  const minute = view.getUint8(payload + 9);
  const second = view.getUint8(payload + 10);
  const fixType = view.getUint8(payload + 20);
  const longitudeE7 = view.getInt32(payload + 24, true);
  const latitudeE7 = view.getInt32(payload + 28, true);
  if ((view.getUint8(payload + 11) & 3) !== 3 || (view.getUint8(payload + 21) & 1) === 0) return null;
  if (fixType < 2 || fixType > 4 || Math.abs(latitudeE7) > 90e7 || Math.abs(longitudeE7) > 180e7) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || year < 1 || year > 9999 || hour > 23 || minute > 59 || second > 59) return null;
  date.setUTCHours(hour, minute, second);
  return {
    timestampMs: date.getTime() + Math.floor((view.getInt32(payload + 16, true) + 500_000) / 1_000_000),
    latitudeE7,
    longitudeE7,
    altitudeMm: fixType === 2 ? null : view.getInt32(payload + 36, true),
    speedMmPerS: view.getInt32(payload + 60, true),
    hr: null,
  };
}
