import type { ElementHandler, Fail, PointTaker } from "./element-handler.js";
import { instantOf, numberOf, VALUE_SCALES } from "./point-values.js";
import { SpeedUnitDetector } from "./speed-unit.js";
import { TrackPoint } from "./track-rows.js";

// Reads track points of TCX (TrainingCenterDatabase v2) activities and courses. The speed is in the extension ActivityExtension
// v2.

/** Elements that contain values of a point; `Value` occurs in heart rates and in other elements. */
const VALUES: readonly string[] = [
  "Time",
  "LatitudeDegrees",
  "LongitudeDegrees",
  "AltitudeMeters",
  "Value",
  "Speed",
];

export class TcxPoints implements ElementHandler {
  readonly #points: SpeedUnitDetector;
  readonly #fail: Fail;
  #pointDepth = 0;
  #isInHeartRate = false;
  #value: string | null = null;
  #text = "";
  #point = new TrackPoint();

  constructor(rows: PointTaker, fail: Fail) {
    this.#points = new SpeedUnitDetector(rows);
    this.#fail = fail;
  }

  get isInPoint(): boolean {
    return this.#pointDepth > 0;
  }

  open(name: string, _: Readonly<Record<string, string>>, depth: number): void {
    if (this.#pointDepth > 0) {
      if (name === "HeartRateBpm") this.#isInHeartRate = true;
      this.#value = VALUES.includes(name) && (name !== "Value" || this.#isInHeartRate) ? name : null;
      this.#text = "";
    } else if (name === "Trackpoint") {
      this.#pointDepth = depth;
      this.#point = new TrackPoint();
    } else if (name === "Track") {
      // a device ends the track at a pause
      this.#points.startSegment();
    }
  }

  text(text: string): void {
    if (this.#value !== null) this.#text += text;
  }

  close(name: string, depth: number): void {
    if (this.#value !== null) {
      this.#take(this.#value, this.#text);
      this.#value = null;
    }
    if (name === "HeartRateBpm") this.#isInHeartRate = false;
    if (depth === 1) this.#points.decide();
    if (depth !== this.#pointDepth) return;
    this.#pointDepth = 0;
    this.add(this.#point);
  }

  add(point: TrackPoint): void {
    this.#points.add(point);
  }

  #take(name: string, text: string): void {
    switch (name) {
      case "Time":
        this.#point.ms = instantOf(text, name, this.#fail);
        break;
      case "LatitudeDegrees":
        this.#point.latitude = numberOf(text, VALUE_SCALES.latitude, name, this.#fail);
        break;
      case "LongitudeDegrees":
        this.#point.longitude = numberOf(text, VALUE_SCALES.longitude, name, this.#fail);
        break;
      case "AltitudeMeters":
        this.#point.altitude = numberOf(text, VALUE_SCALES.altitude, name, this.#fail);
        break;
      case "Speed":
        this.#point.speed = numberOf(text, VALUE_SCALES.speed, name, this.#fail);
        break;
      default:
        this.#point.hr = numberOf(text, VALUE_SCALES.hr, name, this.#fail);
    }
  }
}
