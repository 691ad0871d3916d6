// Writes rows as text. A program consists of literals and fields; some apply only to rows with or without an altitude or a heart
// rate. The host compiles and checks programs (src/rows/row-text/template.ts); they are not validated again here.

import { LATITUDE, LONGITUDE, writeCoordinate } from "./coordinates";
import { writeMilliseconds, writeSeconds, writeThousandths } from "./csv";
import { copy16, writeSmall } from "./digits";
import { writeIsoTime } from "./iso-time";
import {
  ALTITUDES,
  COLUMNS,
  FIX_TYPES,
  GIVEN_COLUMNS,
  HEART_RATES,
  LATITUDES,
  LONGITUDES,
  OUTPUT,
  OUTPUT_CAPACITY,
  PROGRAM,
  SPEEDS,
} from "./memory";

// An instruction writes a literal, then a field. Its layout is: u8 conditions, u8 further conditions for the field, u8 field, u8
// decimal mark, u16 length of the literal, u16 offset of the next instruction; then the literal, padded to a multiple of 16
// bytes.
const INSTRUCTION_HEAD: usize = 8;
// The length of an instruction whose literal has at most 16 bytes.
const SHORT_INSTRUCTION: usize = INSTRUCTION_HEAD + 16;

// Conditions, all of which must hold. src/rows/row-text/template.ts has the same values.
const WITH_ALTITUDE: u32 = 1;
const WITHOUT_ALTITUDE: u32 = 2;
const WITH_HR: u32 = 4;
const WITHOUT_HR: u32 = 8;
// Flag in the conditions of the instruction: the literal is longer than 16 bytes.
const IS_LONG: u32 = 0x80;

// The text at the end of a row, its tail, is stored at the start of the first literal. Each row therefore begins with the tail of
// the previous row, which saves an instruction. The first row's copy of the tail is written before the start of the output.

// Fields. src/rows/row-text/template.ts has the same values.
const FIELD_NONE: u32 = 0;
const FIELD_SECONDS: u32 = 1;
const FIELD_LATITUDE: u32 = 2;
const FIELD_LONGITUDE: u32 = 3;
const FIELD_ALTITUDE: u32 = 4;
const FIELD_SPEED: u32 = 5;
const FIELD_HR: u32 = 6;
const FIELD_MILLISECONDS: u32 = 7;
const FIELD_ISO_TIME: u32 = 8;
const FIELD_LONGITUDE_BELOW_180: u32 = 9;
const FIELD_LOCAL_TIME: u32 = 10;
const FIELD_SPREADSHEET_TIME: u32 = 11;

const ANTIMERIDIAN: i32 = 1800000000;
const SPACE: u8 = 0x20;

let programEnd: usize = PROGRAM;
let lastStart: usize = OUTPUT;
let tailLength: usize = 0;
let utcOffset: i64 = 0;
let isLine: bool = false;

/** End of the text of the last call. */
export let textEnd: usize = OUTPUT;

/**
 * Uses the program written by the host. `maxRowBytes` is the maximum length of a row, `tailBytes` the length of
 * its tail, and `utcOffsetMs` local time minus UTC.
 */
export function takeProgram(length: i32, maxRowBytes: i32, tailBytes: i32, utcOffsetMs: i32): void {
  programEnd = PROGRAM + length;
  tailLength = tailBytes;
  utcOffset = utcOffsetMs as i64;
  lastStart = OUTPUT + OUTPUT_CAPACITY - maxRowBytes - tailBytes;
  isLine = isLineOfCsv(length);
}

// Returns whether the program writes the columns of the standard CSV in their order, with any time format, delimiter, decimal
// mark and line end. A separate loop, which reads no instructions, runs these programs.
function isLineOfCsv(length: i32): bool {
  if (length != 6 * (SHORT_INSTRUCTION as i32)) return false;
  const head = load<u32>(PROGRAM);
  const time = (head >> 16) & 0xff;
  const isTime =
    time == FIELD_SECONDS || time == FIELD_ISO_TIME || time == FIELD_LOCAL_TIME || time == FIELD_SPREADSHEET_TIME;
  return (
    (head & 0xffff) == 0 &&
    isTime &&
    isCell(LATITUDE_CELL, FIELD_LATITUDE, 0) &&
    isCell(LONGITUDE_CELL, FIELD_LONGITUDE, 0) &&
    isCell(ALTITUDE_CELL, FIELD_ALTITUDE, WITH_ALTITUDE) &&
    isCell(SPEED_CELL, FIELD_SPEED, 0) &&
    isCell(HR_CELL, FIELD_HR, WITH_HR)
  );
}

