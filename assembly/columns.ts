import {
  COLUMN_ALTITUDE,
  COLUMN_FIX_TYPE,
  COLUMN_HR,
  COLUMN_LATITUDE,
  COLUMN_LONGITUDE,
  COLUMN_SPEED,
  COLUMN_TIMESTAMP,
} from "./memory";

/** Puts a row at `index` of the columns. */
// @ts-ignore: decorator
@inline
export function storeRow(
  index: usize,
  ms: i64,
  latitudeE7: i32,
  longitudeE7: i32,
  altitudeMm: i32,
  speedMmPerS: i32,
  hr: i32,
  fixType: i32,
): void {
  // exact: rows lie between the years 0 and 10000
  store<f64>(COLUMN_TIMESTAMP + (index << 3), ms as f64);
  store<i32>(COLUMN_LATITUDE + (index << 2), latitudeE7);
  store<i32>(COLUMN_LONGITUDE + (index << 2), longitudeE7);
  store<i32>(COLUMN_ALTITUDE + (index << 2), altitudeMm);
  store<i32>(COLUMN_SPEED + (index << 2), speedMmPerS);
  store<u8>(COLUMN_HR + index, hr as u8);
  store<u8>(COLUMN_FIX_TYPE + index, fixType as u8);
}
