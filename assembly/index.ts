// The exports for the host. The host calls reserve, writes its bytes, and calls commit and step. The getters below return the
// addresses and lengths of the output.

import * as counted from "./counters";
import { fillCoordinates } from "./coordinates";
import { fillDigitTables } from "./digits";
import { replacedReadings, resetHeartRate } from "./ecg";
import { resetWaveform } from "./heart-rate/waveform";
import { resetColumns } from "./columns";
import * as derived from "./heart-rate/derived";
import * as frame from "./frame";
import * as gnss from "./gnss";
import { GIVEN_SERIAL, resetHeaders } from "./header";
import * as memoryLayout from "./memory";
import * as template from "./template";

fillDigitTables();
fillCoordinates();

// The use of the waveform: heart rates for rows, figures of the recording, or figures and beats.
const WAVEFORM_FOR_ROWS: i32 = 0;
const WAVEFORM_FOR_BEATS: i32 = 2;

/**
 * Begins a new input. `fromMs` and `toMs` limit the produced rows, and `fillHrMs` is the greatest age of a repeated heart rate.
 * If `hasSerial` is set, the serial number in `givenSerial` overrides those of the headers. For `heartRateSource` see ecg.ts, for
 * `waveformUse` see above. `quality` specifies whether `stepColumns` also returns the quality of rows.
 */
export function reset(
  needsHeader: bool,
  strict: bool,
  fromMs: f64,
  toMs: f64,
  fillHrMs: f64,
  hasSerial: bool,
  heartRateSource: i32,
  waveformUse: i32,
  quality: bool,
): void {
  frame.resetFrames(needsHeader, strict);
  resetHeaders(hasSerial);
  gnss.resetRows(fromMs, toMs);
  resetColumns(quality);
  resetHeartRate(fillHrMs, heartRateSource, waveformUse != WAVEFORM_FOR_ROWS);
  resetWaveform(waveformUse == WAVEFORM_FOR_BEATS);
}

export { commit, reserve } from "./frame";

/** Returns the address for a serial number from the host: 16 bytes, padded with NUL. */
export function givenSerial(): usize {
  return GIVEN_SERIAL;
}

export function inputEnd(): usize {
  return memoryLayout.INPUT_END;
}

// There is one step function for each type of output, so that the choice is made outside the loop.

export function stepWithoutOutput(final: bool): i32 {
  return frame.step(gnss.OUTPUT_NONE, final);
}

export function stepFrames(final: bool): i32 {
  return frame.step(gnss.OUTPUT_FRAMES, final);
}

export function stepCsv(final: bool): i32 {
  return frame.step(gnss.OUTPUT_CSV, final);
}

export function stepColumns(final: bool): i32 {
  return frame.step(gnss.OUTPUT_COLUMNS, final);
}

export function signalOffset(): f64 {
  return frame.signalOffset;
}

export function signalPayload(): usize {
  return frame.signalPayload;
}

export function signalLength(): i32 {
  return frame.signalLength;
}

/**
 * Returns the start of the CSV or frames of the last step, or of its beats with `stepWithoutOutput` (time in ms, RR in ms,
 * quality in %, f64 each).
 */
export function output(): usize {
  return memoryLayout.OUTPUT;
}

/** Returns the end of the CSV or frames. */
export function outputEnd(): usize {
  return frame.cursor;
}

/** Returns the end of the beats. */
export function beatsEnd(): usize {
  return derived.beatsEnd;
}

/** Returns the number of rows that the last step wrote to the columns. */
export function columnLength(): i32 {
  return frame.cursor as i32;
}

/** Returns the address of the rows of the last step; see COLUMNS in memory.ts. */
export function columns(): usize {
  return memoryLayout.COLUMNS;
}

/** Returns the address of the quality of these rows, if required; see QUALITY in memory.ts. */
export function quality(): usize {
  return memoryLayout.QUALITY;
}

/** Returns the address for rows from the host that are written as text, in the same layout as `columns`. */
export function givenColumns(): usize {
  return memoryLayout.GIVEN_COLUMNS;
}

/** Returns the capacity of `columns` and `givenColumns` in rows. */
export function rowCapacity(): i32 {
  return memoryLayout.ROW_CAPACITY;
}

/** Returns the address for the program of a row template; see template.ts. */
export function program(): usize {
  return memoryLayout.PROGRAM;
}

export function programCapacity(): i32 {
  return memoryLayout.PROGRAM_CAPACITY;
}

export { takeProgram, writeRows } from "./template";

/** Returns the end of the text of the last `writeRows`, which starts at `output`. */
export function textEnd(): usize {
  return template.textEnd;
}

/** Returns the address of the ranges that ended in the last step: start, stop, rows, f64 each. */
export function closedRanges(): usize {
  return memoryLayout.CLOSED_RANGES;
}

export function closedRangeCount(): i32 {
  return gnss.closedRanges;
}

/**
 * Returns the address of the positions at which the output of the last step changes to another range; see RANGE_BREAKS in
 * memory.ts.
 */
export function rangeBreaks(): usize {
  return memoryLayout.RANGE_BREAKS;
}

export function rangeBreakCount(): i32 {
  return gnss.rangeBreaks;
}

let entry: usize = 0;

function put(value: f64): void {
  store<f64>(entry, value);
  entry += 8;
}

/** Writes the counters as f64 in the order of `COUNTERS` in src/engine/engine-counters.ts. Returns their address. */
export function counters(): usize {
  entry = memoryLayout.COUNTERS;
  put(frame.writtenBytes() as f64);
  put(frame.readBytes() as f64);
  put(counted.knownBytes as f64);
  put(counted.unknownBytes as f64);
  put(counted.headerFrames);
  put(counted.gnssFrames);
  put(counted.ecgHrFrames);
  put(counted.ecgRawFrames);
  put(counted.unknownFrames);
  put(counted.badChecksums);
  put(counted.overlong);
  put(counted.overruns);
  put(gnss.rows);
  put(gnss.rowsWithHr);
  put(gnss.rowsTwoD);
  put(gnss.withoutDateOrTime);
  put(gnss.withoutFixOk);
  put(gnss.withoutFixType);
  put(gnss.outOfRange);
  put(gnss.withBadDate);
  put(gnss.earliestRow() as f64);
  put(gnss.latestRow() as f64);
  put(gnss.rowsProduced());
  put(gnss.spanEarliest() as f64);
  put(gnss.spanLatest() as f64);
  put(gnss.rangeStartMs as f64);
  put(gnss.previousMs as f64);
  put(gnss.rows - gnss.rowsBeforeRange);
  put(counted.ecgRawHz);
  put(gnss.rowsWithDerivedHr);
  put(derived.seconds);
  put(derived.readings);
  put(derived.readingSum);
  put(derived.readingMax);
  put(derived.rrPairs);
  put(derived.rrSquares);
  put(gnss.rowsBackwards);
  put(replacedReadings);
  put(counted.damageSignal);
  put(counted.damageOffset);
  put(counted.damageAfterMs);
  return memoryLayout.COUNTERS;
}