// The instructions after the time in a program for CSV lines.
const LATITUDE_CELL: usize = PROGRAM + SHORT_INSTRUCTION;
const LONGITUDE_CELL: usize = PROGRAM + 2 * SHORT_INSTRUCTION;
const ALTITUDE_CELL: usize = PROGRAM + 3 * SHORT_INSTRUCTION;
const SPEED_CELL: usize = PROGRAM + 4 * SHORT_INSTRUCTION;
const HR_CELL: usize = PROGRAM + 5 * SHORT_INSTRUCTION;

// Returns whether an instruction writes the delimiter, and then the field with this condition and the common decimal mark. The
// text before the latitude may be longer, because it can include the UTC offset of the time.
function isCell(at: usize, field: u32, condition: u32): bool {
  const head = load<u32>(at);
  if ((head & 0xffffff) != ((condition << 8) | (field << 16))) return false;
  if (load<u8>(at, 3) != load<u8>(LATITUDE_CELL, 3) && field != FIELD_HR) return false;
  if (at == LATITUDE_CELL) return true;
  return load<u16>(at, 4) == 1 && load<u8>(at, INSTRUCTION_HEAD) == load<u8>(LONGITUDE_CELL, INSTRUCTION_HEAD);
}

/**
 * Writes the rows from `from` to `to` (exclusive) as text to the output, or as many of them as fit.
 *
 * @param given whether to use the rows supplied by the host instead of those of the last step
 * @returns the first row that was not written
 */
export function writeRows(given: bool, from: i32, to: i32): i32 {
  const columns: usize = given ? GIVEN_COLUMNS : COLUMNS;
  const i = isLine ? writeLines(columns, from, to) : writeByInstructions(columns, from, to);
  copyLong(textEnd, PROGRAM + INSTRUCTION_HEAD, tailLength);
  textEnd += tailLength;
  return i;
}

function writeLines(columns: usize, from: i32, to: i32): i32 {
  const last = lastStart;
  const time = load<u8>(PROGRAM, 2) as u32;
  const timeMark = load<u8>(PROGRAM, 3);
  const mark = load<u8>(LATITUDE_CELL, 3);
  const delimiter = load<u8>(LONGITUDE_CELL, INSTRUCTION_HEAD);
  const beforeTime: usize = load<u16>(PROGRAM, 4);
  const afterTime: usize = load<u16>(LATITUDE_CELL, 4);
  let out = OUTPUT - tailLength;
  let i = from;
  for (; i < to && out <= last; i++) {
    const column = columns + ((i as usize) << 2);
    const narrow = columns + (i as usize);
    const ms = load<f64>(columns + ((i as usize) << 3)) as i64;
    copy16(out, PROGRAM + INSTRUCTION_HEAD);
    out += beforeTime;
    if (time == FIELD_SECONDS) {
      out = writeSeconds(out, ms) - 1;
      store<u8>(out - 4, timeMark);
    } else {
      out = writeDateTime(out, ms, time, timeMark);
    }
    copy16(out, LATITUDE_CELL + INSTRUCTION_HEAD);
    // the functions below write a comma after each number
    out = writeCoordinate(out + afterTime, LATITUDE, load<i32>(column, LATITUDES));
    store<u8>(out - 9, mark);
    store<u8>(out - 1, delimiter);
    out = writeCoordinate(out, LONGITUDE, load<i32>(column, LONGITUDES));
    store<u8>(out - 9, mark);
    store<u8>(out - 1, delimiter);
    if (load<u8>(narrow, FIX_TYPES) != 2) {
      out = writeThousandths(out, load<i32>(column, ALTITUDES));
      store<u8>(out - 5, mark);
    } else {
      out++;
    }
    store<u8>(out - 1, delimiter);
    out = writeThousandths(out, load<i32>(column, SPEEDS));
    store<u8>(out - 5, mark);
    store<u8>(out - 1, delimiter);
    const hr: u32 = load<u8>(narrow, HEART_RATES);
    if (hr != 0) out = writeSmall(out, hr);
  }
  textEnd = out;
  return i;
}

