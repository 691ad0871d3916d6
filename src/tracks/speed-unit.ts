import { KM_PER_H } from "../metrics/rounding.js";
import type { PointTaker } from "./element-handler.js";
import { distanceMm, type TrackPoint } from "./track-rows.js";

// Detects the unit of speeds in a file. TCX requires m/s, but devices of one manufacturer write km/h. The positions reveal which
// unit is used.

/** Maximum number of points that are buffered while the unit is unknown. */
const MAX_POINTS = 2000;
/** From this distance on, position noise is negligible. */
const MIN_DISTANCE_MM = 100_000;
/**
 * Limits for the distance computed from speeds, divided by the distance between positions. It is within them only for speeds in
 * km/h.
 */
const MIN_RATIO = 3.2;
const MAX_RATIO = 4;
/** Minimum number of measured steps, and the share of them that must be between wider limits. */
const MIN_STEPS = 10;
const MIN_SHARE = 0.5;
const MIN_STEP_RATIO = 2;
const MAX_STEP_RATIO = 6;
// longer gaps are ignored, because the distance between their ends is unknown
const MAX_STEP_MS = 60_000;

/** Buffers points and starts of segments until the unit of the speeds is known, then passes them on. */
export class SpeedUnitDetector {
  readonly #rows: PointTaker;
  /** Null starts a segment. */
  #buffered: (TrackPoint | null)[] = [];
  #isDecided = false;
  #byPositionsMm = 0;
  #bySpeedsMm = 0;
  #steps = 0;
  #kmhSteps = 0;

  constructor(rows: PointTaker) {
    this.#rows = rows;
  }

  startSegment(): void {
    if (this.#isDecided) this.#rows.startSegment();
    else if (this.#buffered.at(-1) != null) this.#buffered.push(null);
  }

  add(point: TrackPoint): void {
    if (this.#isDecided) {
      this.#pass(point);
      return;
    }
    const last = this.#buffered.at(-1);
    if (last != null) this.#measure(last, point);
    this.#buffered.push(point);
    const isEnough = this.#byPositionsMm >= MIN_DISTANCE_MM && this.#steps >= MIN_STEPS;
    if (isEnough || this.#buffered.length >= MAX_POINTS) this.decide();
  }

  /** Determines the unit, at the end of the track or when there are enough points. */
  decide(): void {
    const ratio = this.#bySpeedsMm / this.#byPositionsMm;
    const isKmh =
      this.#byPositionsMm >= MIN_DISTANCE_MM &&
      this.#steps >= MIN_STEPS &&
      this.#kmhSteps >= MIN_SHARE * this.#steps &&
      ratio >= MIN_RATIO &&
      ratio <= MAX_RATIO;
    if (isKmh) this.#rows.speedUnit = "km/h";
    this.#isDecided = true;
    const buffered = this.#buffered;
    this.#buffered = [];
    for (const point of buffered) this.#pass(point);
  }

  #measure(point: TrackPoint, next: TrackPoint) {
    const step = next.ms - point.ms;
    const mm = distanceMm(point.latitude, point.longitude, next.latitude, next.longitude);
    // the condition is false if a value is missing, because the sum is then NaN
    if (!(step > 0 && step <= MAX_STEP_MS && mm + point.speed + next.speed >= 0)) return;
    this.#byPositionsMm += mm;
    const bySpeedsMm = ((point.speed + next.speed) / 2) * (step / 1000);
    this.#bySpeedsMm += bySpeedsMm;
    this.#steps += 1;
    if (bySpeedsMm >= MIN_STEP_RATIO * mm && bySpeedsMm <= MAX_STEP_RATIO * mm) this.#kmhSteps += 1;
  }

  #pass(point: TrackPoint | null): void {
    if (point === null) {
      this.#rows.startSegment();
      return;
    }
    if (this.#rows.speedUnit === "km/h") point.speed /= KM_PER_H;
    this.#rows.add(point);
  }
}
