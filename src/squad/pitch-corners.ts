import { AsiError } from "../errors.js";
import type { GeoPoint, PitchCorners } from "../metrics/index.js";
import { textIn } from "../text-encoding.js";

const CORNERS = 4;

/** A header such as `longitude,latitude`, `Lon;Lat` or `Länge;Breite`. */
const LONGITUDE_FIRST = /^"?(?:lon|lng|länge)[^\d,;]*[,;]\s*"?(?:lat|breite)/i;

/**
 * Reads the four corners of a pitch. Each has a latitude and a longitude in degrees, separated by a comma; corners are separated by spaces
 * or line breaks. A CSV is also accepted. Its header may name the longitude first. If semicolons separate the fields, numbers may have a
 * decimal comma. Bytes can be UTF-8, UTF-16 or Windows-1252.
 *
 * @throws AsiError `BAD_OPTION` for any other text; `pitchFrame` checks the order and the shape
 */
export function readPitchCorners(file: Uint8Array | string): PitchCorners {
  const lines = textIn(file)
    .split(/\r?\n/)
    .map((line) => line.trim());
  const pairs = lines.filter((line) => /\d/.test(line)).flatMap(pairsOf);
  const isLongitudeFirst = lines.some((line) => LONGITUDE_FIRST.test(line));
  const points = pairs.map((pair) => pointOf(pair, isLongitudeFirst));
  const [a, b, c, d] = points;
  if (points.length !== CORNERS || a === undefined || b === undefined || c === undefined || d === undefined) {
    throw new AsiError(
      "BAD_OPTION",
      `A pitch has ${CORNERS} corners, but ${points.length} are given. Give them as latitude,longitude in degrees, anticlockwise, A to B along the touchline: "46.96,7.46 46.96,7.47 46.97,7.47 46.97,7.46".`,
    );
  }
  return [a, b, c, d];
}

/** Returns `latitude,longitude` from a line of a CSV, or several of them from one line. */
function pairsOf(line: string): string[] {
  if (!line.includes(";"))
    return line
      .split(",")
      .map((field) => field.trim())
      .join(",")
      .split(/\s+/);
  return [
    line
      .split(";")
      .map((field) => field.trim().replace(",", "."))
      .join(","),
  ];
}

function pointOf(pair: string, isLongitudeFirst: boolean): GeoPoint {
  const [first, second, ...others] = pair
    .split(",")
    .filter((field) => field !== "")
    .map(Number);
  const [latitude, longitude] = isLongitudeFirst ? [second, first] : [first, second];
  const isDegrees = (value: number | undefined, limit: number): value is number =>
    value !== undefined && Math.abs(value) <= limit;
  if (!isDegrees(latitude, 90) || !isDegrees(longitude, 180) || others.length > 0) {
    throw new AsiError(
      "BAD_OPTION",
      `"${pair}" is not a corner: give ${isLongitudeFirst ? "longitude,latitude in degrees, such as 7.4648,46.9629" : "latitude,longitude in degrees, such as 46.9629,7.4648"}.`,
    );
  }
  return { latitude, longitude };
}
