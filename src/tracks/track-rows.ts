import { MAX_GAP_MS } from "../ranges.js";
import { newBatch, rowsBetween } from "../sample-batch.js";
import type { SampleBatch } from "../types.js";

const ROWS_PER_BATCH = 2048;
const INT32_MAX = 2 ** 31 - 1;
// years 1 to 9999, as in a recording
const EARLIEST_MS = Date.parse("0001-01-01T00:00:00Z");
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MAX_LATITUDE_E7 = 90e7;
const MAX_LONGITUDE_E7 = 180e7;
const TWO_DIMENSIONAL = 2;
const THREE_DIMENSIONAL = 3;

// A sphere of the Earth's mean radius (IUGG: 6,371,009 m).
const EARTH_RADIUS_MM = 6_371_009_000;
const RADIANS_PER_E7 = Math.PI / 180 / 1e7;

/** Number of points that gave no row. */
export interface LeftOut {
  /** Points without a time, or with one that a recording cannot contain. */
  withoutTime: number;
  /** Points without a position, or with an impossible one, which devices write while they have no fix. */
  withoutPosition: number;
}

/** Converts the points of a track to rows in columns. Missing values are NaN; values need not be integers. */
export class TrackRows {
  rows = 0;
  /** Number of rows whose speed is computed from positions. */
  speedsFromPositions = 0;
  /** Unit of the speeds in the track; `add` always expects mm/s. */
  speedUnit: "m/s" | "km/h" = "m/s";
  readonly leftOut: LeftOut = { withoutTime: 0, withoutPosition: 0 };
  /** Earliest and latest row, ms since 1970; null without rows. */
  start: number | null = null;
  end: number | null = null;
  #full: SampleBatch[] = [];
  #batch = newBatch(ROWS_PER_BATCH);
  #length = 0;
  // Whether the last row still waits for the speed of the next one.
  #isLastSpeedOpen = false;
  #isSegmentNew = true;
  #lastMs = 0;
  #lastLatitude = 0;
  #lastLongitude = 0;
  #lastSpeed = 0;

  /** Starts a segment: no speed is computed between the last point and the next one. */
  startSegment(): void {
    this.#isSegmentNew = true;
  }

  /**
   * @param ms since 1970 UTC
   * @param latitude 1e-7 degrees
   * @param longitude 1e-7 degrees
   * @param altitude mm
   * @param speed mm/s
   * @param hr beats per minute; values outside 1 to 255 count as missing
   */
  add(ms: number, latitude: number, longitude: number, altitude: number, speed: number, hr: number): void {
    if (!(ms >= EARLIEST_MS && ms <= LATEST_MS)) {
      this.leftOut.withoutTime += 1;
      return;
    }
    if (!(Math.abs(latitude) <= MAX_LATITUDE_E7 && Math.abs(longitude) <= MAX_LONGITUDE_E7)) {
      this.leftOut.withoutPosition += 1;
      return;
    }
    const timestampMs = Math.round(ms);
    const latitudeE7 = Math.round(latitude);
    const longitudeE7 = Math.round(longitude);
    const ownSpeed = speed >= 0 && speed <= INT32_MAX ? Math.round(speed) : null;
    const speedMmPerS = ownSpeed ?? this.#speedFromPositions(timestampMs, latitudeE7, longitudeE7);
    if (this.#length === ROWS_PER_BATCH) this.#completeBatch();
    const at = this.#length++;
    const batch = this.#batch;
    const altitudeMm = Math.round(altitude);
    const hasAltitude = altitudeMm === (altitudeMm | 0);
    batch.timestampMs[at] = timestampMs;
    batch.latitudeE7[at] = latitudeE7;
    batch.longitudeE7[at] = longitudeE7;
    batch.altitudeMm[at] = hasAltitude ? altitudeMm : 0;
    batch.speedMmPerS[at] = speedMmPerS;
    const bpm = Math.round(hr);
    batch.hr[at] = bpm >= 1 && bpm <= 255 ? bpm : 0;
    batch.fixType[at] = hasAltitude ? THREE_DIMENSIONAL : TWO_DIMENSIONAL;
    this.rows += 1;
    if (this.start === null || timestampMs < this.start) this.start = timestampMs;
    if (this.end === null || timestampMs > this.end) this.end = timestampMs;
    this.#isSegmentNew = false;
    this.#lastMs = timestampMs;
    this.#lastLatitude = latitudeE7;
    this.#lastLongitude = longitudeE7;
    this.#lastSpeed = speedMmPerS;
  }

  /** Returns the completed batches. */
  take(): SampleBatch[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** Ends the track: returns the remaining rows. */
  takeRest(): SampleBatch[] {
    this.#completeBatch();
    return this.take();
  }

  #completeBatch(): void {
    if (this.#length === 0) return;
    this.#full.push(rowsBetween(this.#batch, 0, this.#length));
    this.#batch = newBatch(ROWS_PER_BATCH);
    this.#length = 0;
  }

  // The first row of a segment gets the speed of the second. It is still in the batch then.
  #speedFromPositions(ms: number, latitude: number, longitude: number): number {
    this.speedsFromPositions += 1;
    const elapsed = ms - this.#lastMs;
    if (this.#isSegmentNew || Math.abs(elapsed) > MAX_GAP_MS) {
      this.#isLastSpeedOpen = true;
      return 0;
    }
    // points with the same time as the previous one get its speed
    if (elapsed <= 0) return this.#lastSpeed;
    const mm = distanceMm(this.#lastLatitude, this.#lastLongitude, latitude, longitude);
    const speed = Math.min(INT32_MAX, Math.round((mm / elapsed) * 1000));
    if (this.#isLastSpeedOpen) {
      this.#isLastSpeedOpen = false;
      this.#batch.speedMmPerS[this.#length - 1] = speed;
    }
    return speed;
  }
}

/** Distance in mm between two positions in 1e-7 degrees along the great circle (haversine formula). */
export function distanceMm(
  latitude1: number,
  longitude1: number,
  latitude2: number,
  longitude2: number,
): number {
  const north = Math.sin(((latitude2 - latitude1) * RADIANS_PER_E7) / 2);
  const east = Math.sin(((longitude2 - longitude1) * RADIANS_PER_E7) / 2);
  const parallel = Math.cos(latitude1 * RADIANS_PER_E7) * Math.cos(latitude2 * RADIANS_PER_E7);
  const halfChord = Math.sqrt(north * north + parallel * east * east);
  return 2 * EARTH_RADIUS_MM * Math.asin(Math.min(1, halfChord));
}
