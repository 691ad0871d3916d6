import {
  ALTITUDES,
  COLUMNS,
  FIX_TYPES,
  HEART_RATES,
  LATITUDES,
  LONGITUDES,
  PDOPS,
  QUALITY,
  SATELLITES,
  SPEEDS,
} from "./memory";

/** Whether the quality of rows is also required. */
export let hasQuality: bool = false;

export function resetColumns(quality: bool): void {
  hasQuality = quality;
}

/** Stores the quality of the row of a NAV-PVT at `index` of its columns. */
// @ts-ignore: decorator
@inline
export function storeQuality(index: usize, payload: usize): void {
  store<u32>(QUALITY + (index << 2), load<u32>(payload, 68));
  store<u16>(QUALITY + (index << 1), load<u16>(payload, 76), PDOPS);
  store<u8>(QUALITY + index, load<u8>(payload, 23), SATELLITES);
}

/** Stores a row at `index` of the columns. */
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
  // this is exact, because rows are between the years 0 and 10000
  store<f64>(COLUMNS + (index << 3), ms as f64);
  store<i32>(COLUMNS + (index << 2), latitudeE7, LATITUDES);
  store<i32>(COLUMNS + (index << 2), longitudeE7, LONGITUDES);
  store<i32>(COLUMNS + (index << 2), altitudeMm, ALTITUDES);
  store<i32>(COLUMNS + (index << 2), speedMmPerS, SPEEDS);
  store<u8>(COLUMNS + index, hr as u8, HEART_RATES);
  store<u8>(COLUMNS + index, fixType as u8, FIX_TYPES);
}
