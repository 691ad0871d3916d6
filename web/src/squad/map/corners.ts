/** The corners of a pitch on the map, with their positions on the earth and their file. */
import { type GeoPoint, type PitchCorners, type PitchFrame, pitchFrame } from "asi-convert/metrics";
import type { Box } from "../../map/projection.js";
import type { SquadPlayer } from "../squad-session.js";
import type { Plane, Point } from "./plane.js";
import { turned } from "./positions.js";

/** The corners A, B, C and D, anticlockwise. */
export type Corners = readonly [Point, Point, Point, Point];

/** The plane under the corners, with the positions of all players. */
export interface Ground extends Plane {
  points: readonly Point[];
  /** The extent of the pitch and of nearly all positions, with a margin. */
  extent: Box;
}

/** Maximum number of positions. */
const MOST_POINTS = 60_000;
const AROUND_M = 20;
/** The extent includes 98 % of the positions in each direction, unless they are far away from the pitch. */
const OUTLIERS = 0.01;
const FARTHEST_M = 1000;
/** Extent in each direction from the middle if no pitch was found, m. It may be larger than the extent of the positions. */
const UNKNOWN_PITCH_M = 75;

/** @param isTurned whether the map is rotated by 180 degrees */
export function groundOf(plane: Plane, players: readonly SquadPlayer[], isTurned: boolean): Ground {
  const at: Plane["at"] = isTurned ? (...place) => turned(plane.at(...place)) : plane.at;
  const { west, east, south, north } = plane.box;
  const box = isTurned ? { west: -east, east: -west, south: -north, north: -south } : plane.box;
  const recordings = players.flatMap((player) => player.recordings);
  const rows = recordings.reduce((sum, { samples }) => sum + samples.length, 0);
  const step = Math.max(1, Math.ceil(rows / MOST_POINTS));
  const points: Point[] = [];
  for (const { samples } of recordings)
    for (let i = 0; i < samples.length; i += step)
      points.push(at(samples.latitudeE7[i] ?? 0, samples.longitudeE7[i] ?? 0));
  const least = plane.pitch === null ? UNKNOWN_PITCH_M : 0;
  const [x, y] = [rangeOf(points.map((point) => point.x)), rangeOf(points.map((point) => point.y))];
  return {
    ...plane,
    at,
    box,
    points,
    extent: {
      west: Math.min(box.west, x.least, -least) - AROUND_M,
      east: Math.max(box.east, x.most, least) + AROUND_M,
      south: Math.min(box.south, y.least, -least) - AROUND_M,
      north: Math.max(box.north, y.most, least) + AROUND_M,
    },
  };
}

/** Returns the range of nearly all values. The list is empty if the range is far away. */
function rangeOf(values: readonly number[]): { least: number; most: number } {
  const sorted = Float64Array.from(values).sort();
  const least = sorted[Math.floor(OUTLIERS * sorted.length)] ?? 0;
  const most = sorted[Math.ceil((1 - OUTLIERS) * sorted.length) - 1] ?? 0;
  return Math.max(-least, most) > FARTHEST_M ? { least: 0, most: 0 } : { least, most };
}

/** Returns the corners of the pitch, or of the extent of the positions. */
export function cornersOf({ box: { west, east, south, north } }: Plane): Corners {
  return [
    { x: west, y: south },
    { x: east, y: south },
    { x: east, y: north },
    { x: west, y: north },
  ];
}

export function withCorner(corners: Corners, index: number, point: Point): Corners {
  const [a, b, c, d] = corners.map((corner, i) => (i === index ? point : corner));
  return a && b && c && d ? [a, b, c, d] : corners;
}

/** Returns the corner nearest to a point. */
export function nearestCorner(corners: Corners, { x, y }: Point): number {
  const distances = corners.map((corner) => Math.hypot(corner.x - x, corner.y - y));
  return distances.indexOf(Math.min(...distances));
}

/** A step for measuring a plane. Planes are linear in degrees. */
const STEP_E7 = 10_000;

/** Converts a point of a plane to a position on the earth. */
export function placeOf({ origin: { latitudeE7, longitudeE7 }, at }: Plane, { x, y }: Point): GeoPoint {
  const start = at(latitudeE7, longitudeE7);
  const north = at(latitudeE7 + STEP_E7, longitudeE7);
  const east = at(latitudeE7, longitudeE7 + STEP_E7);
  const [nx, ny] = [north.x - start.x, north.y - start.y];
  const [ex, ey] = [east.x - start.x, east.y - start.y];
  const [dx, dy] = [x - start.x, y - start.y];
  const area = nx * ey - ny * ex;
  return {
    latitude: (latitudeE7 + (STEP_E7 * (dx * ey - dy * ex)) / area) / 1e7,
    longitude: turnedOnce((longitudeE7 + (STEP_E7 * (nx * dy - ny * dx)) / area) / 1e7),
  };
}

const turnedOnce = (degrees: number) =>
  degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;

/** Returns the positions of the corners on the earth. The first two are the ends of a touchline, which is a longer side. */
export function placesOf(plane: Plane, corners: Corners): PitchCorners {
  const [a, b, c, d] = corners;
  const lengthOf = (from: Point, to: Point) => Math.hypot(to.x - from.x, to.y - from.y);
  const isLong = lengthOf(a, b) + lengthOf(c, d) >= lengthOf(b, c) + lengthOf(d, a);
  const [first, second, third, fourth] = isLong ? [a, b, c, d] : [b, c, d, a];
  return [placeOf(plane, first), placeOf(plane, second), placeOf(plane, third), placeOf(plane, fourth)];
}

/** Returns the pitch with these corners, or the reason why there is none. */
export function fitOf(places: PitchCorners): { frame: PitchFrame } | { problem: string } {
  try {
    return { frame: pitchFrame(places) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** 1 cm */
const DECIMALS = 7;

/** Returns the file that `asi pitch --corners` and this page read. */
export function cornersFile(places: PitchCorners): File {
  const lines = places.map(
    ({ latitude, longitude }) => `${latitude.toFixed(DECIMALS)},${longitude.toFixed(DECIMALS)}`,
  );
  return new File([`latitude,longitude\n${lines.join("\n")}\n`], "pitch.csv", { type: "text/csv" });
}
