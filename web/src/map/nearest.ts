import { indexAt } from "../view/instants.js";
import type { TimeWindow } from "../view/window.js";
import type { Track } from "./projection.js";

/** Returns the row of a window that is nearest to a position, or null if no row is within `within` metres. */
export function nearestRow(
  { timesMs, east, north }: Track,
  { startMs, stopMs }: TimeWindow,
  at: { east: number; north: number; within: number },
): { row: number; metres: number } | null {
  const to = indexAt(timesMs, stopMs + 1);
  let best = -1;
  let bestSquared = at.within * at.within;
  for (let row = indexAt(timesMs, startMs); row < to; row++) {
    const dx = (east[row] as number) - at.east;
    const dy = (north[row] as number) - at.north;
    const squared = dx * dx + dy * dy;
    if (squared < bestSquared) {
      bestSquared = squared;
      best = row;
    }
  }
  return best < 0 ? null : { row: best, metres: Math.sqrt(bestSquared) };
}
