import { type TeamShape, teamShape } from "../metrics/index.js";
import { roundHalfUp } from "../metrics/rounding.js";
import type { TeamFrame } from "./team-frames.js";

/** The shape of a team over an interval: means over its frames with at least 3 players, in m and m2, with 2 decimals. */
export interface TeamShapeMeans {
  /** Number of frames with at least 3 players. */
  readonly frames: number;
  /** Mean number of players in these frames; null, like the shape, if there are none. */
  readonly players: number | null;
  readonly shape: TeamShape | null;
}

/** @param frames of field players, at equal steps */
export function teamShapeMeans(frames: Iterable<TeamFrame<unknown>>): TeamShapeMeans {
  let count = 0;
  const sums = { players: 0, x: 0, y: 0, stretch: 0, area: 0, length: 0, width: 0 };
  for (const { players } of frames) {
    const shape = teamShape(players);
    if (shape === null) continue;
    count++;
    sums.players += players.length;
    sums.x += shape.centroid.x;
    sums.y += shape.centroid.y;
    sums.stretch += shape.stretch_index;
    sums.area += shape.surface_area;
    sums.length += shape.length;
    sums.width += shape.width;
  }
  if (count === 0) return { frames: 0, players: null, shape: null };
  const mean = (sum: number) => roundHalfUp(sum / count, 2);
  return {
    frames: count,
    players: mean(sums.players),
    shape: {
      centroid: { x: mean(sums.x), y: mean(sums.y) },
      stretch_index: mean(sums.stretch),
      surface_area: mean(sums.area),
      length: mean(sums.length),
      width: mean(sums.width),
    },
  };
}
