import {
  closeFrame,
  type Epoch,
  openFrame,
  SESSION_START_MS,
  walk,
  writeEpoch,
  writeHeader,
  writeReading,
} from "./data.js";

/**
 * Inputs that are designed to be slow to read. Each begins with a valid header and ends with a valid row, so that a CSV can be written.
 * Reading takes at most 6 times as long as reading valid frames of the same size.
 */
export const HOSTILE_INPUTS = {
  falseSyncs: "false syncs, each claiming the longest frame",
  syncBytes: "first bytes of syncs",
  overlapping: "syncs that overlap",
  overlong: "syncs that overlap, each with too great a length",
  headers: "headers",
  heartRates: "heart-rate frames",
  waitingRates: "waiting heart rates, each followed by a row",
  ranges: "one range for each row",
  emptyFrames: "empty unknown frames",
  shortFrames: "unknown frames of one byte",
  falseShortFrames: "short frames with bad checksums",
  falseAndShortFrames: "short frames with alternating bad and good checksums",
  badRows: "frames without a row",
  headersAndRows: "alternating headers and rows",
  falseSyncsAndRows: "alternating false syncs and rows",
  emptyFramesAndHeaders: "alternating empty unknown frames, headers, heart rates",
  everything: "all of these alternating",
} as const;

export type HostileInput = keyof typeof HOSTILE_INPUTS;

/** Writes the unit with number `index` at `at`, and returns its end. */
type Writer = (bytes: Uint8Array, view: DataView, at: number, index: number) => number;

const GAP_MS = 300_001;
const reading = { timeMs: 0, bpm: 60, rrIntervals: [] as number[] };
const epoch: Epoch = { ...walk().next().value, reading: null };

const falseSync: Writer = (bytes, _view, at) => {
  bytes.set([0xb5, 0x62, 0x01, 0x07, 0x00, 0x20, at & 0xff, (at >> 8) & 0xff], at);
  return at + 8;
};

const header: Writer = (bytes, view, at) => writeHeader(bytes, view, at);

const heartRate: Writer = (bytes, view, at, index) => {
  reading.timeMs = SESSION_START_MS + index;
  return writeReading(bytes, view, at, reading);
};

// Writes a reading that is later than every row, so no row uses it.
const waitingRate: Writer = (bytes, view, at, index) => {
  reading.timeMs = 4e12 + index;
  return writeReading(bytes, view, at, reading);
};

const goodRow: Writer = (bytes, view, at, index) => {
  epoch.secondMs = SESSION_START_MS + Math.floor(index / 10) * 1000;
  epoch.nano = (index % 10) * 100_000_000;
  epoch.latitudeE7 = 515_072_000 + (index % 1000);
  epoch.longitudeE7 = -1_275_000;
  return writeEpoch(bytes, view, at, epoch);
};

// Writes a row with a different day or year and a different hemisphere than the previous one, so nothing can be reused.
const lonelyRow: Writer = (bytes, view, at, index) => {
  epoch.secondMs = (index * 7919 * GAP_MS) % 2e14;
  epoch.nano = 123_456_789;
  epoch.latitudeE7 = index % 2 === 0 ? 899_999_999 : -899_999_999;
  epoch.longitudeE7 = index % 2 === 0 ? -1_799_999_999 : 1_799_999_999;
  return writeEpoch(bytes, view, at, epoch);
};

const emptyFrame: Writer = (bytes, view, at) => {
  openFrame(bytes, view, at, 0x0a, 0x04, 0);
  return closeFrame(bytes, at, 0);
};

const shortFrame: Writer = (bytes, view, at, index) => {
  const payload = openFrame(bytes, view, at, 0x0a, 0x04, 1);
  bytes[payload] = index & 0xff;
  return closeFrame(bytes, at, 1);
};

const falseShortFrame: Writer = (bytes, view, at, index) => {
  const end = emptyFrame(bytes, view, at, index);
  bytes[end - 1] = ~(bytes[end - 1] as number);
  return end;
};

const badRow: Writer = (bytes, view, at, index) => {
  goodRow(bytes, view, at, index);
  bytes[at + 6 + 11] = 0;
  return closeFrame(bytes, at, 92);
};

const constantly =
  (...values: number[]): Writer =>
  (bytes, _view, at) => {
    bytes.set(values, at);
    return at + values.length;
  };

const inTurn =
  (...writers: Writer[]): Writer =>
  (bytes, view, at, index) =>
    (writers[index % writers.length] as Writer)(bytes, view, at, index);

const WRITERS: Record<HostileInput, Writer> = {
  falseSyncs: falseSync,
  syncBytes: constantly(0xb5),
  overlapping: constantly(0xb5, 0x62, 0x00),
  overlong: constantly(0xb5, 0x62, 0xff),
  headers: header,
  heartRates: heartRate,
  waitingRates: inTurn(waitingRate, goodRow),
  ranges: lonelyRow,
  emptyFrames: emptyFrame,
  shortFrames: shortFrame,
  falseShortFrames: falseShortFrame,
  falseAndShortFrames: inTurn(falseShortFrame, emptyFrame),
  badRows: badRow,
  headersAndRows: inTurn(header, goodRow),
  falseSyncsAndRows: inTurn(falseSync, goodRow),
  emptyFramesAndHeaders: inTurn(emptyFrame, header, heartRate),
  everything: inTurn(falseSync, header, waitingRate, lonelyRow, emptyFrame, badRow),
};

/** Creates a hostile input of about `size` bytes. */
export function makeHostile(kind: HostileInput, size: number): Uint8Array {
  // includes space for the longest unit and for the row at the end
  const bytes = new Uint8Array(size + 512);
  const view = new DataView(bytes.buffer);
  const write = WRITERS[kind];
  let at = writeHeader(bytes, view, 0);
  for (let index = 0; at < size; index++) at = write(bytes, view, at, index);
  at = goodRow(bytes, view, at, 1);
  return bytes.subarray(0, at);
}
