/** Builds the frames of a recording byte by byte, from the recording format and without code of the product. */

/** A UBX frame. `classId` is class and id as one number, class first. */
export function ubxFrame(classId: number, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(payload.length + 8);
  const view = new DataView(frame.buffer);
  view.setUint16(0, 0xb562);
  view.setUint16(2, classId);
  view.setUint16(4, payload.length, true);
  frame.set(payload, 6);
  const [ckA, ckB] = fletcher(frame.subarray(2, payload.length + 6));
  frame[payload.length + 6] = ckA;
  frame[payload.length + 7] = ckB;
  return frame;
}

/** The 8-bit Fletcher checksum, RFC 1145: ck_a, ck_b. */
export function fletcher(bytes: Uint8Array): [number, number] {
  let ckA = 0;
  let ckB = 0;
  for (const byte of bytes) {
    ckA = (ckA + byte) % 256;
    ckB = (ckB + ckA) % 256;
  }
  return [ckA, ckB];
}

export interface AsiInfFields {
  formatVersion?: number;
  periodMs?: number;
  serial?: string;
  deviceName?: string;
  deviceType?: string;
  firmwareVersion?: string;
  payloadBytes?: number;
}

/** ASI-INF, the recording header. A payload other than 64 bytes is truncated or padded with NUL. */
export function asiInf(fields: AsiInfFields = {}): Uint8Array {
  const { formatVersion = 1, periodMs = 100, serial = "TEST-1", payloadBytes = 64 } = fields;
  const { deviceName = "Tracker", deviceType = "T1", firmwareVersion = "1.0" } = fields;
  const payload = new Uint8Array(64);
  const view = new DataView(payload.buffer);
  view.setUint8(0, formatVersion);
  view.setUint16(2, periodMs, true);
  payload.set(ascii(serial).subarray(0, 16), 4);
  payload.set(ascii(deviceName).subarray(0, 16), 20);
  payload.set(ascii(deviceType).subarray(0, 12), 36);
  payload.set(ascii(firmwareVersion).subarray(0, 12), 48);
  return ubxFrame(0xa500, resized(payload, payloadBytes));
}

export interface NavPvtFields {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  second?: number;
  nano?: number;
  /** Bit 0 is validDate, bit 1 validTime. */
  valid?: number;
  fixType?: number;
  /** Bit 0 is gnssFixOK. */
  flags?: number;
  longitudeE7?: number;
  latitudeE7?: number;
  altitudeMm?: number;
  speedMmPerS?: number;
  satellites?: number;
  speedAccuracyMmPerS?: number;
  pdopHundredths?: number;
  payloadBytes?: number;
}

/** NAV-PVT, the GNSS frame. Without arguments, it is a valid fix at 1970-01-01T00:00:00, 0 degrees, 0 metres, at rest. */
export function navPvt(fields: NavPvtFields = {}): Uint8Array {
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, nano = 0 } = fields;
  const { valid = 0b11, fixType = 3, flags = 0b1, payloadBytes = 92 } = fields;
  const { longitudeE7 = 0, latitudeE7 = 0, altitudeMm = 0, speedMmPerS = 0 } = fields;
  const { satellites = 0, speedAccuracyMmPerS = 0, pdopHundredths = 0 } = fields;
  const payload = new Uint8Array(92);
  const view = new DataView(payload.buffer);
  view.setUint16(4, year, true);
  view.setUint8(6, month);
  view.setUint8(7, day);
  view.setUint8(8, hour);
  view.setUint8(9, minute);
  view.setUint8(10, second);
  view.setUint8(11, valid);
  view.setInt32(16, nano, true);
  view.setUint8(20, fixType);
  view.setUint8(21, flags);
  view.setUint8(23, satellites);
  view.setInt32(24, longitudeE7, true);
  view.setInt32(28, latitudeE7, true);
  view.setInt32(36, altitudeMm, true);
  view.setInt32(60, speedMmPerS, true);
  view.setUint32(68, speedAccuracyMmPerS, true);
  view.setUint16(76, pdopHundredths, true);
  return ubxFrame(0x0107, resized(payload, payloadBytes));
}

/** The NAV-PVT fields for a UTC time between 1970 and 9999, ms since 1970. */
export function civilTime(timestampMs: number): NavPvtFields {
  const date = new Date(timestampMs);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nano: date.getUTCMilliseconds() * 1_000_000,
  };
}

export interface EcgHrFields {
  /** UTC, ms since 1970; 64 bits. */
  timeMs: bigint | number;
  beatsPerMinute: number;
  quality?: number;
  /** In 1/1024 s. */
  rrIntervals?: readonly number[];
  /** The claimed count, if it differs from the length of `rrIntervals`. */
  claimedCount?: number;
}

/** ECG-HR, heart rate. */
export function ecgHr(fields: EcgHrFields): Uint8Array {
  const { timeMs, beatsPerMinute, quality = 100, rrIntervals = [] } = fields;
  const payload = new Uint8Array(12 + 2 * rrIntervals.length);
  const view = new DataView(payload.buffer);
  view.setBigUint64(0, BigInt(timeMs), true);
  view.setUint8(8, beatsPerMinute);
  view.setUint8(9, quality);
  view.setUint8(10, fields.claimedCount ?? rrIntervals.length);
  for (const [i, interval] of rrIntervals.entries()) view.setUint16(12 + 2 * i, interval, true);
  return ubxFrame(0xa501, payload);
}

export interface EcgRawFields {
  /** UTC of the first sample, ms since 1970; 64 bits. */
  timeMs?: bigint | number;
  sampleRateHz?: number;
  samples?: readonly number[];
  /** The claimed count, if it differs from the length of `samples`. */
  claimedCount?: number;
}

/** ECG-RAW, waveform. */
export function ecgRaw(fields: EcgRawFields = {}): Uint8Array {
  const { timeMs = 0, sampleRateHz = 250, samples = [] } = fields;
  const payload = new Uint8Array(16 + 2 * samples.length);
  const view = new DataView(payload.buffer);
  view.setBigUint64(0, BigInt(timeMs), true);
  view.setUint16(8, sampleRateHz, true);
  view.setUint8(10, 16);
  view.setUint16(12, fields.claimedCount ?? samples.length, true);
  for (const [i, sample] of samples.entries()) view.setInt16(16 + 2 * i, sample, true);
  return ubxFrame(0xa502, payload);
}

export function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Concatenates the pieces. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((total, piece) => total + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

function resized(payload: Uint8Array, length: number): Uint8Array {
  const copy = new Uint8Array(length);
  copy.set(payload.subarray(0, length));
  return copy;
}