function writeByInstructions(columns: usize, from: i32, to: i32): i32 {
  const end = programEnd;
  const last = lastStart;
  let out = OUTPUT - tailLength;
  let i = from;
  for (; i < to && out <= last; i++) {
    const wide = columns + ((i as usize) << 3);
    const column = columns + ((i as usize) << 2);
    const narrow = columns + (i as usize);
    const hr: u32 = load<u8>(narrow, HEART_RATES);
    // the conditions that are not satisfied
    const unmet: u32 =
      (load<u8>(narrow, FIX_TYPES) == 2 ? WITH_ALTITUDE : WITHOUT_ALTITUDE) | (hr == 0 ? WITH_HR : WITHOUT_HR);
    const special = unmet | (unmet << 8) | IS_LONG;
    let at = PROGRAM;
    do {
      const head = load<u32>(at);
      const literal = at + INSTRUCTION_HEAD;
      const length: usize = load<u16>(at, 4);
      if ((head & special) == 0) {
        copy16(out, literal);
        out += length;
        at += SHORT_INSTRUCTION;
      } else {
        at += load<u16>(at, 6);
        if ((head & unmet) != 0) continue;
        copyLong(out, literal, length);
        out += length;
        if ((head & (unmet << 8)) != 0) continue;
      }
      const field = (head >> 16) & 0xff;
      const mark = (head >> 24) as u8;
      switch (field) {
        case FIELD_NONE:
          break;
        case FIELD_SECONDS: {
          out = writeSeconds(out, load<f64>(wide) as i64) - 1;
          store<u8>(out - 4, mark);
          break;
        }
        case FIELD_LATITUDE: {
          out = writeCoordinate(out, LATITUDE, load<i32>(column, LATITUDES)) - 1;
          store<u8>(out - 8, mark);
          break;
        }
        case FIELD_LONGITUDE: {
          out = writeCoordinate(out, LONGITUDE, load<i32>(column, LONGITUDES)) - 1;
          store<u8>(out - 8, mark);
          break;
        }
        case FIELD_ALTITUDE: {
          out = writeThousandths(out, load<i32>(column, ALTITUDES)) - 1;
          store<u8>(out - 4, mark);
          break;
        }
        case FIELD_SPEED: {
          out = writeThousandths(out, load<i32>(column, SPEEDS)) - 1;
          store<u8>(out - 4, mark);
          break;
        }
        case FIELD_HR: {
          out = writeSmall(out, hr);
          break;
        }
        case FIELD_MILLISECONDS: {
          out = writeMilliseconds(out, load<f64>(wide) as i64) - 1;
          break;
        }
        case FIELD_LONGITUDE_BELOW_180: {
          const longitude = load<i32>(column, LONGITUDES);
          out = writeCoordinate(out, LONGITUDE, longitude == ANTIMERIDIAN ? -ANTIMERIDIAN : longitude) - 1;
          store<u8>(out - 8, mark);
          break;
        }
        default:
          out = writeDateTime(out, load<f64>(wide) as i64, field, mark);
      }
    } while (at < end);
  }
  textEnd = out;
  return i;
}

// Writes a date and time in UTC, or a local time without its offset.
// @ts-ignore: decorator
@inline
function writeDateTime(out: usize, ms: i64, field: u32, mark: u8): usize {
  if (field == FIELD_ISO_TIME) return writeIsoTime(out, ms);
  out = writeIsoTime(out, ms + utcOffset) - 1;
  if (field == FIELD_SPREADSHEET_TIME) {
    store<u8>(out - 13, SPACE);
    store<u8>(out - 4, mark);
  }
  return out;
}

// Copies a literal. Most literals have at most 32 bytes. Up to 31 bytes too many are copied; the next field overwrites them.
// @ts-ignore: decorator
@inline
function copyLong(out: usize, literal: usize, length: usize): void {
  copy16(out, literal);
  copy16(out + 16, literal + 16);
  for (let copied: usize = 32; copied < length; copied += 16) copy16(out + copied, literal + copied);
}
