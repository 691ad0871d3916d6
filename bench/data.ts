/** Generates the session that all cases read, of a 10 Hz receiver with a heart-rate strap. The session is always identical. */

/** A GNSS epoch with its heart-rate reading. */
export interface Epoch {
  /** Whole second, ms since 1970 UTC. */
  secondMs: number;
  /** Offset from that second in ns, positive or negative, as reported by a receiver. */
  nano: number;
  latitudeE7: number;
  longitudeE7: number;
  altitudeMm: number;
  speedMmPerS: number;
  headingE5: number;
  /** A reading from slightly before the epoch. One epoch in ten has one. */
  reading: { timeMs: number; bpm: number; rrIntervals: number[] } | null;
}

const EPOCHS_PER_S = 10;
export const SESSION_START_MS = Date.UTC(2024, 4, 11, 9, 30, 0);
const MM_PER_DEGREE = 111_195_000;

/** Creates Park and Miller's generator of random numbers, which is small, seeded, and sufficient for noise. */
function createNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647 - 0.5;
  };
}

/** Yields the epochs of an endless walk and run around a town. The object is reused, so copy data that you keep. */
export function* walk(seed = 1): Generator<Epoch, never> {
  const noise = createNoise(seed);
  let latitude = 51.5072;
  let longitude = -0.1275;
  let speed = 1400;
  let heading = 40;
  let altitude = 24_000;
  let bpm = 92;
  const epoch: Epoch = {
    secondMs: 0,
    nano: 0,
    latitudeE7: 0,
    longitudeE7: 0,
    altitudeMm: 0,
    speedMmPerS: 0,
    headingE5: 0,
    reading: null,
  };
  for (let index = 0; ; index++) {
    const step = index % EPOCHS_PER_S;
    // minutes of running alternate with minutes of walking, and the speed approaches the current pace
    const pace = Math.floor(index / 3000) % 2 === 0 ? 1400 : 3400;
    speed = Math.max(0, speed + (pace - speed) * 0.02 + noise() * 240);
    heading = (heading + noise() * 12 + 360) % 360;
    altitude += (24_000 - altitude) * 0.0005 + noise() * 120;
    const metres = speed / EPOCHS_PER_S / MM_PER_DEGREE;
    latitude += metres * Math.cos((heading * Math.PI) / 180);
    longitude += (metres * Math.sin((heading * Math.PI) / 180)) / 0.6225;
    const secondMs = SESSION_START_MS + Math.floor(index / EPOCHS_PER_S) * 1000;
    epoch.secondMs = secondMs;
    epoch.nano = step * 100_000_000 + Math.round(noise() * 90_000);
    epoch.latitudeE7 = Math.round(latitude * 1e7);
    epoch.longitudeE7 = Math.round(longitude * 1e7);
    epoch.altitudeMm = Math.round(altitude);
    epoch.speedMmPerS = Math.round(speed);
    epoch.headingE5 = Math.round(heading * 1e5);
    epoch.reading = null;
    if (step === 4) {
      bpm += (80 + speed / 40 - bpm) * 0.05 + noise() * 2;
      const rr = Math.round((60 / bpm) * 1024 + noise() * 40);
      epoch.reading = {
        timeMs: secondMs + 330 + Math.round(noise() * 80),
        bpm: Math.round(bpm),
        rrIntervals: bpm < 120 ? [rr] : [rr, rr + 3],
      };
    }
    yield epoch;
  }
}

export const SERIAL = "BENCH-0001";

/** Returns the session as a recording of about `size` bytes, which consists of complete valid frames. */
export function makeRecording(size: number): { bytes: Uint8Array; rows: number } {
  const bytes = new Uint8Array(size + 256);
  const view = new DataView(bytes.buffer);
  let end = writeHeader(bytes, view, 0);
  let rows = 0;
  for (const epoch of walk()) {
    if (epoch.reading !== null) end = writeReading(bytes, view, end, epoch.reading);
    end = writeEpoch(bytes, view, end, epoch);
    rows++;
    if (end >= size) break;
  }
  return { bytes: bytes.subarray(0, end), rows };
}

