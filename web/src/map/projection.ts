/**
 * Positions in Web Mercator (EPSG:3857), the projection of map tiles. They are relative to an origin, and their scale makes lengths near
 * the origin equal to metres on the ground.
 */
export interface Track {
  timesMs: Float64Array;
  /** The positions in metres east and north of the origin. */
  east: Float32Array;
  north: Float32Array;
  /** The speeds in mm/s. */
  speed: Int32Array;
  origin: Origin;
  /** The numbers of the rows after which the line is interrupted. */
  gapsAfter: ReadonlySet<number>;
}

export interface Origin {
  latitudeE7: number;
  longitudeE7: number;
}

/** A rectangle in metres east and north of the origin. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Semi-major axis of WGS 84. */
export const EARTH_RADIUS_M = 6_378_137;
export const RADIANS_PER_E7 = Math.PI / 180 / 1e7;
// Web Mercator stops at this latitude, which makes its map a square
const MAX_LATITUDE_E7 = 85.0511287e7;
export const TURN_E7 = 360e7;

function mercatorNorth(latitudeE7: number): number {
  const clamped = Math.min(Math.max(latitudeE7, -MAX_LATITUDE_E7), MAX_LATITUDE_E7);
  return Math.log(Math.tan(Math.PI / 4 + (clamped * RADIANS_PER_E7) / 2));
}

/** Returns the metres on the ground per unit of Web Mercator in radians, at the origin. */
export function metresPerRadian({ latitudeE7 }: Origin): number {
  const clamped = Math.min(Math.max(latitudeE7, -MAX_LATITUDE_E7), MAX_LATITUDE_E7);
  return EARTH_RADIUS_M * Math.cos(clamped * RADIANS_PER_E7);
}

/** Returns the metres on the ground per metre of the map, at a position north of the origin. The result is close to 1 near the origin. */
export function groundMetres(origin: Origin, north: number): number {
  const originNorth = mercatorNorth(origin.latitudeE7);
  return Math.cosh(originNorth) / Math.cosh(originNorth + north / metresPerRadian(origin));
}

/** Returns the Web Mercator coordinates of the origin in radians, each from -π to π. */
export function mercatorOf({ latitudeE7, longitudeE7 }: Origin): { x: number; y: number } {
  return { x: longitudeE7 * RADIANS_PER_E7, y: mercatorNorth(latitudeE7) };
}

/** Projects positions in 1e-7 degrees. A track across the 180th meridian stays in one piece. */
export function project(
  latitudeE7: Int32Array,
  longitudeE7: Int32Array,
  origin: Origin,
): Pick<Track, "east" | "north"> {
  const east = new Float32Array(latitudeE7.length);
  const north = new Float32Array(latitudeE7.length);
  const scale = metresPerRadian(origin);
  const originNorth = mercatorNorth(origin.latitudeE7);
  for (let i = 0; i < latitudeE7.length; i++) {
    let eastE7 = (longitudeE7[i] as number) - origin.longitudeE7;
    if (eastE7 > TURN_E7 / 2) eastE7 -= TURN_E7;
    else if (eastE7 < -TURN_E7 / 2) eastE7 += TURN_E7;
    east[i] = eastE7 * RADIANS_PER_E7 * scale;
    north[i] = (mercatorNorth(latitudeE7[i] as number) - originNorth) * scale;
  }
  return { east, north };
}

const LARGEST_SAMPLE = 20_000;
// The distant positions that receivers report before a good fix must not reduce the track to a dot.
const OUTSIDE_SHARE = 0.002;
const FAR = 4;

/** Returns the rectangle around a track, without positions far from nearly all others, or null if there are no rows. */
export function boxAround({ east, north }: Pick<Track, "east" | "north">): Box | null {
  if (east.length === 0) return null;
  const [west, eastEnd] = rangeOf(east);
  const [south, northEnd] = rangeOf(north);
  return { west, south, east: eastEnd, north: northEnd };
}

function rangeOf(values: Float32Array): [number, number] {
  let minimum = Number.POSITIVE_INFINITY;
  let maximum = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < minimum) minimum = value;
    if (value > maximum) maximum = value;
  }
  const step = Math.ceil(values.length / LARGEST_SAMPLE);
  const sample = Float32Array.from(
    { length: Math.ceil(values.length / step) },
    (_, i) => values[i * step] as number,
  ).sort();
  const low = sample[Math.floor(sample.length * OUTSIDE_SHARE)] as number;
  const high = sample[Math.ceil(sample.length * (1 - OUTSIDE_SHARE)) - 1] as number;
  const reach = Math.max((high - low) * FAR, 50);
  return [Math.max(minimum, low - reach), Math.min(maximum, high + reach)];
}

export function joinBoxes(boxes: readonly (Box | null)[]): Box | null {
  let joined: Box | null = null;
  for (const box of boxes) {
    if (box === null) continue;
    joined =
      joined === null
        ? box
        : {
            west: Math.min(joined.west, box.west),
            south: Math.min(joined.south, box.south),
            east: Math.max(joined.east, box.east),
            north: Math.max(joined.north, box.north),
          };
  }
  return joined;
}
