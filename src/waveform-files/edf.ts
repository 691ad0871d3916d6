import { AsiError } from "../errors.js";
import { concatenate } from "../sources/concatenate.js";
import type { EcgBatch, RecordingInfo } from "../types.js";
import type { WaveformWriter } from "./waveform-writer.js";

// Writes EDF+ (Kemp and Olivan, Clinical Neurophysiology 114, 2003; www.edfplus.info/specs/edfplus.html): a text header, then
// records of one second. Each record contains the samples and a list of annotations, the first of which is the start time of the
// record.

/** A smaller difference from the expected time is not a gap, because the device's clock has a resolution of 1 ms, and drifts. */
const TOLERANCE_MS = 20;
const RECORD_MS = 1000;
const HEADER_BYTES = 256;
const SIGNALS = 2;
// terminators of the fields of an annotation
const END_OF_FIELD = "\x14";
const DURATION = "\x15";
const END_OF_LIST = "\0";
/** The greatest number of records that the header can contain. */
const MAX_RECORDS = 99_999_999;

/** A file with more records is refused if most of it is padding, because it would be much larger than the recording. */
const MAX_PADDED_RECORDS = 3600;
const MAX_PADDING = 10;

interface DataRecord {
  startMs: number;
  /** Space for one second. When the record is complete, only the samples of the recording. */
  samples: Int16Array;
  filled: number;
}

/**
 * Creates a writer for the ECG waveform as EDF+. The samples are in units of the device. The number of records is at the start of
 * the file, so the writer keeps the waveform in memory: 2 bytes per sample.
 */
export function edfWriter(): WaveformWriter<EcgBatch> {
  const records: DataRecord[] = [];
  let rateHz = 0;
  let samples = 0;
  return {
    batch(batch) {
      if (batch.sampleRateHz === 0) throw limit("frames without a sample rate");
      if (rateHz !== 0 && batch.sampleRateHz !== rateHz) {
        throw limit(`samples at ${rateHz} and at ${batch.sampleRateHz} Hz`);
      }
      rateHz = batch.sampleRateHz;
      appendTo(records, batch);
      samples += batch.length;
      if (records.length > MAX_RECORDS) throw limit(`more than ${MAX_RECORDS} seconds of waveform`);
      if (records.length > MAX_PADDED_RECORDS && records.length * rateHz > MAX_PADDING * samples) {
        throw limit("so many gaps in the waveform");
      }
      return [];
    },
    end(info) {
      if (records.length === 0) throw limit("a waveform without samples");
      return fileOf(records, rateHz, info);
    },
  };
}

function limit(what: string): AsiError {
  return new AsiError("FORMAT_LIMIT", `EDF+ cannot represent ${what}; write CSV or Parquet.`);
}

function appendTo(records: DataRecord[], { length, sampleRateHz, timestampMs, sample }: EcgBatch): void {
  const periodMs = 1000 / sampleRateHz;
  let record = records.at(-1);
  for (let i = 0; i < length; i++) {
    const ms = timestampMs[i] ?? 0;
    const isFull = record?.filled === sampleRateHz;
    const expectedMs = record === undefined ? Number.NaN : record.startMs + record.filled * periodMs;
    if (
      record === undefined ||
      isFull ||
      !(Math.abs(ms - expectedMs) <= Math.max(TOLERANCE_MS, 1.5 * periodMs))
    ) {
      if (record !== undefined) record.samples = record.samples.slice(0, record.filled);
      record = { startMs: ms, samples: new Int16Array(sampleRateHz), filled: 0 };
      records.push(record);
    }
    record.samples[record.filled] = sample[i] ?? 0;
    record.filled += 1;
  }
}

