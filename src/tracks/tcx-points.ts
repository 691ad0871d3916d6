import type { ElementHandler, Fail } from "./element-handler.js";
import { instantOf, numberOf } from "./point-values.js";
import { SpeedUnitDetector } from "./speed-unit.js";
import { TrackPoint, type TrackRows } from "./track-rows.js";

// Track points of TCX (TrainingCenterDatabase v2) activities and courses. The speed is in the extension ActivityExtension v2.

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

  constructor(rows: TrackRows, fail: Fail) {
    this.#points = new SpeedUnitDetector(rows);
    this.#fail = fail;
  }

  open(name: string, _: Readonly<Record<string, string>>, depth: number): void {
    if (this.#pointDepth > 0) {
      if (name === "HeartRateBpm") this.#isInHeartRate = true;
      this.#value = VALUES.includes(name) && (name !== "Value" || this.#isInHeartRate) ? name : null;
      this.#text = "";
    } else if (name === "Trackpoint") {
      this.#pointDepth = depth;
      this.#point = new TrackPoint();
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
    this.#points.add(this.#point);
  }

  #take(name: string, text: string): void {
    switch (name) {
      case "Time":
        this.#point.ms = instantOf(text, name, this.#fail);
        break;
      case "LatitudeDegrees":
        this.#point.latitude = numberOf(text, 1e7, name, this.#fail);
        break;
      case "LongitudeDegrees":
        this.#point.longitude = numberOf(text, 1e7, name, this.#fail);
        break;
      case "AltitudeMeters":
        this.#point.altitude = numberOf(text, 1e3, name, this.#fail);
        break;
      case "Speed":
        this.#point.speed = numberOf(text, 1e3, name, this.#fail);
        break;
      default:
        this.#point.hr = numberOf(text, 1, name, this.#fail);
    }
  }
}
