import type { ElementReader, Refuse } from "./element-reader.js";
import { instantOf, numberOf } from "./point-values.js";
import type { TrackRows } from "./track-rows.js";

// GPX 1.1 (topografix.com/GPX/1/1): points of tracks. Heart rates and speeds stand in extensions, whose names differ by their
// prefix only, and in GPX 1.0 the speed in the point itself.

const VALUES: readonly string[] = ["ele", "time", "hr", "heartrate", "speed"];
/** Elements of the point itself, and of nothing in it. */
const OF_POINT: readonly string[] = ["ele", "time"];

export class GpxPoints implements ElementReader {
  readonly #rows: TrackRows;
  readonly #refuse: Refuse;
  /** Depth of the point that is being read; 0: none. */
  #pointDepth = 0;
  /** Name of the value that is being read; null: none. */
  #value: string | null = null;
  #text = "";
  #ms = Number.NaN;
  #latitude = Number.NaN;
  #longitude = Number.NaN;
  #altitude = Number.NaN;
  #speed = Number.NaN;
  #hr = Number.NaN;

  constructor(rows: TrackRows, refuse: Refuse) {
    this.#rows = rows;
    this.#refuse = refuse;
  }

  open(name: string, attributes: Readonly<Record<string, string>>, depth: number): void {
    if (this.#pointDepth > 0) {
      const isValue = VALUES.includes(name) && (depth === this.#pointDepth + 1 || !OF_POINT.includes(name));
      this.#value = isValue ? name : null;
      this.#text = "";
    } else if (name === "trkpt") {
      this.#pointDepth = depth;
      this.#latitude = this.#degrees("lat", attributes.lat);
      this.#longitude = this.#degrees("lon", attributes.lon);
      this.#ms = Number.NaN;
      this.#altitude = Number.NaN;
      this.#speed = Number.NaN;
      this.#hr = Number.NaN;
    } else if (name === "trkseg") {
      this.#rows.startSegment();
    }
  }

  text(text: string): void {
    if (this.#value !== null) this.#text += text;
  }

  close(_: string, depth: number): void {
    if (this.#value !== null) {
      this.#take(this.#value, this.#text);
      this.#value = null;
    }
    if (depth !== this.#pointDepth) return;
    this.#pointDepth = 0;
    this.#rows.add(this.#ms, this.#latitude, this.#longitude, this.#altitude, this.#speed, this.#hr);
  }

  #degrees(name: string, text: string | undefined): number {
    if (text === undefined) return this.#refuse(`a <trkpt> has no ${name}.`);
    return numberOf(text, 1e7, name, this.#refuse);
  }

  #take(name: string, text: string): void {
    switch (name) {
      case "ele":
        this.#altitude = numberOf(text, 1e3, name, this.#refuse);
        break;
      case "time":
        this.#ms = instantOf(text, name, this.#refuse);
        break;
      case "speed":
        this.#speed = numberOf(text, 1e3, name, this.#refuse);
        break;
      default:
        this.#hr = numberOf(text, 1, name, this.#refuse);
    }
  }
}
