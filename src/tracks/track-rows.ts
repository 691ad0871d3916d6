import { MAX_GAP_MS } from "../metrics/segments.js";
import { newBatch, rowsBetween } from "../rows/sample-batch.js";
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

// Mean radius of the Earth (IUGG: 6,371,009 m).
const EARTH_RADIUS_MM = 6_371_009_000;
const RADIANS_PER_E7 = Math.PI / 180 / 1e7;

/** Numbers of points for which there is no row. */
export interface PointsLeftOut {
  /** Points without a time, or with a time that a recording cannot contain. */
  withoutTime: number;
  /** Points without a position, or with an impossible position, which devices write while they have no fix. */
  withoutPosition: number;
}

/** A point of a track. Missing values are NaN; values need not be integers. */
export class TrackPoint {
  /** ms since 1970 UTC */
  ms = Number.NaN;
  /** 1e-7 degrees */
  latitude = Number.NaN;
  /** 1e-7 degrees */
  longitude = Number.NaN;
  /** mm */
  altitude = Number.NaN;
  /** mm/s */
  speed = Number.NaN;
  /** Beats per minute; values outside 1 to 255 count as missing. */
  hr = Number.NaN;
}

/** Converts the points of a track to rows in columns. */
export class TrackRows {
  rows = 0;
  /** Number of rows whose speed is computed from positions. */
  speedsFromPositions = 0;
  /** Unit of the speeds in the track; `add` always expects mm/s. */
  speedUnit: "m/s" | "km/h" = "m/s";
  readonly leftOut: PointsLeftOut = { withoutTime: 0, withoutPosition: 0 };
  /** Earliest and latest row, ms since 1970; null if there are no rows. */
  start: number | null = null;
  end: number | null = null;
  #full: SampleBatch[] = [];
  #batch = newBatch(ROWS_PER_BATCH);
  #length = 0;
  // The rows from this index on wait for the first known speed; null if no row waits.
  #openFrom: number | null = null;
  #isSegmentNew = true;
  #lastMs = 0;
  #lastLatitude = 0;
  #lastLongitude = 0;
  #lastSpeed = 0;

  /** Starts a segment. No speed is computed between the last point and the next one. */
  startSegment(): void {
    this.#isSegmentNew = true;
  }

  add({ ms, latitude, longitude, altitude, speed, hr }: TrackPoint): void {
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
    const speedMmPerS = this.#speedOf(timestampMs, latitudeE7, longitudeE7, speed);
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
    // Of several points with the same time, the way to the next time begins at the first one.
    if (this.#isSegmentNew || timestampMs !== this.#lastMs) {
      this.#lastMs = timestampMs;
      this.#lastLatitude = latitudeE7;
      this.#lastLongitude = longitudeE7;
    }
    this.#isSegmentNew = false;
    this.#lastSpeed = speedMmPerS;
  }

  /** Time of the last row, ms since 1970 UTC; null if there are no rows. */
  get lastMs(): number | null {
    return this.rows === 0 ? null : this.#lastMs;
  }

  /** Returns the completed batches. */
  take(): SampleBatch[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** Ends the track, and returns the remaining rows. */
  takeRest(): SampleBatch[] {
    this.#completeBatch();
    return this.take();
  }

  #completeBatch(): void {
    if (this.#length === 0) return;
    this.#full.push(rowsBetween(this.#batch, 0, this.#length));
    this.#batch = newBatch(ROWS_PER_BATCH);
    this.#length = 0;
    if (this.#openFrom !== null) this.#openFrom = 0;
  }

  /**
   * Returns the speed of the next row in mm/s: its own, or one computed from positions. The first rows of a segment, if they have
   * no speed, get the first known speed of the segment. They are all in the same batch, unless thousands of rows have the same
   * time.
   */
  #speedOf(ms: number, latitude: number, longitude: number, own: number): number {
    const hasOwn = own >= 0 && own <= INT32_MAX;
    if (!hasOwn) this.speedsFromPositions += 1;
    const elapsed = ms - this.#lastMs;
    const isNew = this.#isSegmentNew || Math.abs(elapsed) > MAX_GAP_MS;
    if (isNew) this.#openFrom = hasOwn ? null : this.#length;
    if (!hasOwn && isNew) return 0;
    // points that are not later than the previous one get its speed
    if (!hasOwn && elapsed <= 0) return this.#lastSpeed;
    const speed = hasOwn ? Math.round(own) : this.#speedFromLast(elapsed, latitude, longitude);
    if (this.#openFrom !== null) this.#batch.speedMmPerS.fill(speed, this.#openFrom, this.#length);
    this.#openFrom = null;
    return speed;
  }

  #speedFromLast(elapsedMs: number, latitude: number, longitude: number): number {
    const mm = distanceMm(this.#lastLatitude, this.#lastLongitude, latitude, longitude);
    return Math.min(INT32_MAX, Math.round((mm / elapsedMs) * 1000));
  }
}

/** Returns the distance in mm between two positions in 1e-7 degrees along the great circle (haversine formula). */
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
