import type { Track } from "./projection.js";

/** A pitch on the ground, defined by its middle, in metres from the origin, and the direction of its length. */
export interface Pitch {
  east: number;
  north: number;
  /** Angle from east, counterclockwise, in radians. */
  angle: number;
  length: number;
  width: number;
}

// IFAB Laws of the Game, Law 1: 90 to 120 m by 45 to 90 m. International matches usually have 105 by 68 m.
const LENGTH_M = { shortest: 90, usual: 105, longest: 120 };
const WIDTH_M = { shortest: 45, usual: 68, longest: 90 };
const SAMPLE = 4000;
const ANGLES = 90;
// players sometimes leave the pitch
const OUTSIDE_SHARE = 0.01;

/**
 * Finds the pitch on which a track was probably recorded, which is the smallest rectangle around nearly all of the track. Returns null if
 * there is none.
 */
export function fitPitch(tracks: readonly Pick<Track, "east" | "north">[]): Pitch | null {
  const points = sampleOf(tracks);
  if (points.length < 10) return null;
  let best: (Pitch & { area: number }) | null = null;
  for (let k = 0; k < ANGLES; k++) {
    const angle = (k / ANGLES) * (Math.PI / 2);
    const along = extent(points.map(([x, y]) => x * Math.cos(angle) + y * Math.sin(angle)));
    const across = extent(points.map(([x, y]) => y * Math.cos(angle) - x * Math.sin(angle)));
    const area = along.size * across.size;
    if (best !== null && best.area <= area) continue;
    const isAlong = along.size >= across.size;
    best = {
      area,
      east: along.middle * Math.cos(angle) - across.middle * Math.sin(angle),
      north: along.middle * Math.sin(angle) + across.middle * Math.cos(angle),
      angle: isAlong ? angle : angle + Math.PI / 2,
      length: sizeOf(Math.max(along.size, across.size), LENGTH_M),
      width: sizeOf(Math.min(along.size, across.size), WIDTH_M),
    };
  }
  if (best === null) return null;
  const { area: _, ...pitch } = best;
  return pitch;
}

// A track smaller than a usual pitch does not show the size of the pitch.
function sizeOf(covered: number, { usual, longest }: typeof LENGTH_M): number {
  return Math.min(Math.max(covered, usual), longest);
}

function sampleOf(tracks: readonly Pick<Track, "east" | "north">[]): [number, number][] {
  const points: [number, number][] = [];
  for (const { east, north } of tracks) {
    const step = Math.max(1, Math.ceil((east.length * tracks.length) / SAMPLE));
    for (let i = 0; i < east.length; i += step) points.push([east[i] as number, north[i] as number]);
  }
  return points;
}

function extent(values: number[]): { middle: number; size: number } {
  values.sort((a, b) => a - b);
  const low = values[Math.floor(values.length * OUTSIDE_SHARE)] ?? 0;
  const high = values[Math.ceil(values.length * (1 - OUTSIDE_SHARE)) - 1] ?? 0;
  return { middle: (low + high) / 2, size: high - low };
}

type Point = [along: number, across: number];

/** Returns the lines of a pitch (Law 1), as polylines of positions in metres east and north of the origin. */
export function pitchLines(pitch: Pitch): [east: number, north: number][][] {
  const { length, width } = pitch;
  const lines: Point[][] = [
    rectangle(-length / 2, length / 2, -width / 2, width / 2),
    [
      [0, -width / 2],
      [0, width / 2],
    ],
    circle(9.15),
  ];
  for (const side of [-1, 1]) {
    const goal = (side * length) / 2;
    lines.push(
      rectangle(goal, goal - side * 16.5, -20.16, 20.16),
      rectangle(goal, goal - side * 5.5, -9.16, 9.16),
    );
  }
  const cos = Math.cos(pitch.angle);
  const sin = Math.sin(pitch.angle);
  return lines.map((line) =>
    line.map(([along, across]): [number, number] => [
      pitch.east + along * cos - across * sin,
      pitch.north + along * sin + across * cos,
    ]),
  );
}

function rectangle(from: number, to: number, low: number, high: number): Point[] {
  return [
    [from, low],
    [to, low],
    [to, high],
    [from, high],
    [from, low],
  ];
}

function circle(radius: number): Point[] {
  return Array.from({ length: 49 }, (_, i): Point => {
    const angle = (i / 48) * 2 * Math.PI;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}
