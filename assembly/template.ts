// Rows as text, by a program: literals and fields, each perhaps only for rows with or without altitude or heart rate. The
// host makes programs and checks them (src/row-text/template.ts); nothing here looks at them twice.

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
  COLUMN_ALTITUDE,
  COLUMN_FIX_TYPE,
  COLUMN_HR,
  COLUMN_LATITUDE,
  COLUMN_LONGITUDE,
  COLUMN_SPEED,
  COLUMN_TIMESTAMP,
  GIVEN_ROW_CAPACITY,
  GIVEN_ROWS,
  OUTPUT,
  OUTPUT_CAPACITY,
  PROGRAM,
} from "./memory";

// An instruction: u8 conditions, u8 field, u8 decimal mark, u8 nothing, u16 length of the literal, u16 bytes up to the next
// instruction; then the literal, in room of a multiple of 16 bytes. It writes the literal, then the field.
const INSTRUCTION_HEAD: usize = 8;

// Conditions, all of which must hold; the values are known to src/row-text/template.ts.
const WITH_ALTITUDE: u64 = 1;
const WITHOUT_ALTITUDE: u64 = 2;
const WITH_HR: u64 = 4;
const WITHOUT_HR: u64 = 8;

// Fields; the values are known to src/row-text/template.ts.
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

const ANTIMERIDIAN: i32 = 1800000000;

let programEnd: usize = PROGRAM;
let lastStart: usize = OUTPUT;

/** Where the text of the last call ends. */
export let textEnd: usize = OUTPUT;

/** The host has written a program. `maxRowBytes`: the most that it writes for a row. */
export function takeProgram(length: i32, maxRowBytes: i32): void {
  programEnd = PROGRAM + length;
  lastStart = OUTPUT + OUTPUT_CAPACITY - maxRowBytes;
}

/**
 * Writes rows as text to the output, from `from` on up to `to` (not including it), as many as there is room for.
 *
 * @param given whether they are rows of the host's and not those of the last step
 * @returns the first row that was not written
 */
export function writeRows(given: bool, from: i32, to: i32): i32 {
  const timestamps = given ? GIVEN_ROWS : COLUMN_TIMESTAMP;
  const latitudes = given ? GIVEN_ROWS + 8 * GIVEN_ROW_CAPACITY : COLUMN_LATITUDE;
  const longitudes = given ? GIVEN_ROWS + 12 * GIVEN_ROW_CAPACITY : COLUMN_LONGITUDE;
  const altitudes = given ? GIVEN_ROWS + 16 * GIVEN_ROW_CAPACITY : COLUMN_ALTITUDE;
  const speeds = given ? GIVEN_ROWS + 20 * GIVEN_ROW_CAPACITY : COLUMN_SPEED;
  const heartRates = given ? GIVEN_ROWS + 24 * GIVEN_ROW_CAPACITY : COLUMN_HR;
  const fixTypes = given ? GIVEN_ROWS + 25 * GIVEN_ROW_CAPACITY : COLUMN_FIX_TYPE;
  const end = programEnd;
  const last = lastStart;
  let out = OUTPUT;
  let i = from;
  for (; i < to && out <= last; i++) {
    const hr = load<u8>(heartRates + i) as u32;
    const met =
      (load<u8>(fixTypes + i) == 2 ? WITHOUT_ALTITUDE : WITH_ALTITUDE) | (hr == 0 ? WITHOUT_HR : WITH_HR);
    let at = PROGRAM;
    while (at < end) {
      const head = load<u64>(at);
      const literal = at + INSTRUCTION_HEAD;
      at += (head >> 48) as usize;
      if ((head & ~met & 0xff) != 0) continue;
      const length = ((head >> 32) & 0xffff) as usize;
      copy16(out, literal);
      if (length > 16) copyLong(out, literal, length);
      out += length;
      switch (((head >> 8) & 0xff) as u32) {
        case FIELD_NONE:
          break;
        case FIELD_SECONDS:
          out = writeSeconds(out, load<f64>(timestamps + (i << 3)) as i64) - 1;
          store<u8>(out - 4, (head >> 16) as u8);
          break;
        case FIELD_LATITUDE:
          out = writeCoordinate(out, LATITUDE, load<i32>(latitudes + (i << 2))) - 1;
          store<u8>(out - 8, (head >> 16) as u8);
          break;
        case FIELD_LONGITUDE:
          out = writeCoordinate(out, LONGITUDE, load<i32>(longitudes + (i << 2))) - 1;
          store<u8>(out - 8, (head >> 16) as u8);
          break;
        case FIELD_ALTITUDE:
          out = writeThousandths(out, load<i32>(altitudes + (i << 2))) - 1;
          store<u8>(out - 4, (head >> 16) as u8);
          break;
        case FIELD_SPEED:
          out = writeThousandths(out, load<i32>(speeds + (i << 2))) - 1;
          store<u8>(out - 4, (head >> 16) as u8);
          break;
        case FIELD_HR:
          out = writeSmall(out, hr);
          break;
        case FIELD_MILLISECONDS:
          out = writeMilliseconds(out, load<f64>(timestamps + (i << 3)) as i64) - 1;
          break;
        case FIELD_ISO_TIME:
          out = writeIsoTime(out, load<f64>(timestamps + (i << 3)) as i64);
          break;
        case FIELD_LONGITUDE_BELOW_180: {
          const longitude = load<i32>(longitudes + (i << 2));
          out = writeCoordinate(out, LONGITUDE, longitude == ANTIMERIDIAN ? -ANTIMERIDIAN : longitude) - 1;
          store<u8>(out - 8, (head >> 16) as u8);
          break;
        }
      }
    }
  }
  textEnd = out;
  return i;
}

// The rest of a literal, behind its first 16 bytes. Up to 15 bytes too many, which the next field covers.
// @ts-ignore: decorator
@inline
function copyLong(out: usize, literal: usize, length: usize): void {
  for (let copied: usize = 16; copied < length; copied += 16) copy16(out + copied, literal + copied);
}
