import type { ElementHandler, Fail, PointTaker } from "./element-handler.js";
import { instantOf, numberOf, VALUE_SCALES } from "./point-values.js";
import { TrackPoint } from "./track-rows.js";

// Reads track points of GPX 1.1 (topografix.com/GPX/1/1). Heart rates and speeds are in extensions, whose elements differ only in
// their prefix. In GPX 1.0, the speed is in the point itself.

const VALUES: readonly string[] = ["ele", "time", "hr", "heartrate", "speed"];
/** Elements that are used only if they are direct children of the point. */
const OF_POINT: readonly string[] = ["ele", "time"];

export class GpxPoints implements ElementHandler {
  readonly #rows: PointTaker;
  readonly #fail: Fail;
  /** Depth of the current point; 0 outside of points. */
  #pointDepth = 0;
  /** Name of the current value; null outside of values. */
  #value: string | null = null;
  #text = "";
  #point = new TrackPoint();

  constructor(rows: PointTaker, fail: Fail) {
    this.#rows = rows;
    this.#fail = fail;
  }

  get isInPoint(): boolean {
    return this.#pointDepth > 0;
  }

  open(name: string, attributes: Readonly<Record<string, string>>, depth: number): void {
    if (this.#pointDepth > 0) {
      const isValue = VALUES.includes(name) && (depth === this.#pointDepth + 1 || !OF_POINT.includes(name));
      this.#value = isValue ? name : null;
      this.#text = "";
    } else if (name === "trkpt") {
      this.#pointDepth = depth;
      this.#point = new TrackPoint();
      this.#point.latitude = this.#degrees("lat", attributes.lat);
      this.#point.longitude = this.#degrees("lon", attributes.lon);
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
    this.add(this.#point);
  }

  add(point: TrackPoint): void {
    this.#rows.add(point);
  }

  #degrees(name: string, text: string | undefined): number {
    if (text === undefined) return this.#fail(`a <trkpt> has no ${name}.`);
    return numberOf(text, VALUE_SCALES.latitude, name, this.#fail);
  }

  #take(name: string, text: string): void {
    switch (name) {
      case "ele":
        this.#point.altitude = numberOf(text, VALUE_SCALES.altitude, name, this.#fail);
        break;
      case "time":
        this.#point.ms = instantOf(text, name, this.#fail);
        break;
      case "speed":
        this.#point.speed = numberOf(text, VALUE_SCALES.speed, name, this.#fail);
        break;
      default:
        this.#point.hr = numberOf(text, VALUE_SCALES.hr, name, this.#fail);
    }
  }
}