/** Writes the recording header at `at`; returns its end. */
export function writeHeader(bytes: Uint8Array, view: DataView, at: number): number {
  const payload = openFrame(bytes, view, at, 0xa5, 0x00, 64);
  view.setUint8(payload, 1);
  view.setUint16(payload + 2, 1000 / EPOCHS_PER_S, true);
  const text = new TextEncoder();
  bytes.set(text.encode(SERIAL), payload + 4);
  bytes.set(text.encode("Benchmark"), payload + 20);
  return closeFrame(bytes, at, 64);
}

/** Writes a heart-rate frame at `at`; returns its end. */
export function writeReading(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  reading: NonNullable<Epoch["reading"]>,
): number {
  const length = 12 + 2 * reading.rrIntervals.length;
  const payload = openFrame(bytes, view, at, 0xa5, 0x01, length);
  view.setUint32(payload, reading.timeMs % 2 ** 32, true);
  view.setUint32(payload + 4, Math.floor(reading.timeMs / 2 ** 32), true);
  view.setUint8(payload + 8, reading.bpm);
  view.setUint8(payload + 9, 95);
  view.setUint8(payload + 10, reading.rrIntervals.length);
  view.setUint8(payload + 11, 0);
  reading.rrIntervals.forEach((rr, i) => {
    view.setUint16(payload + 12 + 2 * i, rr, true);
  });
  return closeFrame(bytes, at, length);
}

// The calendar fields of the last written second. They are cached, because creating a Date ten times a second takes most of the time.
let shownSecondMs = Number.NaN;
let shown = new Date(0);

/** Writes a GNSS frame at `at`; returns its end. */
export function writeEpoch(bytes: Uint8Array, view: DataView, at: number, epoch: Epoch): number {
  const payload = openFrame(bytes, view, at, 0x01, 0x07, 92);
  if (epoch.secondMs !== shownSecondMs) {
    shownSecondMs = epoch.secondMs;
    shown = new Date(epoch.secondMs);
  }
  view.setUint32(payload, (epoch.secondMs + Math.round(epoch.nano / 1e6)) % 604_800_000, true);
  view.setUint16(payload + 4, shown.getUTCFullYear(), true);
  view.setUint8(payload + 6, shown.getUTCMonth() + 1);
  view.setUint8(payload + 7, shown.getUTCDate());
  view.setUint8(payload + 8, shown.getUTCHours());
  view.setUint8(payload + 9, shown.getUTCMinutes());
  view.setUint8(payload + 10, shown.getUTCSeconds());
  view.setUint8(payload + 11, 0x37);
  view.setUint32(payload + 12, 21, true);
  view.setInt32(payload + 16, epoch.nano, true);
  view.setUint8(payload + 20, 3);
  view.setUint8(payload + 21, 0x01);
  view.setUint8(payload + 23, 17);
  view.setInt32(payload + 24, epoch.longitudeE7, true);
  view.setInt32(payload + 28, epoch.latitudeE7, true);
  view.setInt32(payload + 32, epoch.altitudeMm + 45_300, true);
  view.setInt32(payload + 36, epoch.altitudeMm, true);
  view.setUint32(payload + 40, 880, true);
  view.setUint32(payload + 44, 1240, true);
  view.setInt32(payload + 60, epoch.speedMmPerS, true);
  view.setInt32(payload + 64, epoch.headingE5, true);
  view.setUint32(payload + 68, 190, true);
  view.setUint16(payload + 76, 142, true);
  return closeFrame(bytes, at, 92);
}

/** Writes sync, class, id and length; returns the start of the payload. */
export function openFrame(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  classId: number,
  messageId: number,
  length: number,
): number {
  bytes[at] = 0xb5;
  bytes[at + 1] = 0x62;
  bytes[at + 2] = classId;
  bytes[at + 3] = messageId;
  view.setUint16(at + 4, length, true);
  return at + 6;
}

/** Writes the Fletcher checksum (RFC 1145); returns the end of the frame. */
export function closeFrame(bytes: Uint8Array, at: number, length: number): number {
  const end = at + 6 + length;
  let a = 0;
  let b = 0;
  for (let i = at + 2; i < end; i++) {
    a = (a + (bytes[i] ?? 0)) & 0xff;
    b = (b + a) & 0xff;
  }
  bytes[end] = a;
  bytes[end + 1] = b;
  return end + 2;
}
