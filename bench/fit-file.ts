import { SESSION_START_MS, walk } from "./data.js";

/** Number of semicircles per degree; the unit of angles in FIT is the semicircle, and 2^31 of them are 180 degrees. */
export const SEMICIRCLES_PER_DEGREE = 2 ** 31 / 180;

const HEADER_BYTES = 14;
const EPOCH_MS = Date.UTC(1989, 11, 31);

/** A field of a message: its number and base type in the file, and its bytes. */
type Field = readonly [number: number, baseType: number, bytes: number];

const UINT32 = 0x86;
const FILE_ID = {
  message: 0,
  fields: [
    [0, 0x00, 1],
    [1, 0x84, 2],
    [4, UINT32, 4],
  ] as Field[],
};
const RECORD_FIELDS: Field[] = [
  [253, UINT32, 4],
  [0, 0x85, 4],
  [1, 0x85, 4],
  [78, UINT32, 4],
  [73, UINT32, 4],
];
const RECORD = { message: 20, fields: RECORD_FIELDS };
const RECORD_WITH_HEART_RATE = { message: 20, fields: [...RECORD_FIELDS, [3, 0x02, 1]] as Field[] };

const DEFINITIONS = [FILE_ID, RECORD, RECORD_WITH_HEART_RATE];
const LONGEST_RECORD = 22;

/** Encodes the first `rows` epochs of the session as a FIT activity with one record message per epoch. */
export function makeFitFile(rows: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(256 + LONGEST_RECORD * rows);
  const view = new DataView(bytes.buffer);
  let at = HEADER_BYTES;
  const put = (size: 1 | 2 | 4, value: number) => {
    if (size === 1) view.setUint8(at, value);
    else if (size === 2) view.setUint16(at, value, true);
    else view.setInt32(at, value, true);
    at += size;
  };
  DEFINITIONS.forEach(({ message, fields }, local) => {
    // the definition message, little-endian
    for (const byte of [0x40 | local, 0, 0]) put(1, byte);
    put(2, message);
    put(1, fields.length);
    for (const [number, baseType, size] of fields) for (const byte of [number, size, baseType]) put(1, byte);
  });
  put(1, 0);
  put(1, 4); // the file type: activity
  put(2, 255); // the manufacturer: development
  put(4, (SESSION_START_MS - EPOCH_MS) / 1000);
  let written = 0;
  for (const epoch of walk()) {
    if (written++ === rows) break;
    put(1, epoch.reading === null ? 1 : 2);
    // FIT timestamps are whole seconds
    put(4, (epoch.secondMs - EPOCH_MS) / 1000);
    put(4, Math.round((epoch.latitudeE7 / 1e7) * SEMICIRCLES_PER_DEGREE));
    put(4, Math.round((epoch.longitudeE7 / 1e7) * SEMICIRCLES_PER_DEGREE));
    // fifths of a metre above -500 m
    put(4, Math.round((epoch.altitudeMm / 1000 + 500) * 5));
    put(4, epoch.speedMmPerS);
    if (epoch.reading !== null) put(1, epoch.reading.bpm);
  }
  bytes.set([HEADER_BYTES, 0x20, 0, 0], 0);
  view.setUint32(4, at - HEADER_BYTES, true);
  bytes.set(new TextEncoder().encode(".FIT"), 8);
  view.setUint16(12, crc16(bytes.subarray(0, 12)), true);
  view.setUint16(at, crc16(bytes.subarray(0, at)), true);
  return bytes.slice(0, at + 2);
}

/** Computes CRC-16/ARC: polynomial 0x8005, bits reversed. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >> 1 : (crc >> 1) ^ 0xa001;
  }
  return crc;
}
