import { VALUE_SCALES } from "./point-values.js";
import { TrackPoint } from "./track-rows.js";
import { ValueCursor } from "./value-cursor.js";

// Reads points without parsing them again. Programs write all points of a track in the same form; only the numbers and times
// differ. If a point has the shape of an earlier one, only these values are read.

/** A number, or a time in UTC (second group), that is the whole value of an attribute, or the whole text between two tags. */
const VALUE = /[>"'](?:(-?\d+(?:\.\d+)?)|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z))(?=[<"'])/g;
/** Comments, CDATA, processing instructions and references, whose value differs from their text, and line ends of XML 1.1. */
const SPECIAL = /<[!?]|&|[^\t\n\r -~]/;
const MAX_SLOTS = 30;
const FIELDS = ["ms", "latitude", "longitude", "altitude", "speed", "hr"] as const;
type Field = (typeof FIELDS)[number];
// Two sets of placeholders. A value outside the slots can equal the placeholder of one set, but not of both.
const FIRST_PLACEHOLDERS = [0, 500] as const;
const FIRST_YEAR = 2001;

/** The text of a point around its slots, which contain the numbers and times. */
export class PointShape {
  /** Number of line ends in a point. */
  readonly lines: number;
  /** Position after the last point that was read. */
  end = 0;
  /** The text before each slot, and the text after the last one. */
  readonly #texts: readonly string[];
  readonly #isTime: readonly boolean[];
  /** The slot of each field. Fields that the point does not have are assigned an additional slot, which is always empty. */
  readonly #slotOf: Readonly<Record<Field, number>>;
  readonly #values: Float64Array;
  readonly #cursor = new ValueCursor();

  private constructor(texts: readonly string[], isTime: readonly boolean[], slotOf: Record<Field, number>) {
    this.lines = texts.join("").split(/\r\n|[\r\n]/).length - 1;
    this.#texts = texts;
    this.#isTime = isTime;
    this.#slotOf = slotOf;
    this.#values = new Float64Array(isTime.length + 1).fill(Number.NaN);
  }

  /**
   * Returns the shape of a point; null if it cannot be used to read other points.
   *
   * @param parse parses an element with all checks; null unless it is exactly one point
   */
  static of(point: string, parse: (element: string) => TrackPoint | null): PointShape | null {
    if (SPECIAL.test(point)) return null;
    const texts: string[] = [];
    const isTime: boolean[] = [];
    let from = 0;
    for (const { 0: found, 2: time, index } of point.matchAll(VALUE)) {
      texts.push(point.slice(from, index + 1));
      isTime.push(time !== undefined);
      from = index + found.length;
    }
    texts.push(point.slice(from));
    if (isTime.length > MAX_SLOTS) return null;
    const withPlaceholders = (first: number) =>
      parse(texts.map((text, slot) => text + placeholder(isTime[slot], first + slot)).join(""));
    const [one, other] = FIRST_PLACEHOLDERS.map(withPlaceholders);
    if (!one || !other) return null;
    const slotOf = { ms: 0, latitude: 0, longitude: 0, altitude: 0, speed: 0, hr: 0 };
    for (const field of FIELDS) {
      const slot = slotIn(field, one) - FIRST_PLACEHOLDERS[0];
      if (Number.isNaN(slot)) slotOf[field] = isTime.length;
      else if (slotIn(field, other) - FIRST_PLACEHOLDERS[1] === slot) slotOf[field] = slot;
      else return null;
    }
    return new PointShape(texts, isTime, slotOf);
  }

  /**
   * Reads a point with this shape. The values equal those that the parser would find.
   *
   * @param from position of the start tag
   * @returns null if it has a different shape, or the parser must read a value
   */
  read(text: string, from: number): TrackPoint | null {
    const cursor = this.#cursor;
    const values = this.#values;
    cursor.moveTo(text, from);
    for (let slot = 0; slot < this.#isTime.length; slot++) {
      if (!cursor.skip(this.#texts[slot] as string)) return null;
      const value = this.#isTime[slot] ? cursor.time() : cursor.number();
      if (Number.isNaN(value)) return null;
      values[slot] = value;
    }
    if (!cursor.skip(this.#texts[this.#isTime.length] as string)) return null;
    this.end = cursor.at;
    const { ms, latitude, longitude, altitude, speed, hr } = this.#slotOf;
    const point = new TrackPoint();
    point.ms = values[ms] as number;
    point.latitude = (values[latitude] as number) * VALUE_SCALES.latitude;
    point.longitude = (values[longitude] as number) * VALUE_SCALES.longitude;
    point.altitude = (values[altitude] as number) * VALUE_SCALES.altitude;
    point.speed = (values[speed] as number) * VALUE_SCALES.speed;
    point.hr = (values[hr] as number) * VALUE_SCALES.hr;
    return point;
  }
}

function placeholder(isTime: boolean | undefined, number: number): string {
  if (isTime === undefined) return "";
  return isTime ? `${FIRST_YEAR + number}-01-01T00:00:00Z` : `${number}`;
}

/** Returns the number of the placeholder that a field contains; NaN if the point has no such field. */
function slotIn(field: Field, point: TrackPoint): number {
  if (field === "ms") return new Date(point.ms).getUTCFullYear() - FIRST_YEAR;
  return point[field] / VALUE_SCALES[field];
}
