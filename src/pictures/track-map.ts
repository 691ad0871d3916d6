import { gapsAfter } from "../metrics/segments.js";
import { INK, MUTED, PANEL, zoneColors } from "./palette.js";
import type { Session } from "./session.js";
import type { Point, Shape } from "./shapes.js";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

// equatorial radius of WGS 84
const METRES_PER_E7 = (6_378_137 * Math.PI) / 180 / 1e7;
const TURN_E7 = 3_600_000_000;

/** The minimum extent of the map. A recording at one place is not enlarged further. */
const SMALLEST_EXTENT_M = 20;
const PADDING = 24;
/** Points that are closer to the previous point than this distance, in pixels, are omitted. */
const SHORTEST_STEP = 0.7;

/** Draws the track, coloured by the speed zones of the figures, with a scale bar. North is up. */
export function trackMap(session: Session, frame: Rect): Shape[] {
  const { x, y, width, height } = frame;
  const plane = planeOf(session);
  const scale = Math.min(
    (width - 2 * PADDING) / Math.max(plane.width, SMALLEST_EXTENT_M),
    (height - 2 * PADDING) / Math.max(plane.height, SMALLEST_EXTENT_M),
  );
  const at = (row: number): Point => ({
    x: x + width / 2 + ((plane.east[row] ?? 0) - plane.width / 2) * scale,
    y: y + height / 2 - ((plane.north[row] ?? 0) - plane.height / 2) * scale,
  });
  const limits = session.metrics.definition.parameters.speed_ranges;
  const colors = zoneColors(limits.length);
  const tracks = tracksByZone(session, at, limits).map(
    (lines, zone): Shape => ({ kind: "lines", lines, color: colors[zone] ?? INK, width: 1.6 }),
  );
  return [
    { kind: "box", ...frame, fill: PANEL, radius: 10 },
    // fast tracks are drawn over slow ones
    ...tracks,
    ...scaleBar(frame, scale),
    ...northArrow(frame),
  ];
}

/** Converts positions to metres east and north of the south-west corner of the track. */
function planeOf({ samples }: Session) {
  const { length, latitudeE7, longitudeE7 } = samples;
  const originE7 = longitudeE7[0] ?? 0;
  let [south, north, west, east] = [Infinity, -Infinity, Infinity, -Infinity];
  const longitudes = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    // the shorter direction across 180 degrees
    const longitude = wrapped((longitudeE7[row] ?? 0) - originE7);
    longitudes[row] = longitude;
    [west, east] = [Math.min(west, longitude), Math.max(east, longitude)];
    south = Math.min(south, latitudeE7[row] ?? 0);
    north = Math.max(north, latitudeE7[row] ?? 0);
  }
  const perLongitude = METRES_PER_E7 * Math.cos((((south + north) / 2) * 1e-7 * Math.PI) / 180);
  return {
    east: longitudes.map((longitude) => (longitude - west) * perLongitude),
    north: Float64Array.from({ length }, (_, row) => ((latitudeE7[row] ?? 0) - south) * METRES_PER_E7),
    width: (east - west) * perLongitude,
    height: (north - south) * METRES_PER_E7,
  };
}

function wrapped(differenceE7: number): number {
  return differenceE7 - Math.round(differenceE7 / TURN_E7) * TURN_E7;
}

/** Returns the lines of each zone. Each line continues to the first point of the next zone. */
function tracksByZone(
  { samples }: Session,
  at: (row: number) => Point,
  limits: readonly number[],
): Point[][][] {
  const { length, timestampMs, speedMmPerS } = samples;
  const gaps = new Set(gapsAfter(timestampMs.subarray(0, length)));
  const zones: Point[][][] = limits.map(() => []);
  let line: Point[] = [];
  let zone = -1;
  let last: Point | null = null;
  let previousMs = Number.NaN;
  for (let row = 0; row < length; row++) {
    const ms = timestampMs[row] ?? 0;
    const speed = (speedMmPerS[row] ?? 0) / 1000;
    const point = at(row);
    const own = Math.max(
      0,
      limits.findLastIndex((limit) => speed >= limit),
    );
    const isJoined = ms >= previousMs && !gaps.has(row - 1) && last !== null;
    if (!isJoined || own !== zone) {
      if (isJoined) line.push(point);
      line = [point];
      zones[own]?.push(line);
      zone = own;
      last = point;
    } else if (last === null || Math.hypot(point.x - last.x, point.y - last.y) >= SHORTEST_STEP) {
      line.push(point);
      last = point;
    }
    previousMs = ms;
  }
  return zones.map((lines) => lines.filter((points) => points.length > 1));
}

function scaleBar({ x, y, width, height }: Rect, pixelsPerMetre: number): Shape[] {
  const longest = (width * 0.25) / pixelsPerMetre;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = ([5, 2, 1].find((factor) => factor * power <= longest) ?? 1) * power;
  const length = metres * pixelsPerMetre;
  const [right, bottom] = [x + width - 16, y + height - 16];
  const bar = [
    { x: right - length, y: bottom - 5 },
    { x: right - length, y: bottom },
    { x: right, y: bottom },
    { x: right, y: bottom - 5 },
  ];
  return [
    { kind: "lines", lines: [bar], color: INK, width: 1.5 },
    {
      kind: "text",
      x: right - length / 2,
      y: bottom - 8,
      text: metres >= 1000 ? `${metres / 1000} km` : `${metres} m`,
      size: 12,
      color: INK,
      anchor: "middle",
    },
  ];
}

function northArrow({ x, y, width }: Rect): Shape[] {
  const [middle, top] = [x + width - 26, y + 18];
  const arrow = [
    [
      { x: middle, y: top + 22 },
      { x: middle, y: top },
    ],
    [
      { x: middle - 5, y: top + 7 },
      { x: middle, y: top },
      { x: middle + 5, y: top + 7 },
    ],
  ];
  return [
    { kind: "lines", lines: arrow, color: MUTED, width: 1.5 },
    { kind: "text", x: middle, y: top + 36, text: "N", size: 12, color: MUTED, anchor: "middle" },
  ];
}
