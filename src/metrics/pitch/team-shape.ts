import { roundHalfUp } from "../rounding.js";
import type { PitchPoint } from "./frame.js";

export const FEWEST_PLAYERS = 3;

/** The shape of a team at one time, in m and m2, with 2 decimals. */
export interface TeamShape {
  readonly centroid: PitchPoint;
  /** Mean distance of the players from the centroid. */
  readonly stretch_index: number;
  /** Area of the convex hull. */
  readonly surface_area: number;
  /** Distance between the two most distant players, along the pitch. */
  readonly length: number;
  /** Distance between the two most distant players, across the pitch. */
  readonly width: number;
}

/**
 * Computes the shape of a team without its goalkeeper.
 *
 * @returns null with fewer than 3 players
 */
export function teamShape(players: readonly PitchPoint[]): TeamShape | null {
  if (players.length < FEWEST_PLAYERS) return null;
  const count = players.length;
  const x = players.reduce((sum, player) => sum + player.x, 0) / count;
  const y = players.reduce((sum, player) => sum + player.y, 0) / count;
  const stretch = players.reduce((sum, player) => sum + Math.hypot(player.x - x, player.y - y), 0) / count;
  const range = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
  const rounded = (value: number) => roundHalfUp(value, 2);
  return {
    centroid: { x: rounded(x), y: rounded(y) },
    stretch_index: rounded(stretch),
    surface_area: rounded(areaOf(convexHull(players))),
    length: rounded(range(players.map((player) => player.x))),
    width: rounded(range(players.map((player) => player.y))),
  };
}

/** Returns the convex hull in anticlockwise order, without points on its sides (Andrew's monotone chain). */
export function convexHull(points: readonly PitchPoint[]): PitchPoint[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  return [...chainOf(sorted), ...chainOf(sorted.toReversed())];
}

/** Returns one chain without its last point, which is the first point of the other chain. */
function chainOf(sorted: readonly PitchPoint[]): PitchPoint[] {
  const chain: PitchPoint[] = [];
  for (const point of sorted) {
    while (chain.length >= 2 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
    chain.push(point);
  }
  return chain.slice(0, -1);
}

/** Returns a positive number if the turn is anticlockwise. */
function turn(a: PitchPoint | undefined, b: PitchPoint | undefined, c: PitchPoint): number {
  if (a === undefined || b === undefined) return 0;
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function areaOf(hull: readonly PitchPoint[]): number {
  let double = 0;
  hull.forEach((a, i) => {
    const b = hull[(i + 1) % hull.length] ?? a;
    double += a.x * b.y - b.x * a.y;
  });
  return Math.abs(double) / 2;
}
