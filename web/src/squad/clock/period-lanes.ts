import type { Interval, SessionPeriod } from "asi-convert/squad";

/** Maximum number of lanes. More lanes would take space from the rows. */
export const MOST_LANES = 3;

/** Returns the interval from the first to the last moment of a player in a period, or null if no player takes part. */
export function extentOf({ all, own }: Pick<SessionPeriod, "all" | "own">): Interval | null {
  const intervals = [...(all === null ? [] : [all]), ...[...own.values()].flat()];
  if (intervals.length === 0) return null;
  return {
    startMs: Math.min(...intervals.map(({ startMs }) => startMs)),
    endMs: Math.max(...intervals.map(({ endMs }) => endMs)),
  };
}

/**
 * Assigns each interval to the first lane in which it overlaps no other. Longer intervals come first. In the last lane, the remaining
 * intervals may overlap.
 */
export function lanesOf(intervals: readonly Interval[]): number[] {
  const lanes: Interval[][] = [];
  const lengthOf = ({ startMs, endMs }: Interval) => endMs - startMs;
  const order = intervals
    .map((_, i) => i)
    .sort((a, b) => {
      const [one, other] = [intervals[a], intervals[b]];
      return one === undefined || other === undefined ? 0 : lengthOf(other) - lengthOf(one) || a - b;
    });
  const found = new Array<number>(intervals.length).fill(0);
  for (const i of order) {
    const one = intervals[i];
    if (one === undefined) continue;
    const free = lanes.findIndex((lane) =>
      lane.every((other) => other.endMs <= one.startMs || one.endMs <= other.startMs),
    );
    const lane = free >= 0 ? free : Math.min(lanes.length, MOST_LANES - 1);
    lanes[lane] = [...(lanes[lane] ?? []), one];
    found[i] = lane;
  }
  return found;
}
