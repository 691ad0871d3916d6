// Writes rows as text by a program of literals and fields, each of which may depend on whether a row has an altitude or a heart
// rate. The host compiles and checks programs (src/row-text/template.ts); they are not validated again here.

import {
  copy16,
  LATITUDE,
  LONGITUDE,
  writeCoordinate,
  writeMilliseconds,
  writeSeconds,
  writeSmall,
  writeThousandths,
} from "./csv";
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

// An instruction: u8 conditions, u8 further conditions of its field, u8 field, u8 decimal mark, u16 length of the literal, u16
// offset of the next instruction; then the literal, padded to a multiple of 16 bytes. It writes the literal, then the field.
const INSTRUCTION_HEAD: usize = 8;

// Conditions, all of which must hold. src/row-text/template.ts has the same values.
const WITH_ALTITUDE: u32 = 1;
const WITHOUT_ALTITUDE: u32 = 2;
const WITH_HR: u32 = 4;
const WITHOUT_HR: u32 = 8;
// Flag among the conditions of the instruction: the literal is longer than 16 bytes.
const IS_LONG: u32 = 0x80;

// The text at the end of a row, its tail, is at the start of the first literal: each row begins with the tail of the previous
// one, which saves an instruction. The tail before the first row is written in front of the output.

// Fields. src/row-text/template.ts has the same values.
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

/** Where the text of the last call ends. */
export let textEnd: usize = OUTPUT;

/**
 * Uses the program that the host has written. `maxRowBytes`: maximum length of a row; `tailBytes`: length of its tail;
 * `utcOffsetMs`: local time minus UTC.
 */
export function takeProgram(length: i32, maxRowBytes: i32, tailBytes: i32, utcOffsetMs: i32): void {
  programEnd = PROGRAM + length;
  tailLength = tailBytes;
  utcOffset = utcOffsetMs as i64;
  lastStart = OUTPUT + OUTPUT_CAPACITY - maxRowBytes - tailBytes;
}

/**
 * Writes the rows from `from` to `to` (exclusive) as text to the output, or as many of them as fit.
 *
 * @param given whether to use the rows supplied by the host instead of those of the last step
 * @returns the first row that was not written
 */
export function writeRows(given: bool, from: i32, to: i32): i32 {
  const columns: usize = given ? GIVEN_COLUMNS : COLUMNS;
  const end = programEnd;
  const last = lastStart;
  let out = OUTPUT - tailLength;
  let i = from;
  for (; i < to && out <= last; i++) {
    const wide = columns + ((i as usize) << 3);
    const column = columns + ((i as usize) << 2);
    const narrow = columns + (i as usize);
    const hr: u32 = load<u8>(narrow, HEART_RATES);
    // the conditions that do not hold
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
        at += INSTRUCTION_HEAD + 16;
      } else {
        at += load<u16>(at, 6);
        if ((head & unmet) != 0) continue;
        copyLong(out, literal, length);
        out += length;
        if ((head & (unmet << 8)) != 0) continue;
      }
      const field = (head >> 16) & 0xff;
      const mark = (head >> 24) as u8;
      if (field <= FIELD_SPEED) {
        if (field >= FIELD_ALTITUDE) {
          out = writeThousandths(out, load<i32>(column + (field == FIELD_SPEED ? SPEEDS : ALTITUDES))) - 1;
          store<u8>(out - 4, mark);
        } else if (field == FIELD_LATITUDE) {
          out = writeCoordinate(out, LATITUDE, load<i32>(column, LATITUDES)) - 1;
          store<u8>(out - 8, mark);
        } else if (field == FIELD_LONGITUDE) {
          out = writeCoordinate(out, LONGITUDE, load<i32>(column, LONGITUDES)) - 1;
          store<u8>(out - 8, mark);
        } else if (field == FIELD_SECONDS) {
          out = writeSeconds(out, load<f64>(wide) as i64) - 1;
          store<u8>(out - 4, mark);
        }
      } else if (field == FIELD_ISO_TIME) {
        out = writeIsoTime(out, load<f64>(wide) as i64);
      } else if (field == FIELD_HR) {
        out = writeSmall(out, hr);
      } else if (field == FIELD_MILLISECONDS) {
        out = writeMilliseconds(out, load<f64>(wide) as i64) - 1;
      } else if (field >= FIELD_LOCAL_TIME) {
        out = writeIsoTime(out, (load<f64>(wide) as i64) + utcOffset) - 1;
        if (field == FIELD_SPREADSHEET_TIME) {
          store<u8>(out - 13, SPACE);
          store<u8>(out - 4, mark);
        }
      } else {
        const longitude = load<i32>(column, LONGITUDES);
        out = writeCoordinate(out, LONGITUDE, longitude == ANTIMERIDIAN ? -ANTIMERIDIAN : longitude) - 1;
        store<u8>(out - 8, mark);
      }
    } while (at < end);
  }
  copyLong(out, PROGRAM + INSTRUCTION_HEAD, tailLength);
  textEnd = out + tailLength;
  return i;
}

// Most literals have at most 32 bytes. Copies up to 31 bytes too many, which the next field overwrites.
// @ts-ignore: decorator
@inline
function copyLong(out: usize, literal: usize, length: usize): void {
  copy16(out, literal);
  copy16(out + 16, literal + 16);
  for (let copied: usize = 32; copied < length; copied += 16) copy16(out + copied, literal + copied);
}
