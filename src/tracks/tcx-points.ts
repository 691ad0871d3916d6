import type { ElementReader, Refuse } from "./element-reader.js";
import { instantOf, numberOf } from "./point-values.js";
import type { TrackRows } from "./track-rows.js";
import { UnsureSpeeds } from "./unsure-speeds.js";

// TCX (TrainingCenterDatabase v2): trackpoints of activities and courses, with the speed of the extension ActivityExtension v2.

/** Values of a point, by the element that holds them; `Value` stands in a heart rate and in other things. */
const VALUES: readonly string[] = [
  "Time",
  "LatitudeDegrees",
  "LongitudeDegrees",
  "AltitudeMeters",
  "Value",
  "Speed",
];

export class TcxPoints implements ElementReader {
  readonly #points: UnsureSpeeds;
  readonly #refuse: Refuse;
  #pointDepth = 0;
  #isInHeartRate = false;
  #value: string | null = null;
  #text = "";
  #ms = Number.NaN;
  #latitude = Number.NaN;
  #longitude = Number.NaN;
  #altitude = Number.NaN;
  #speed = Number.NaN;
  #hr = Number.NaN;

  constructor(rows: TrackRows, refuse: Refuse) {
    this.#points = new UnsureSpeeds(rows);
    this.#refuse = refuse;
  }

  open(name: string, _: Readonly<Record<string, string>>, depth: number): void {
    if (this.#pointDepth > 0) {
      if (name === "HeartRateBpm") this.#isInHeartRate = true;
      this.#value = VALUES.includes(name) && (name !== "Value" || this.#isInHeartRate) ? name : null;
      this.#text = "";
    } else if (name === "Trackpoint") {
      this.#pointDepth = depth;
      this.#ms = Number.NaN;
      this.#latitude = Number.NaN;
      this.#longitude = Number.NaN;
      this.#altitude = Number.NaN;
      this.#speed = Number.NaN;
      this.#hr = Number.NaN;
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
    this.#points.add(this.#ms, this.#latitude, this.#longitude, this.#altitude, this.#speed, this.#hr);
  }

  #take(name: string, text: string): void {
    switch (name) {
      case "Time":
        this.#ms = instantOf(text, name, this.#refuse);
        break;
      case "LatitudeDegrees":
        this.#latitude = numberOf(text, 1e7, name, this.#refuse);
        break;
      case "LongitudeDegrees":
        this.#longitude = numberOf(text, 1e7, name, this.#refuse);
        break;
      case "AltitudeMeters":
        this.#altitude = numberOf(text, 1e3, name, this.#refuse);
        break;
      case "Speed":
        this.#speed = numberOf(text, 1e3, name, this.#refuse);
        break;
      default:
        this.#hr = numberOf(text, 1, name, this.#refuse);
    }
  }
}
