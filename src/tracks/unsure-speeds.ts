import { distanceMm, type TrackRows } from "./track-rows.js";

// A speed in TCX is in m/s, and devices of one maker write km/h. Where a runner went tells which it is.

const KMH_PER_MS = 3.6;
/** Held at most until it is known. */
const MOST_POINTS = 2000;
/** So far positions are far enough apart that their noise does not count. */
const ENOUGH_MM = 100_000;
/** Way by the speeds, divided by the way by the positions, that can only be the other unit. */
const LEAST_RATIO = 3.2;
const GREATEST_RATIO = 4;
/** Steps that are measured at least, and the part of them that must each look like the other unit, within wider bounds. */
const ENOUGH_STEPS = 10;
const LEAST_PART = 0.5;
const LEAST_STEP_RATIO = 2;
const GREATEST_STEP_RATIO = 6;
// from further apart nothing is known of the way between
const LONGEST_STEP_MS = 60_000;

type Point = Parameters<TrackRows["add"]>;

/** Passes points on to rows, as soon as the unit of their speeds is known. */
export class UnsureSpeeds {
  readonly #rows: TrackRows;
  #held: Point[] = [];
  #isSure = false;
  #byPositionsMm = 0;
  #bySpeedsMm = 0;
  #steps = 0;
  #kmhSteps = 0;

  constructor(rows: TrackRows) {
    this.#rows = rows;
  }

  add(...point: Point): void {
    if (this.#isSure) {
      this.#pass(point);
      return;
    }
    const last = this.#held.at(-1);
    if (last !== undefined) this.#measure(last, point);
    this.#held.push(point);
    if (
      (this.#byPositionsMm >= ENOUGH_MM && this.#steps >= ENOUGH_STEPS) ||
      this.#held.length === MOST_POINTS
    )
      this.decide();
  }

  /** No more points come, or enough have. */
  decide(): void {
    const ratio = this.#bySpeedsMm / this.#byPositionsMm;
    const isKmh =
      this.#byPositionsMm >= ENOUGH_MM &&
      this.#steps >= ENOUGH_STEPS &&
      this.#kmhSteps >= LEAST_PART * this.#steps &&
      ratio >= LEAST_RATIO &&
      ratio <= GREATEST_RATIO;
    if (isKmh) this.#rows.speedUnit = "km/h";
    this.#isSure = true;
    const held = this.#held;
    this.#held = [];
    for (const point of held) this.#pass(point);
  }

  #measure(
    [ms, latitude, longitude, , speed]: Point,
    [msAfter, latitudeAfter, longitudeAfter, , speedAfter]: Point,
  ) {
    const step = msAfter - ms;
    const mm = distanceMm(latitude, longitude, latitudeAfter, longitudeAfter);
    // without one of the values it is not a number
    if (!(step > 0 && step <= LONGEST_STEP_MS && mm + speed + speedAfter >= 0)) return;
    this.#byPositionsMm += mm;
    const bySpeedsMm = ((speed + speedAfter) / 2) * (step / 1000);
    this.#bySpeedsMm += bySpeedsMm;
    this.#steps += 1;
    if (bySpeedsMm >= LEAST_STEP_RATIO * mm && bySpeedsMm <= GREATEST_STEP_RATIO * mm) this.#kmhSteps += 1;
  }

  #pass([ms, latitude, longitude, altitude, speed, hr]: Point): void {
    const metric = this.#rows.speedUnit === "km/h" ? speed / KMH_PER_MS : speed;
    this.#rows.add(ms, latitude, longitude, altitude, metric, hr);
  }
}
