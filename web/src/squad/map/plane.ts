import type { PitchFrame } from "asi-convert/metrics";
import type { Interval } from "asi-convert/squad";
import { fitPitch, type Pitch } from "../../map/pitch.js";
import {
  type Box,
  boxAround,
  EARTH_RADIUS_M,
  metresPerRadian,
  type Origin,
  RADIANS_PER_E7,
  TURN_E7,
} from "../../map/projection.js";
import { LEAST_ON_PITCH, MOVING_MM_PER_S } from "../rules.js";
import type { SquadPlayer } from "../squad-session.js";

export interface Point {
  /** The distance to the right of the middle, m. */
  x: number;
  /** The distance above the middle, m. */
  y: number;
}

/** The plane of a squad's map, in the orientation of the map. */
export interface Plane {
  /** The pitch, horizontal and in the middle of the plane. If no pitch was found, it is null, and north is up. */
  pitch: Pitch | null;
  /** The extent of the map. `east` is to the right, `north` is up. */
  box: Box;
  origin: Origin;
  at(latitudeE7: number, longitudeE7: number): Point;
}

/** Maximum number of positions that determine the plane. */
const MOST_POINTS = 12_000;
const LEAST_POINTS = 10;
/** Positions up to this distance outside the lines count as on the pitch. */
const BESIDE_M = 5;

/**
 * @param intervalsOf the times of a player; null means always
 * @param measured the pitch by its measured corners; null to fit one to the positions
 * @returns null if there are too few positions
 */
export function planeOf(
  players: readonly SquadPlayer[],
  intervalsOf: (player: SquadPlayer) => readonly Interval[] | null,
  measured: PitchFrame | null,
): Plane | null {
  const rows = players
    .flatMap(({ recordings }) => recordings)
    .reduce((sum, { samples }) => sum + samples.length, 0);
  const step = Math.max(1, Math.ceil(rows / MOST_POINTS));
  const first = players
    .flatMap(({ recordings }) => recordings)
    .find(({ samples }) => samples.length > 0)?.samples;
  if (first === undefined) return null;
  const origin = { latitudeE7: first.latitudeE7[0] ?? 0, longitudeE7: first.longitudeE7[0] ?? 0 };
  const project = projectionAt(origin);
  const all: Point[] = [];
  const moving: Point[] = [];
  for (const player of players) {
    const intervals = intervalsOf(player);
    for (const { samples } of player.recordings) {
      for (let i = 0; i < samples.length; i += step) {
        const ms = samples.timestampMs[i] ?? 0;
        if (intervals !== null && !intervals.some(({ startMs, endMs }) => ms >= startMs && ms < endMs))
          continue;
        const point = project(samples.latitudeE7[i] ?? 0, samples.longitudeE7[i] ?? 0);
        all.push(point);
        // players who stand may be beside the pitch
        if ((samples.speedMmPerS[i] ?? 0) >= MOVING_MM_PER_S) moving.push(point);
      }
    }
  }
  const points = moving.length >= LEAST_POINTS ? moving : all;
  if (points.length === 0) return null;
  if (measured !== null) return planeOn(measured, origin);
  const pitch = fitPitch([columns(points)]);
  if (pitch !== null) {
    const flat = turner(pitch.east, pitch.north, pitch.angle);
    const { length, width } = pitch;
    const isOn = ({ x, y }: Point) =>
      Math.abs(x) <= length / 2 + BESIDE_M && Math.abs(y) <= width / 2 + BESIDE_M;
    if (points.filter((point) => isOn(flat(point))).length >= LEAST_ON_PITCH * points.length) {
      return {
        ...flatPitch(length, width),
        origin,
        at: (latitudeE7, longitudeE7) => flat(project(latitudeE7, longitudeE7)),
      };
    }
  }
  const around = boxAround(columns(points));
  if (around === null) return null;
  const [x, y] = [(around.west + around.east) / 2, (around.south + around.north) / 2];
  const centred = turner(x, y, 0);
  return {
    pitch: null,
    box: { west: around.west - x, east: around.east - x, south: around.south - y, north: around.north - y },
    origin,
    at: (latitudeE7, longitudeE7) => centred(project(latitudeE7, longitudeE7)),
  };
}

/** Returns the plane of a measured pitch, in the direction with the smaller rotation from east. */
function planeOn({ length, width, rotationDeg, toPitch }: PitchFrame, origin: Origin): Plane {
  const sign = Math.cos((rotationDeg * Math.PI) / 180) < 0 ? -1 : 1;
  return {
    ...flatPitch(length, width),
    origin,
    at(latitudeE7, longitudeE7) {
      const { x, y } = toPitch({ latitude: latitudeE7 / 1e7, longitude: longitudeE7 / 1e7 });
      return { x: sign * (x - length / 2), y: sign * (y - width / 2) };
    },
  };
}

const flatPitch = (length: number, width: number) => ({
  pitch: { east: 0, north: 0, angle: 0, length, width },
  box: { west: -length / 2, east: length / 2, south: -width / 2, north: width / 2 },
});

/** Converts a position to metres east and north of the origin. The surroundings of a few kilometres are treated as flat. */
function projectionAt(origin: Origin): (latitudeE7: number, longitudeE7: number) => Point {
  const eastScale = metresPerRadian(origin) * RADIANS_PER_E7;
  const northScale = EARTH_RADIUS_M * RADIANS_PER_E7;
  return (latitudeE7, longitudeE7) => {
    let eastE7 = longitudeE7 - origin.longitudeE7;
    if (eastE7 > TURN_E7 / 2) eastE7 -= TURN_E7;
    else if (eastE7 < -TURN_E7 / 2) eastE7 += TURN_E7;
    return { x: eastE7 * eastScale, y: (latitudeE7 - origin.latitudeE7) * northScale };
  };
}

/** Moves a point to 0, 0 and rotates a direction to the right. */
function turner(x0: number, y0: number, angle: number): (point: Point) => Point {
  // a pitch has two directions; this is the one with the smaller rotation
  const [cos, sin] =
    Math.cos(angle) < 0 ? [-Math.cos(angle), -Math.sin(angle)] : [Math.cos(angle), Math.sin(angle)];
  return ({ x, y }) => ({
    x: (x - x0) * cos + (y - y0) * sin,
    y: (y - y0) * cos - (x - x0) * sin,
  });
}

function columns(points: readonly Point[]): { east: Float32Array; north: Float32Array } {
  return {
    east: Float32Array.from(points, ({ x }) => x),
    north: Float32Array.from(points, ({ y }) => y),
  };
}
