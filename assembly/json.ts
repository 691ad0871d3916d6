// Rows as JSON objects, from the columns. Keys in the order and with the names of the service's raw data samples.

import {
  COMMA,
  LATITUDE,
  LONGITUDE,
  writeCoordinate,
  writeMilliseconds,
  writeSmall,
  writeThousandths,
} from "./csv";
import {
  COLUMN_ALTITUDE,
  COLUMN_FIX_TYPE,
  COLUMN_HR,
  COLUMN_LATITUDE,
  COLUMN_LONGITUDE,
  COLUMN_SPEED,
  COLUMN_TIMESTAMP,
  OUTPUT,
  OUTPUT_CAPACITY,
} from "./memory";

/** The most bytes of a row: 96 for keys and signs, 68 for digits (four of 12, a time of 16, a heart rate of 4). */
export const MAX_ROW_BYTES: i32 = 164;
/** The most rows that one call writes. */
export const JSON_ROWS: i32 = OUTPUT_CAPACITY / MAX_ROW_BYTES;

const NULL_COMMA: u64 = 0x2c6c6c756e;
const NULL: u32 = 0x6c6c756e;
const END_COMMA: u16 = 0x2c7d;

// Each text lies in 24 bytes, so that three stores copy it.
const TEXT_BYTES: usize = 24;
const TEXTS: usize = memory.data(24 * 6, 16);
const ALTITUDE_KEY: usize = TEXTS;
const LATITUDE_KEY: usize = TEXTS + TEXT_BYTES;
const LONGITUDE_KEY: usize = TEXTS + 2 * TEXT_BYTES;
const SPEED_KEY: usize = TEXTS + 3 * TEXT_BYTES;
const TIMESTAMP_KEY: usize = TEXTS + 4 * TEXT_BYTES;
const HR_KEY: usize = TEXTS + 5 * TEXT_BYTES;

/** Lays out the keys; once, before the first row. */
export function fillKeys(): void {
  fill(ALTITUDE_KEY, '{"gnss.altitude":');
  fill(LATITUDE_KEY, '"gnss.latitude":');
  fill(LONGITUDE_KEY, '"gnss.longitude":');
  fill(SPEED_KEY, '"gnss.speed":');
  fill(TIMESTAMP_KEY, '"gnss.timestamp":');
  fill(HR_KEY, '"ecg.hr":');
}

function fill(at: usize, text: string): void {
  for (let i = 0; i < text.length; i++) store<u8>(at + i, text.charCodeAt(i) as u8);
}

// @ts-ignore: decorator
@inline
function writeKey(out: usize, key: usize, length: usize): usize {
  store<u64>(out, load<u64>(key));
  store<u64>(out, load<u64>(key, 8), 8);
  store<u64>(out, load<u64>(key, 16), 16);
  return out + length;
}

/** Writes the first `rows` rows of the columns to the output, a comma behind each, and returns where they end. */
export function writeJsonRows(rows: i32): usize {
  let out = OUTPUT;
  for (let i: usize = 0; i < (rows as usize); i++) {
    out = writeKey(out, ALTITUDE_KEY, 17);
    if (load<u8>(COLUMN_FIX_TYPE + i) == 2) {
      store<u64>(out, NULL_COMMA);
      out += 5;
    } else {
      out = writeThousandths(out, load<i32>(COLUMN_ALTITUDE + (i << 2)));
    }
    out = writeKey(out, LATITUDE_KEY, 16);
    out = writeCoordinate(out, LATITUDE, load<i32>(COLUMN_LATITUDE + (i << 2)));
    store<u8>(out - 1, COMMA);
    out = writeKey(out, LONGITUDE_KEY, 17);
    out = writeCoordinate(out, LONGITUDE, load<i32>(COLUMN_LONGITUDE + (i << 2)));
    store<u8>(out - 1, COMMA);
    out = writeKey(out, SPEED_KEY, 13);
    out = writeThousandths(out, load<i32>(COLUMN_SPEED + (i << 2)));
    out = writeKey(out, TIMESTAMP_KEY, 17);
    out = writeMilliseconds(out, load<f64>(COLUMN_TIMESTAMP + (i << 3)) as i64);
    out = writeKey(out, HR_KEY, 9);
    const hr = load<u8>(COLUMN_HR + i) as i32;
    if (hr == 0) {
      store<u32>(out, NULL);
      out += 4;
    } else {
      out = writeSmall(out, hr);
    }
    store<u16>(out, END_COMMA);
    out += 2;
  }
  return out;
}