function* fileOf(records: readonly DataRecord[], rateHz: number, info: RecordingInfo): Generator<Uint8Array> {
  // Joined recordings can go back in time, but the records of a file cannot.
  const inOrder = records.toSorted((a, b) => a.startMs - b.startMs);
  const firstMs = inOrder[0]?.startMs ?? 0;
  const startMs = Math.floor(firstMs / 1000) * 1000;
  const isContinuous = inOrder.every(
    ({ startMs: ms, filled }, i) =>
      Math.abs(ms - firstMs - i * RECORD_MS) <= TOLERANCE_MS &&
      (filled === rateHz || i === inOrder.length - 1),
  );
  const lists = inOrder.map(({ startMs: ms, filled }, i) => {
    const onsetMs = (isContinuous ? firstMs + i * RECORD_MS : ms) - startMs;
    return annotations(onsetMs, (1000 * filled) / rateHz);
  });
  // whole samples of 16 bits
  const listBytes = 2 * Math.ceil(lists.reduce((most, { length }) => Math.max(most, length), 0) / 2);
  yield header({ startMs, isContinuous, records: inOrder.length, rateHz, listBytes, info });
  for (const [i, { samples, filled }] of inOrder.entries()) {
    const padded = new Int16Array(rateHz).fill(samples[filled - 1] ?? 0);
    padded.set(samples.subarray(0, filled));
    yield recordBytes(padded, lists[i] ?? "", listBytes);
  }
}

/** Returns the annotations of a record: its start time, and the time from which it contains no signal. */
function annotations(onsetMs: number, filledMs: number): string {
  const start = `${onset(onsetMs)}${END_OF_FIELD}${END_OF_FIELD}${END_OF_LIST}`;
  if (filledMs >= RECORD_MS) return start;
  const rest = secondsText(RECORD_MS - filledMs);
  return `${start}${onset(onsetMs + filledMs)}${DURATION}${rest}${END_OF_FIELD}No signal${END_OF_FIELD}${END_OF_LIST}`;
}

const onset = (ms: number) => `+${secondsText(ms)}`;

/** Formats seconds with up to six decimals. */
function secondsText(ms: number): string {
  return String(Number((ms / 1000).toFixed(6)));
}

function recordBytes(samples: Int16Array, list: string, listBytes: number): Uint8Array {
  const bytes = new Uint8Array(2 * samples.length + listBytes);
  const view = new DataView(bytes.buffer);
  samples.forEach((sample, i) => {
    view.setInt16(2 * i, sample, true);
  });
  new TextEncoder().encodeInto(list, bytes.subarray(2 * samples.length));
  return bytes;
}

interface About {
  startMs: number;
  isContinuous: boolean;
  records: number;
  rateHz: number;
  listBytes: number;
  info: RecordingInfo;
}

function header({ startMs, isContinuous, records, rateHz, listBytes, info }: About): Uint8Array {
  const { day, month, year, time } = dateOf(startMs);
  const fields: readonly (readonly [text: string, bytes: number])[] = [
    ["0", 8],
    // patient: code, sex, birthdate and name, all unknown
    ["X X X X", 80],
    [`Startdate ${day}-${month.name}-${year} X X ${info.serial}`, 80],
    // two digits mean the years 1985 to 2084 (EDF+, 2.1.3.2); for other years, only the previous field contains the year
    [`${day}.${month.number}.${year >= 1985 && year <= 2084 ? String(year).slice(-2) : "yy"}`, 8],
    [time, 8],
    [String(HEADER_BYTES * (1 + SIGNALS)), 8],
    [isContinuous ? "EDF+C" : "EDF+D", 44],
    [String(records), 8],
    [String(RECORD_MS / 1000), 8],
    [String(SIGNALS), 4],
    // signal headers: for each field, the value of the first signal, then that of the second
    ["ECG", 16],
    ["EDF Annotations", 16],
    ...pair("", "", 80),
    ...pair("", "", 8),
    ...pair("-32768", "-1", 8),
    ...pair("32767", "1", 8),
    ...pair("-32768", "-32768", 8),
    ...pair("32767", "32767", 8),
    ...pair("", "", 80),
    ...pair(String(rateHz), String(listBytes / 2), 8),
    ...pair("", "", 32),
  ];
  const encoder = new TextEncoder();
  return concatenate(fields.map(([text, bytes]) => encoder.encode(text.padEnd(bytes))));
}

function pair(ecg: string, annotations: string, bytes: number): [string, number][] {
  return [
    [ecg, bytes],
    [annotations, bytes],
  ];
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
/** The latest time that a `Date` can represent; times in frames have 64 bits. */
const LATEST_MS = 8.64e15;

function dateOf(ms: number) {
  const date = new Date(Math.min(ms, LATEST_MS));
  const two = (value: number) => String(value).padStart(2, "0");
  const month = date.getUTCMonth();
  return {
    day: two(date.getUTCDate()),
    month: { name: MONTHS[month] ?? "", number: two(month + 1) },
    year: date.getUTCFullYear(),
    time: [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join("."),
  };
}
