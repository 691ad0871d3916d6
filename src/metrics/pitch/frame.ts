import { shown } from "../../arguments.js";
import { AsiError } from "../../errors.js";
import { roundHalfUp } from "../rounding.js";

/** A position on the earth in degrees (WGS 84). */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
}

/** A position on the pitch in m: x along the touchline from corner A, y across the pitch. */
export interface PitchPoint {
  readonly x: number;
  readonly y: number;
}

/** The corners in anticlockwise order; A to B is a touchline. */
export type PitchCorners = readonly [GeoPoint, GeoPoint, GeoPoint, GeoPoint];

export interface PitchSize {
  /** Length along the touchline in m; default: the mean of the two touchlines. */
  readonly length?: number | undefined;
  /** Width in m; default: the mean of the two goal lines. */
  readonly width?: number | undefined;
}

/** Position and size of a pitch. */
export interface PitchFrame {
  /** m */
  readonly length: number;
  readonly width: number;
  /** Angle from east to the touchline in degrees, anticlockwise. */
  readonly rotationDeg: number;
  /** Root mean square of the distances from the measured corners to the corners of the pitch, m. */
  readonly cornerRms: number;
  /**
   * Converts a position to pitch coordinates, not rounded. Inside the pitch, they are 0 to `length` and 0 to `width`; positions
   * outside are possible.
   */
  toPitch(point: GeoPoint): PitchPoint;
}

const SEMI_MAJOR_M = 6_378_137;
const FLATTENING = 1 / 298.257223563;
const ECCENTRICITY_SQUARED = FLATTENING * (2 - FLATTENING);
const RADIANS = Math.PI / 180;

/** Corners that are further from a rectangle do not belong to a pitch, or were measured inaccurately. */
const LARGEST_CORNER_RMS_M = 1.5;

const SHORTEST_SIDE_M = 1;
/** A pitch is treated as a plane. The error is 0.25 mm for a pitch of 105 x 68 m. */
const LONGEST_SIDE_M = 1000;

/**
 * Fits a pitch to its measured corners, by rotation and translation. It does not scale the pitch, because one inaccurate corner
 * would scale all of it.
 *
 * @throws AsiError `BAD_ARGUMENT` for invalid or clockwise corners, and corners whose error is more than 1.5 m (root mean square)
 */
export function pitchFrame(corners: PitchCorners, size: PitchSize = {}): PitchFrame {
  checkCorners(corners);
  const project = projectionAround(corners);
  const measured = corners.map(project);
  const side = (i: number, j: number) => distanceBetween(measured[i] ?? ORIGIN, measured[j] ?? ORIGIN);
  const length = sizeOf("length", size.length) ?? (side(0, 1) + side(3, 2)) / 2;
  const width = sizeOf("width", size.width) ?? (side(1, 2) + side(0, 3)) / 2;
  if (Math.max(length, width) > LONGEST_SIDE_M) throw bad("The corners are more than 1 km apart.");
  if (Math.min(length, width) < SHORTEST_SIDE_M) throw bad("The corners are less than 1 m apart.");
  const ideal = idealCorners(length, width);
  const middle = meanOf(measured);
  let sine = 0;
  let cosine = 0;
  measured.forEach((p, i) => {
    const u = ideal[i] ?? ORIGIN;
    sine += u.x * (p.y - middle.y) - u.y * (p.x - middle.x);
    cosine += u.x * (p.x - middle.x) + u.y * (p.y - middle.y);
  });
  const angle = Math.atan2(sine, cosine);
  const toPitch = (point: GeoPoint): PitchPoint => {
    const { x, y } = project(point);
    const dx = x - middle.x;
    const dy = y - middle.y;
    return {
      x: dx * Math.cos(angle) + dy * Math.sin(angle) + length / 2,
      y: -dx * Math.sin(angle) + dy * Math.cos(angle) + width / 2,
    };
  };
  const squares = corners.reduce((sum, corner, i) => {
    const { x, y } = toPitch(corner);
    const u = ideal[i] ?? ORIGIN;
    return sum + (x - length / 2 - u.x) ** 2 + (y - width / 2 - u.y) ** 2;
  }, 0);
  const cornerRms = Math.sqrt(squares / corners.length);
  if (!(cornerRms <= LARGEST_CORNER_RMS_M)) {
    throw bad(
      `The corners are ${roundHalfUp(cornerRms, 2)} m off a pitch of ${roundHalfUp(length, 1)} x ${roundHalfUp(width, 1)} m; at most ${LARGEST_CORNER_RMS_M} m are accepted. Give them anticlockwise, A to B along the touchline, and measure them again.`,
    );
  }
  return { length, width, rotationDeg: angle / RADIANS, cornerRms, toPitch };
}

const ORIGIN: PitchPoint = { x: 0, y: 0 };

/**
 * Returns a function that converts a position to m east and north of the mean of the corners, with the radii of the ellipsoid
 * there.
 */
function projectionAround(corners: PitchCorners): (point: GeoPoint) => PitchPoint {
  const first = corners[0].longitude;
  // this is also correct across the date line
  const east = (longitude: number) => ((((longitude - first + 180) % 360) + 360) % 360) - 180;
  const latitude = corners.reduce((sum, corner) => sum + corner.latitude, 0) / corners.length;
  const longitude = corners.reduce((sum, corner) => sum + east(corner.longitude), 0) / corners.length;
  const sine = Math.sin(latitude * RADIANS);
  const normal = SEMI_MAJOR_M / Math.sqrt(1 - ECCENTRICITY_SQUARED * sine * sine);
  const meridian =
    (SEMI_MAJOR_M * (1 - ECCENTRICITY_SQUARED)) / (1 - ECCENTRICITY_SQUARED * sine * sine) ** 1.5;
  return (point) => ({
    x: (east(point.longitude) - longitude) * RADIANS * normal * Math.cos(latitude * RADIANS),
    y: (point.latitude - latitude) * RADIANS * meridian,
  });
}

function idealCorners(length: number, width: number): PitchPoint[] {
  const [x, y] = [length / 2, width / 2];
  return [
    { x: -x, y: -y },
    { x, y: -y },
    { x, y },
    { x: -x, y },
  ];
}

function meanOf(points: readonly PitchPoint[]): PitchPoint {
  const sum = points.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }), ORIGIN);
  return { x: sum.x / points.length, y: sum.y / points.length };
}

const distanceBetween = (a: PitchPoint, b: PitchPoint) => Math.hypot(a.x - b.x, a.y - b.y);

function checkCorners(corners: unknown): void {
  const isIn = (value: unknown, limit: number) => typeof value === "number" && Math.abs(value) <= limit;
  const isPoint = (point: GeoPoint | null) => isIn(point?.latitude, 90) && isIn(point?.longitude, 180);
  if (Array.isArray(corners) && corners.length === 4 && corners.every(isPoint)) return;
  throw bad("corners must be four objects { latitude, longitude } in degrees.");
}

function sizeOf(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= SHORTEST_SIDE_M && value <= LONGEST_SIDE_M) return value;
  throw bad(`${name} is ${shown(value)}; it must be from ${SHORTEST_SIDE_M} to ${LONGEST_SIDE_M} m.`);
}

function bad(message: string): AsiError {
  return new AsiError("BAD_ARGUMENT", message);
}
